"""What earlier runs showed of their own noise, so that later ones need fewer pairs.

    .pacecar/history/9f3a5c.../20250301-101500-9f3a.json    one run's noise, under the digest of its design

Noise is only worth remembering for runs that are made alike: the same service, load and plan on the same kind of
machine, by metrics that meant the same. All of that goes into the digest of the design, so that runs made otherwise
never meet.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pacecar.archive import RunError, records
from pacecar.model.catalogue import MEANING
from pacecar.model.comparison import MetricKey, Noise, Spread
from pacecar.model.experiment import Experiment
from pacecar.model.recording import Fingerprint
from pacecar.system.disk import durable, room_for
from pacecar.text import hidden

#: Runs further back are not asked: the machine has changed since.
_NEWEST = 20
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
        "hooks": [target.setup, target.reset],
        # With a fixed port only one side can be up at a time: the windows of a pair are then further apart.
        "alone": target.port is not None,
        "scenario": asdict(scenario) | {"module": str(scenario.module and scenario.module.name), "jar": ""},
        "plan": asdict(plan) | {"pairs": 0, "seed": 0, "stop_early": True, "time_s": 0},
        "profiler": asdict(experiment.profiler),
        # A name alone does not say what was measured: neither of our own metrics nor of the user's.
        "metrics": [MEANING, *(asdict(query) for query in experiment.queries)],
        "machine": [machine.cpu_model, machine.cores, machine.jvm],
    }
    return hashlib.sha256(
        json.dumps(_as_kept(described, experiment.config_path.parent), sort_keys=True).encode()
    ).hexdigest()[:16]


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
    """
    path = _folder(root, design) / f"{run_id}.json"
    if not noise:
        path.unlink(missing_ok=True)
        return
    entries = tuple(
        _Entry(metric=metric, endpoint=endpoint, variance=spread.variance, degrees=spread.degrees)
        for (metric, endpoint), spread in sorted(noise.items())
    )
    with room_for(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(path, records.to_json(_REMEMBERED, _Remembered(run_id=run_id, noise=entries)))


def recall(
    root: Path, design: str, *, before: str, told: Callable[[str], None] = lambda _: None
) -> list[dict[MetricKey, Spread]]:
    """The noise of the newest runs of `design` that are older than run `before`, oldest first.

    Only older ones, so that a run judged again is judged as it was. Noise only spares pairs: a file that is damaged
    is left out, and `told` a sentence about it.
    """
    older = sorted(path.stem for path in _folder(root, design).glob("*.json") if path.stem < before)[-_NEWEST:]
    found = []
    for run_id in older:
        try:
            found.append(recall_run(root, design, run_id))
        except RunError as error:
            told(error.message)
    return found


def recall_run(root: Path, design: str, run_id: str) -> dict[MetricKey, Spread]:
    """The noise of run `run_id`, empty when none was remembered. Raises RunError when its file is damaged."""
    path = _folder(root, design) / f"{run_id}.json"
    if not path.is_file():
        return {}
    remembered = records.read(_REMEMBERED, path)
    for entry in remembered.noise:
        if not (0 <= entry.variance < math.inf and 0 < entry.degrees < math.inf):
            raise RunError(f"{path} is damaged: {entry.metric[:60]!r} has no variance that can be.")
    return {
        (entry.metric, entry.endpoint): Spread(variance=entry.variance, degrees=entry.degrees)
        for entry in remembered.noise
    }


def _folder(root: Path, design: str) -> Path:
    return root / "history" / design
