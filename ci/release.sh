#!/usr/bin/env bash
# Builds what a release consists of into a new folder, and tries it: `bash ci/release.sh FOLDER`.
#   dist/               wheel and sdist
#   pacecar.cdx.json    Python packages, jars and the npm packages in the report, as CycloneDX
#   workflows/          the workflows to copy, with the action pinned to this commit
set -euo pipefail
unset CDPATH
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
mkdir -p -- "${1:?a folder to build into}"
target=$(cd -- "$1" && pwd -P)
python=${PACECAR_PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
locked() { "$1/bin/python" -I -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r "$root/requirements/$2.lock"; }

cd -- "$work"
"$python" -I -m venv tools
locked tools release
# Timestamps in the archives are the commit's, so that the same commit gives the same files.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
tools/bin/python -I -m build --no-isolation --outdir "$target/dist" "$root"

"$python" -I -m venv tried
locked tried runtime
tried/bin/python -I -m pip install --quiet --disable-pip-version-check --no-deps "$target"/dist/*.whl
tools/bin/python -I -m cyclonedx_py environment --pyproject "$root/pyproject.toml" --mc-type application --output-reproducible \
  --output-file "$target/pacecar.cdx.json" tried
tried/bin/python -I "$root/ci/sbom.py" "$target/pacecar.cdx.json" "$root"
tools/bin/python -I -c '
import sys
from pathlib import Path
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(Path(sys.argv[1]).read_text()))
' "$target/pacecar.cdx.json" # prints what is wrong with it
tried/bin/pacecar --version
tried/bin/pacecar doctor || [ $? -eq 2 ] # a machine that builds need not be able to measure

mkdir -p "$target/workflows"
commit=$(git -C "$root" rev-parse HEAD)
for workflow in "$root"/ci/workflows/*.yml; do
  sed "s|\(uses: pacecar/pacecar/[a-z/]*\)@v0$|\1@$commit # ${GITHUB_REF_NAME:-v0}|" "$workflow" >"$target/workflows/${workflow##*/}"
done
