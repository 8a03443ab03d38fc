"""The noise of earlier runs in a store that machines share: each machine adds its runs, and knows those of its kind.

    noise/9f3a5c.../20250301-101500-9f3a.18230.<16 hex>.json    one run's noise, under the digest of its design

What is fetched comes to lie in the local history, where a run that is judged again finds it as well. Whoever may write
to the store may have written it: of a design a few objects are read, of a capped size and with figures that can be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from pacecar.archive import RunError, history
from pacecar.archive.names import NoiseName
from pacecar.archive.shared import Shared
from pacecar.system.disk import NoRoom

_FOLDER = "noise"
#: Of each design stay more than a run asks for, since one that is judged again asks for those before it.
_KEPT = 5 * history.NEWEST


def put(shared: Shared, run_id: str) -> None:
    """Put what was remembered of run `run_id` into the store, unless it is there.

    Raises:
        StoreError: when the store cannot be used.
    """
    for design, content in history.files_of(shared.root, run_id):
        there = {name.run_id for name in _names(shared, design)}
        if run_id not in there:
            name = NoiseName(run_id=run_id, size=len(content), digest=_digest(content))
            shared.bucket.put(_object(design, name), content)


def fetch(shared: Shared, design: str, *, before: str, told: Callable[[str], None]) -> None:
    """Bring the noise of the newest runs of `design` that are older than run `before` into the local history.

    Raises:
        StoreError: when the store cannot be used.
    """
    older = {name.run_id: name for name in _names(shared, design) if name.run_id < before}
    for run_id in sorted(older)[-history.NEWEST :]:
        if history.has(shared.root, design, run_id):
            continue
        try:
            _fetch(shared, design, older[run_id])
        except (RunError, NoRoom) as error:
            told(error.message)


def tidy(shared: Shared) -> None:
    """Remove the noise of runs so far back that nobody will ask for it.

    Raises:
        StoreError: when the store cannot be used.
    """
    designs: dict[str, list[str]] = {}
    for design, name in shared.bucket.names_below(_FOLDER):
        if NoiseName.read(name) is not None:
            designs.setdefault(design, []).append(name)
    for design, names in designs.items():
        for name in sorted(names)[:-_KEPT]:
            shared.bucket.remove(f"{_FOLDER}/{design}/{name}")


def _fetch(shared: Shared, design: str, name: NoiseName) -> None:
    at = _object(design, name)
    where = f"{shared.bucket.url}/{at}"
    content = shared.bucket.content(at, most=name.size)
    if len(content) != name.size or _digest(content) != name.digest:
        raise RunError(f"{where} is damaged: its content is not what its name says.")
    history.checked(content, run_id=name.run_id, where=where)
    history.keep(shared.root, design, name.run_id, content)


def _names(shared: Shared, design: str) -> list[NoiseName]:
    """What is whole; of another size it is still in the making, or no noise."""
    found = shared.bucket.names(f"{_FOLDER}/{design}").items()
    read = [(NoiseName.read(name), size) for name, size in found]
    return [name for name, size in read if name is not None and name.size == size <= history.MOST_BYTES]


def _object(design: str, name: NoiseName) -> str:
    return f"{_FOLDER}/{design}/{name}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
