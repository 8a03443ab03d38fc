"""How fast the machine is just now: a fixed piece of work, run beside every recording.

Two recordings of one build on different days differ by what the machine did in between. The time of the same work on
both days says how much of that was the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pacecar.errors import MeasurementError
from pacecar.system.resources import Resources

#: Seconds of warm-up and of measuring.
_WARM_S = 1.5
_MEASURED_S = 1.5
_TIMEOUT_S = 60.0


class YardstickFailed(MeasurementError):
    """The reference work did not run."""


def measure_yardstick(jar: Path, *, java: Path, cpus: Iterable[int], resources: Resources, log: Path) -> float:
    """Nanoseconds of one round of the reference work, on the cores of the target.

    Raises:
        YardstickFailed: when it fails.
    """
    log.unlink(missing_ok=True)
    child = resources.spawn(
        (
            str(java),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-cp",
            str(jar),
            "dev.pacecar.agent.Yardstick",
            f"{_WARM_S}",
            f"{_MEASURED_S}",
        ),
        name="yardstick",
        log=log,
        cpus=cpus,
    )
    status = resources.finish(child, _TIMEOUT_S)
    text = child.tail(1).strip()
    if status != 0 or not text.isdecimal() or int(text) == 0:
        raise YardstickFailed(f"The reference work beside the recording failed: {text[:200] or 'no output'}.")
    return float(text)
