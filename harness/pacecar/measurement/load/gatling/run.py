"""One Gatling process: started, owned, watched, and its end turned into files or into one sentence."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling import blocks, jvm
from pacecar.measurement.load.gatling.clock import read_clock
from pacecar.measurement.load.gatling.plan import (
    ARRIVALS_FILE,
    BURST_END_FILE,
    CLOCK_FILE,
    DONE_FILE,
    GO_FILE,
    PROGRESS_FILE,
)
from pacecar.measurement.load.gatling.progress import read_progress
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.load.load_run import Blocks, Clock
from pacecar.measurement.load.loopback import require_loopback
from pacecar.model.experiment import Side
from pacecar.model.scenario import HEAP_BYTES, Scenario
from pacecar.system import environment, paths
from pacecar.system.resources import Child, Resources

__all__ = ["Clock", "GatlingRun", "Generator", "LoadError"]

_POLL_S = 0.02
_ASSERTION_FAILED = 2
_LONGEST_REASON = 300
_THROWN = re.compile(r'^(?:Exception in thread "main"|Caused by:) (?:[\w$]+\.)*([\w$]+(?:: .*)?)$', re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Generator:
    """What every Gatling process of a pair has in common.

    Attributes:
        resources: ends it with us.
        classpath: Gatling with the simulation.
        java: program that runs it.
        cpus: cores it may use; empty means any.
        inherit: variables that simulations get beside the usual.
        heap_bytes: size of its heap.
    """

    resources: Resources
    classpath: Sequence[Path]
    java: Path | str = "java"
    cpus: Iterable[int] = ()
    inherit: Sequence[str] = ()
    heap_bytes: int = HEAP_BYTES


class GatlingRun:
    """A Gatling that was started. Leaving it as a context manager ends it.

    Attributes:
        folder: everything it writes lies below.
        log: its stdout and stderr.
        gc_log: its JVM's log of pauses.
        arrivals_path: planned and actual sending times; the kit writes it at the end.
    """

    def __init__(self, child: Child, *, generator: Generator, simulation: str, folder: Path) -> None:
        self._child = child
        self._custody = generator.resources
        self._simulation = simulation
        self.folder = folder
        self.log = child.log
        self.gc_log = folder / jvm.GC_LOG
        self.arrivals_path = folder / ARRIVALS_FILE

    @classmethod
    def start_sliced(cls, plan_file: Path, *, scenario: Scenario, generator: Generator) -> GatlingRun:
        """Start a simulation on the kit, which carries out `plan_file` and writes beside it.

        Raises:
            UsageError: when there is no such `java`.
        """
        properties = {"pacecar.plan": str(plan_file.absolute())}
        return cls._start(scenario.simulation, properties, generator=generator, folder=plan_file.absolute().parent)

    @classmethod
    def start_plain(
        cls, folder: Path, *, scenario: Scenario, url: str, seconds: float, generator: Generator
    ) -> GatlingRun:
        """Start a simulation without the kit, told by its own system properties where to send how much.

        Args:
            folder: for its files; made when missing.
            scenario: its `properties` are passed with `{url}`, `{seconds}` and `{rate}` filled in.
            url: base URL of the side under load.
            seconds: how long it is to last; the simulation has to heed it.
            generator: what all Gatlings of a pair have in common.

        Raises:
            LoadError: when `url` is not on this machine's loopback interface.
            UsageError: when there is no such `java`.
        """
        values = {"url": require_loopback(url), "seconds": _plain(seconds), "rate": _plain(scenario.rate_per_s)}
        properties = {key: _filled(text, values) for key, text in scenario.properties.items()}
        return cls._start(scenario.simulation, properties, generator=generator, folder=folder.absolute())

    @classmethod
    def _start(cls, simulation: str, properties: dict[str, str], *, generator: Generator, folder: Path) -> GatlingRun:
        folder.mkdir(parents=True, exist_ok=True)
        for announced in (CLOCK_FILE, PROGRESS_FILE, BURST_END_FILE, GO_FILE, DONE_FILE):
            (folder / announced).unlink(missing_ok=True)
        jvm.write_preferences(folder)
        command = [
            str(generator.java),
            *jvm.options(
                folder,
                logback=paths.brought("scenarios/src/main/resources/logback.xml"),
                heap_bytes=generator.heap_bytes,
            ),
            f"@{_argument_file(properties, resources=generator.resources)}",
            *("-cp", os.pathsep.join(str(entry) for entry in generator.classpath)),
            *("io.gatling.app.Gatling", "-s", simulation, "-rf", str(folder / jvm.RESULTS), "-nr"),
        ]
        child = generator.resources.spawn(
            command,
            name="Gatling",
            log=folder / "generator.log",
            cwd=folder,
            env=environment.inherited(generator.inherit),
            cpus=generator.cpus,
        )
        return cls(child, generator=generator, simulation=simulation, folder=folder)

    def __enter__(self) -> GatlingRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Process id of its JVM."""
        return self._child.pid

    def await_clock(self, timeout_s: float) -> Clock:
        """Wait until the kit has announced when its load begins.

        Raises:
            LoadError: when Gatling ends before that, or `timeout_s` passes.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            ended = self._child.poll()
            if clock := self.clock():
                return clock
            if ended is not None:
                raise self._failure(ended)
            if time.monotonic() > deadline:
                raise LoadError(
                    f"{self._simulation} did not start its load within {timeout_s:.0f} s of Gatling's start.",
                    hint=f"Does it call SlicedLoad.fromPlan().run(...)? Gatling's output: {self.log}",
                )
            time.sleep(_POLL_S)

    def clock(self) -> Clock | None:
        """The clock as announced by now. Raises LoadError when the file is not what the kit writes."""
        return read_clock(self.folder / CLOCK_FILE)

    def sent(self) -> dict[Side, int]:
        """Requests that the kit has sent to each side in the warm-up so far."""
        return read_progress(self.folder / PROGRESS_FILE)

    def end_burst(self) -> None:
        """Ask the kit to end the burst, when its plan says that it may end early. Twice is once."""
        (self.folder / BURST_END_FILE).touch()

    def open_blocks(self, count: int) -> None:
        """See `LoadRun`."""
        blocks.open_blocks(self.folder, count)

    def end_blocks(self) -> None:
        """See `LoadRun`."""
        blocks.end_blocks(self.folder)

    def blocks(self) -> Blocks:
        """See `LoadRun`."""
        return blocks.read_blocks(self.folder)

    def poll(self) -> int | None:
        """Exit status, or None while it runs."""
        return self._child.poll()

    def finish(self, timeout_s: float) -> None:
        """Wait for its own end. Failed assertions of the simulation are no failure of the measurement.

        Raises:
            LoadError: when Gatling fails, or has not ended after `timeout_s`; then it is ended.
        """
        status = self._child.wait(timeout_s)
        if status is None:
            self.close()
            raise LoadError(
                f"{self._simulation} was still running {timeout_s:.0f} s after it should have ended, and was ended.",
                hint="Check that the service still answers; a simulation without the kit must end after the seconds "
                "it is given.",
            )
        if status not in (0, _ASSERTION_FAILED):
            raise self._failure(status)
        self.close()

    def close(self) -> None:
        """End it, if it has not ended by itself."""
        self._custody.release(self._child)

    @property
    def log_path(self) -> Path:
        """Its simulation.log.

        Raises:
            LoadError: when there is none.
        """
        logs = sorted((self.folder / jvm.RESULTS).glob("*/simulation.log"))
        if not logs:
            raise LoadError(
                f"{self._simulation} left no simulation.log.", hint=f"Gatling's output may say why: {self.log}"
            )
        return logs[-1]

    def record(self) -> GatlingRecord:
        """See `LoadRun`."""
        try:
            log = self.log_path
        except LoadError:
            log = None
        return GatlingRecord(log=log, gc_log=self.gc_log, arrivals_file=self.arrivals_path)

    def _failure(self, status: int) -> LoadError:
        output = self._child.tail(400)
        reasons = [text for text in _THROWN.findall(output) if not text.startswith("InvocationTargetException")]
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "no output")
        reason = (reasons[0] if reasons else last)[:_LONGEST_REASON].rstrip(". ")
        if reason.startswith("ClassNotFoundException") and self._simulation in reason:
            return LoadError(
                f"Gatling found no class {self._simulation}, the simulation it was to run (exit status {status}).",
                hint="Correct `simulation` in [scenario]: the full class name, in the scenario's module or jar.",
            )
        if reason.startswith("OutOfMemoryError"):
            return LoadError(
                f"Gatling ran out of memory while it ran {self._simulation}: {reason} (exit status {status}).",
                hint='Give it a larger heap, such as scenario.heap = "1 GiB", or shorter feeders.',
            )
        return LoadError(
            f"Gatling failed with exit status {status} while it ran {self._simulation}: {reason}.",
            hint=f"Gatling's output: {self.log}",
        )


def _argument_file(properties: dict[str, str], *, resources: Resources) -> Path:
    """A file that only we can read, from which the JVM takes system properties.

    Every user of a machine can see the arguments of every process, and a property may be a password.
    """
    file = resources.folder("properties") / "java.args"
    file.touch(mode=0o600)
    file.write_text("".join(f"{_quoted(f'-D{key}={value}')}\n" for key, value in properties.items()), "utf-8")
    return file


def _quoted(argument: str) -> str:
    # As the `java` command reads argument files: a string in quotes, and the usual escapes.
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
    return '"' + "".join(escapes.get(letter, letter) for letter in argument) + '"'


def _plain(number: float) -> str:
    # Simulations commonly read these as integers: 30, not 30.0 or 3e+01.
    return str(int(number)) if number == int(number) else repr(number)


def _filled(text: str, values: dict[str, str]) -> str:
    # Not str.format: a property may hold braces of its own.
    return re.sub(r"\{(url|seconds|rate)\}", lambda match: values[match.group(1)], text)
