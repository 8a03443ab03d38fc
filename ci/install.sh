#!/usr/bin/env bash
# Installs exactly this version of Pacecar for the job, with its locked dependencies, and puts it on the PATH of later
# steps. A runner that keeps its tool cache installs the dependencies only once. With PACECAR_PRIVATE=true, the job gets
# its own copy, so that it runs nothing that an earlier job on the machine could have changed.
#
# The working directory is a checkout that anybody may have written: nothing is run or read from it. Dependencies are
# wheels checked against the lock's hashes, and Pacecar runs from its own checkout, so nothing is built.
set -euo pipefail
unset CDPATH

# An empty or relative entry of the PATH would refer to the working directory.
absolute=
while IFS= read -r -d : entry; do
  [[ $entry == /* ]] && absolute+=${absolute:+:}$entry
done <<<"$PATH:"
export PATH=$absolute

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
temporary=$(cd -- "${RUNNER_TEMP:?}" && pwd -P)
path_file=$(realpath -- "${GITHUB_PATH:?}")

own=$(mktemp -d "$temporary/pacecar-XXXXXX")
cd -- "$own"
python=${PACECAR_PYTHON:-python3}
"$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "Pacecar needs Python 3.11 or newer; put actions/setup-python before it." >&2
  exit 2
}
once=()
locked=$root/requirements/extras.lock # includes packages for object stores and clusters
if [ "${PACECAR_PRIVATE:-false}" = true ]; then
  home=$own/python
  locked=$root/requirements/runtime.lock # comments need neither
  once=(--no-compile) # one command never imports most modules
else
  lock=$(sha256sum "$locked" | cut -c 1-16)
  version=$("$python" -I -c 'import platform; print(platform.python_version())')
  home="${RUNNER_TOOL_CACHE:-$temporary}/pacecar/$version-$lock"
fi
mkdir -p "$home"

# pip gets only the variables that lead to an index: others name further requirements or locations.
kept=()
for name in HOME TMPDIR LANG XDG_CACHE_HOME XDG_CONFIG_HOME SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE \
  {http,https,no}_proxy {HTTP,HTTPS,NO}_PROXY \
  PIP_{INDEX_URL,EXTRA_INDEX_URL,FIND_LINKS,CERT,CLIENT_CERT,PROXY,TRUSTED_HOST,CACHE_DIR,DEFAULT_TIMEOUT}; do
  if [ -n "${!name:-}" ]; then kept+=("$name=${!name}"); fi
done
exec 9>"$home.lock"
flock 9 # another job on this machine may be installing the same
if [ ! -e "$home/ready" ]; then
  "$python" -I -m venv --clear "$home"
  env -i PATH="$PATH" "${kept[@]}" "$home/bin/python" -I -m pip install --quiet --no-input --disable-pip-version-check \
    --require-hashes --only-binary :all: --no-deps "${once[@]}" -r "$locked"
  touch "$home/ready"
fi
exec 9>&-
mkdir "$own/launch"
printf '#!/bin/sh\nexec %q -I -B %q "$@"\n' "$home/bin/python" "$root/ci/launch.py" >"$own/launch/pacecar"
chmod +x "$own/launch/pacecar"
echo "$own/launch" >>"$path_file"
