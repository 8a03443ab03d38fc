"""What earlier runs showed of their own noise, so that later ones need fewer pairs.

    .pacecar/history/9f3a5c.../20250301-101500-9f3a.json    one run's noise, under the digest of its design

Noise is only worth remembering for runs that are made alike: the same service, load and plan on the same kind of
machine, by metrics that meant the same. All of that goes into the digest of the design, so that runs made otherwise
never meet.

The folder may have come out of a cache or a store, so it is read as what anybody may have written: few files of a
capped size, with figures that can be. What is wrong is left out with a sentence, and never ends a run.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pacecar.archive import RunError, records
from pacecar.model.catalogue import MEANING
from pacecar.model.comparison import MetricKey, Noise, Spread
from pacecar.model.experiment import Experiment, Plan, Profiler
from pacecar.model.recording import Fingerprint
from pacecar.model.scenario import HEAP_BYTES, GeneratorKind, Scenario
from pacecar.system.disk import durable, room_for
from pacecar.system.foreign import files
from pacecar.text import hidden

#: In the archive.
FOLDER = "history"
#: Runs further back are not asked: the machine has changed since.
NEWEST = 20
#: A run with the most endpoints that are judged one by one takes a twelfth of it.
MOST_BYTES = 1 << 20
#: Variances are of logarithms, or in squared units of a metric. What lies outside is none, and its square or its
#: quotient with another might be none that a float can hold.
_LEAST_VARIANCE, _MOST_VARIANCE = 1e-60, 1e60
_MOST_DEGREES = 1e4
_MOST_ENTRIES = 10_000
#: What `trim` leaves: a cache is fetched by every job.
_MOST_DESIGNS = 20
_MOST_TRIMMED_BYTES = 16 << 20
_DESIGN = re.compile(r"[0-9a-f]{16}")
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}", re.ASCII)
#: Tables of which a run keeps no values, and that do not say how much load there is.
_NAMES_ONLY = frozenset({"env", "secrets", "headers"})


@dataclass(frozen=True, kw_only=True)
class _Entry:
    metric: str
    endpoint: str
    variance: float
    degrees: float


@dataclass(frozen=True, kw_only=True)
class _Remembered:
    run_id: str
    noise: tuple[_Entry, ...]


_REMEMBERED = TypeAdapter(_Remembered)


def design_of(experiment: Experiment, machine: Fingerprint) -> str:
    """Digest of everything that noise depends on, except the builds: hexadecimal, 16 digits."""
    scenario, plan, target = experiment.scenario, experiment.plan, experiment.target
    described = {
        "target": [target.name, target.deployment.identity],
        "env": target.env,
        "secrets": target.secrets,
        # Noise that was remembered before there were commands for a service that is up stays known.
        "hooks": [target.setup, *([target.once_ready] if target.once_ready else []), target.reset],
        # With a fixed port only one side can be up at a time: the windows of a pair are then further apart.
        "alone": target.port is not None,
        "scenario": _load(scenario),
        "plan": _portions(plan),
        "profiler": _sampling(experiment.profiler),
        # Blocks follow the windows; what is counted in them alone changes no latency.
        "calls": experiment.counts_calls if plan.quick else experiment.counts_calls_in_windows,
        # A name alone does not say what was measured: neither of our own metrics nor of the user's.
        "metrics": [MEANING, *(asdict(query) for query in experiment.queries)],
        "machine": [machine.cpu_model, machine.cores, machine.jvm],
    }
    return hashlib.sha256(
        json.dumps(_as_kept(described, experiment.config_path.parent), sort_keys=True).encode()
    ).hexdigest()[:16]


def _load(scenario: Scenario) -> dict[str, Any]:
    known = asdict(scenario) | {"module": str(scenario.module and scenario.module.name), "jar": ""}
    if scenario.generator is GeneratorKind.GATLING:
        del known["generator"]  # noise that was remembered before there was a choice stays known
    if scenario.within_ms is None:
        del known["within_ms"]  # so does that from before there were staircases
    if scenario.heap_bytes == HEAP_BYTES:
        del known["heap_bytes"]
    if scenario.injectors == 1:
        del known["injectors"]
    if not scenario.traced:
        del known["traced"]
    return known


def _sampling(profiler: Profiler) -> dict[str, Any]:
    known = asdict(profiler)
    if not profiler.traces:
        del known["traces"]  # as above
    return known


def _portions(plan: Plan) -> dict[str, Any]:
    """What of `plan` decides how much its pairs scatter."""
    if plan.quick:
        return {"blocks": asdict(plan.blocks)}
    # What follows the windows of a pair changes nothing in them, and what it counts scatters by next to nothing.
    known = asdict(plan) | {"pairs": 0, "seed": 0, "stop_early": True, "time_s": 0, "time_by_default": False}
    after = ("tier", "blocks", "counted", "explain", "profiled", "escalation")
    return {name: value for name, value in known.items() if name not in after}


def _as_kept(value: Any, project: Path) -> Any:
    """`value` without what a run does not keep of its configuration, so that a run judged again has the same design."""
    if isinstance(value, dict):
        return {name: sorted(each) if name in _NAMES_ONLY else _as_kept(each, project) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        texts = all(isinstance(each, str) for each in value)
        return list(hidden.arguments(value)) if texts else [_as_kept(each, project) for each in value]
    if isinstance(value, Path):  # a checkout in another folder is the same project
        return os.path.relpath(value, project)
    return hidden.text(value) if isinstance(value, str) else value


def remember(root: Path, design: str, run_id: str, noise: Noise) -> None:
    """Store how much the pairs of run `run_id` scattered, in place of what was stored of it before.

    A run that shows none is not remembered: it would take the place of one that does.

    Raises:
        NoRoom: when there is no room.
        RunError: when something else is where the file or its folder belongs.
    """
    entries = tuple(
        entry
        for (metric, endpoint), spread in sorted(noise.items())
        if _can_be(entry := _Entry(metric=metric, endpoint=endpoint, variance=spread.variance, degrees=spread.degrees))
    )
    if entries:
        keep(root, design, run_id, records.to_json(_REMEMBERED, _Remembered(run_id=run_id, noise=entries)))
        return
    with _in_place(path := _path(root, design, run_id)):
        path.unlink(missing_ok=True)


def keep(root: Path, design: str, run_id: str, content: bytes) -> None:
    """Store `content`, which `checked` has passed, as the noise of run `run_id`. Errors are those of `remember`."""
    path = _path(root, design, run_id)
    with _in_place(path), room_for(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        durable.write_bytes(path, content)


def has(root: Path, design: str, run_id: str) -> bool:
    """Whether there is a file of that run, damaged or not."""
    return _path(root, design, run_id).is_file()


def recall(
    root: Path, design: str, *, before: str, told: Callable[[str], None] = lambda _: None
) -> list[dict[MetricKey, Spread]]:
    """The noise of the newest runs of `design` that are older than run `before`, oldest first.

    Only older ones, so that a run judged again is judged as it was. Noise only spares pairs: a file that is damaged
    is left out, and `told` a sentence about it.
    """
    try:
        older = heapq.nlargest(NEWEST, (each for each in _runs(_folder(root, design)) if each < before))
    except OSError as error:
        told(f"{_folder(root, design)} cannot be read: {error.strerror}.")
        return []
    found = []
    for run_id in reversed(older):
        try:
            found.append(recall_run(root, design, run_id))
        except RunError as error:
            told(error.message)
    return [noise for noise in found if noise]


def recall_run(root: Path, design: str, run_id: str) -> dict[MetricKey, Spread]:
    """The noise of run `run_id`, empty when none was remembered. Raises RunError when its file is damaged."""
    path = _path(root, design, run_id)
    try:
        content = files.content(path, most=MOST_BYTES, inside=path.parent)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error
    return checked(content, run_id=run_id, where=str(path))


def checked(content: bytes, *, run_id: str, where: str) -> dict[MetricKey, Spread]:
    """The noise of run `run_id` that `content`, found at `where`, holds.

    Raises:
        RunError: when it is not what `remember` writes, is another run's, or holds figures that cannot be.
    """
    remembered = records.validated(_REMEMBERED, content, where=where)
    if remembered.run_id != run_id:
        raise RunError(f"{where} is damaged: it holds the noise of run {remembered.run_id[:60]!r}.")
    if len(remembered.noise) > _MOST_ENTRIES:
        raise RunError(f"{where} is damaged: no run has {len(remembered.noise)} metrics.")
    for entry in remembered.noise:
        if not _can_be(entry):
            raise RunError(f"{where} is damaged: {entry.metric[:60]!r} has an impossible variance.")
    return {
        (entry.metric, entry.endpoint): Spread(variance=entry.variance, degrees=entry.degrees)
        for entry in remembered.noise
    }


def files_of(root: Path, run_id: str) -> Iterator[tuple[str, bytes]]:
    """Design and file of everything that was remembered of run `run_id`; what is damaged is left out.

    It is more than one where a run was judged again by a Pacecar whose metrics mean something else.
    """
    for design in _designs(root):
        path = _path(root, design, run_id)
        try:
            content = files.content(path, most=MOST_BYTES, inside=path.parent)
            checked(content, run_id=run_id, where=str(path))
        except (OSError, RunError):
            continue
        yield design, content


def trim(root: Path) -> None:
    """Leave of the history what later runs can use, as little as a cache should hold: everything else is removed.

    These are the newest runs of each design, of the designs that were measured last, of a capped size in sum.

    Raises:
        OSError: when something cannot be removed.
    """
    kept: dict[str, list[str]] = {}
    room = _MOST_TRIMMED_BYTES
    runs = ((run, design) for design in _designs(root) for run in _runs(_folder(root, design)) if _RUN.fullmatch(run))
    for run_id, design in heapq.nlargest(NEWEST * _MOST_DESIGNS, runs):
        size = _size(root, design, run_id)
        others = design not in kept and len(kept) == _MOST_DESIGNS
        if 0 < size <= room and not others and len(kept.get(design, ())) < NEWEST:
            room -= size
            kept.setdefault(design, []).append(f"{run_id}.json")
    _remove_all_but(root / FOLDER, set(kept))
    for design, names in kept.items():
        _remove_all_but(_folder(root, design), set(names))


def _size(root: Path, design: str, run_id: str) -> int:
    """Bytes of a file that can be used, else 0."""
    try:
        return _path(root, design, run_id).stat().st_size if recall_run(root, design, run_id) else 0
    except (OSError, RunError):
        return 0


def _remove_all_but(folder: Path, names: set[str]) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        folder.unlink()
    for path in [*folder.iterdir()] if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink() and path.name not in names:
            shutil.rmtree(path)
        elif path.name not in names:
            path.unlink()


@contextlib.contextmanager
def _in_place(path: Path) -> Iterator[None]:
    try:
        yield
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise RunError(f"{path} cannot be written: {error.strerror}.") from error


def _can_be(entry: _Entry) -> bool:
    possible = entry.variance == 0 or _LEAST_VARIANCE <= entry.variance <= _MOST_VARIANCE
    return possible and 0 < entry.degrees <= _MOST_DEGREES


def _designs(root: Path) -> list[str]:
    try:
        with os.scandir(root / FOLDER) as entries:
            return [
                each.name for each in entries if _DESIGN.fullmatch(each.name) and each.is_dir(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _runs(folder: Path) -> Iterator[str]:
    """Ids of the runs remembered in `folder`, in no order; none where there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                run_id, dot, kind = entry.name.rpartition(".")
                if dot and kind == "json" and records.is_plain_name(run_id):
                    yield run_id
    except (FileNotFoundError, NotADirectoryError):
        return


def _path(root: Path, design: str, run_id: str) -> Path:
    return _folder(root, design) / f"{run_id}.json"


def _folder(root: Path, design: str) -> Path:
    return root / FOLDER / design
