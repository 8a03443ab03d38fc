"""The jars that Pacecar gives to JVMs, held by the SHA-256 they had when Pacecar was made.

Maven fetches them from whatever repository this machine is told to use, and keeps them where every build of the user's
may write. `jars.lock`, beside this file, says what each must be: a section for each product, a line for each jar as
`sha256sum` has it, with its coordinates behind. `make lock` writes it anew. A jar whose name stands in no section, such
as a library of the user's own simulation or another version of Gatling that it asks for, is held by what it was when it
was first used, see `store.product`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.toolchain.maven import ToolchainError
from pacecar.inputs.toolchain.store import recorded

#: Where the lock lies.
PATH = Path(__file__).with_name("jars.lock")
#: The products of the sections.
GATLING, COUNTER_AGENT = "scenarios", "counter-agent"
PROFILING_AGENT, SPAN_AGENT, SPAN_EXTENSION = "profiling-agent", "span-agent", "span-extension"
PRODUCTS = (GATLING, COUNTER_AGENT, PROFILING_AGENT, SPAN_AGENT, SPAN_EXTENSION)

_HEAD = "# Jars that Pacecar gives to JVMs: SHA-256, name, coordinates. Written by `make lock`.\n"
_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][\w.+-]*\.jar)(?:  ([\w.-]+:[\w.-]+:[\w.-]+(?::[\w.-]+)?))?")
_NUMBER = re.compile(r"[0-9]{3}-")
#: Built here from what Pacecar brings, by whatever compiler is here: held by the product's own record.
_BUILT_HERE = re.compile(r"pacecar-[a-z]+(?:-[0-9][\w.]*)?\.jar")
_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class Locked:
    """A jar of the lock.

    Attributes:
        sha256: of its content, in hex.
        coordinates: `group:artifact:version` in Maven's repository, or `group:artifact:version:classifier`; None where
            the lock does not say.
    """

    sha256: str
    coordinates: str | None = None


def read() -> dict[str, dict[str, Locked]]:
    """Product -> name of a jar -> what is locked of it.

    Raises:
        ToolchainError: when the file is missing or damaged.
    """
    sections: dict[str, dict[str, Locked]] = {}
    current: dict[str, Locked] = {}
    try:
        lines = PATH.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged() from error
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], {})
        elif (match := _LINE.fullmatch(line)) and sections:
            current[match[2]] = Locked(sha256=match[1], coordinates=match[3])
        else:
            raise _damaged()
    return sections


def write(sections: Mapping[str, Mapping[str, Locked]]) -> None:
    """Write the lock anew; product -> name of a jar -> what is locked of it."""
    text = _HEAD
    for product, jars in sections.items():
        parts = ((jars[name].sha256, name, jars[name].coordinates) for name in sorted(jars))
        lines = ("  ".join(filter(None, each)) for each in parts)
        text += f"\n[{product}]\n" + "".join(f"{line}\n" for line in lines)
    PATH.write_text(text, "utf-8")


def held(folder: Path) -> list[tuple[str, str]]:
    """Name of each jar of the product in `folder`, without its place in the class path, and its SHA-256 as recorded."""
    jars = [(_NUMBER.sub("", name, count=1), sha256) for name, sha256 in recorded(folder).items() if "/" not in name]
    return sorted((name, sha) for name, sha in jars if name.endswith(".jar") and not _BUILT_HERE.fullmatch(name))


def check(folder: Path, product: str | None, *, origins: Iterable[Path] = ()) -> None:
    """Compare a product, whose files are as recorded, with the lock.

    Args:
        folder: of the product.
        product: its section, which names all of its jars and no other; None for a product of the user's own, of which
            only jars that bear a name in the lock are compared.
        origins: where Maven keeps the jars that the product was just made of; empty when it was made earlier.

    Raises:
        ToolchainError: naming the first jar that is another one, missing, or not expected.
    """
    sections = {name: {jar: each.sha256 for jar, each in jars.items()} for name, jars in read().items()}
    expected = sections.get(product, {}) if product else {n: s for each in sections.values() for n, s in each.items()}
    found = held(folder)
    for name, sha256 in found:
        if name in expected and expected[name] != sha256:
            raise ToolchainError(
                f"{name} is not the jar that Pacecar was made with: its SHA-256 is {sha256[:_SHOWN]}…, and should be "
                f"{expected[name][:_SHOWN]}…",
                hint=_mended(folder, name, origins),
            )
    odd = sorted({name for name, _ in found} ^ expected.keys()) if product else []
    if odd:
        what = "is missing from" if odd[0] in expected else "was not expected among"
        raise ToolchainError(
            f"{odd[0]} {what} the jars of {product}, which are not those that Pacecar was made with.",
            hint=_mended(folder, odd[0], origins),
        )


def _mended(folder: Path, name: str, origins: Iterable[Path]) -> str:
    kept = next((origin.parent for origin in origins if origin.name == name), None)
    if kept is None:
        return f"Have it rebuilt: rm -r {folder}"
    return (
        f"Have Maven fetch it again: rm -r {kept}; if it comes back, ask whoever runs the repository that Maven uses."
    )


def _damaged() -> ToolchainError:
    return ToolchainError(f"{PATH}, which holds the digests of jars, is damaged.", hint="Install Pacecar anew.")
