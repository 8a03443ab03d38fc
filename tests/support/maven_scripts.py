"""Small shell scripts that replace `mvn`, and locks that match what they fetch."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pacecar.inputs.toolchain.lock import Locked

# Does for the goals in use what Maven would: a jar, classes, a class path of two jars.
MAVEN = r"""#!/bin/sh
echo "$PWD $*" >> "{folder}/calls"
for argument in "$@"; do
  case "$argument" in
    package) mkdir -p target; echo kit > target/pacecar-scenarios-0.1.0.jar ;;
    test-compile) mkdir -p target/test-classes/shop; echo class > target/test-classes/shop/Browsing.class ;;
    -Dmdep.outputFile=*) printf '%s' "{folder}/one/core.jar:{folder}/two/more.jar" > "${{argument#*=}}" ;;
  esac
done
"""


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def locked(text: str) -> Locked:
    return Locked(sha256=sha256(text), coordinates="shop:any:1.0")


def install(folder: Path, script: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "mvn").write_text(script)
    (folder / "bin" / "mvn").chmod(0o755)


def packaging(carried: dict[str, str]) -> str:
    """A Maven that packages an agent, and copies what it carries."""
    copied = "; ".join(f'echo {text} > "${{argument#*=}}/{name}"' for name, text in carried.items())
    return f"""#!/bin/sh
for argument in "$@"; do
  case "$argument" in
    package) mkdir -p target; echo agent > target/pacecar-agent.jar ;;
    -DoutputDirectory=*) mkdir -p "${{argument#*=}}"; {copied or "true"} ;;
  esac
done
"""
