#!/usr/bin/env bash
# Installs this very version of Pacecar for the job, with its locked dependencies, and puts it on the PATH of later steps.
# On a runner that keeps its tool cache the dependencies are there the second time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${PACECAR_PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "Pacecar needs Python 3.11 or newer; put actions/setup-python before it." >&2
  exit 2
}
lock=$(sha256sum "$root/requirements/runtime.lock" | cut -c 1-16)
version=$("$python" -c 'import platform; print(platform.python_version())')
home="${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:?}}/pacecar/$version-$lock"
mkdir -p "$home"
exec 9>"$home.lock"
flock 9 # another job of this machine may be installing the same
if [ ! -e "$home/ready" ]; then
  "$python" -m venv --clear "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$root/requirements/runtime.lock"
  touch "$home/ready"
fi
exec 9>&-
# Of Pacecar itself every job has a copy of its own: another version may run beside it.
own=$(mktemp -d "${RUNNER_TEMP:?}/pacecar-XXXXXX")
"$home/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$own" "$root"
mkdir "$own/launch"
printf '#!/bin/sh\nPYTHONPATH="%s" exec "%s" -m pacecar "$@"\n' "$own" "$home/bin/python" >"$own/launch/pacecar"
chmod +x "$own/launch/pacecar"
echo "$own/launch" >>"$GITHUB_PATH"
