"""One Gatling process: started, owned, watched, and its end turned into files or into one sentence."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pacecar.measurement.load.destination import require_ours
from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.gatling import blocks, jvm, signals
from pacecar.measurement.load.gatling.clock import read_clock, read_lead
from pacecar.measurement.load.gatling.plan import (
    ARRIVALS_FILE,
    BEGIN_FILE,
    BURST_END_FILE,
    CLOCK_FILE,
    DONE_FILE,
    GO_FILE,
    PROGRESS_FILE,
    READY_FILE,
)
from pacecar.measurement.load.gatling.progress import read_progress
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.load.injector import WHOLE, BlockProgress, Clock, LoadShare
from pacecar.measurement.probes.process import ProcessGone, cpu_ns
from pacecar.model.experiment import Side
from pacecar.model.scenario import HEAP_BYTES, Scenario
from pacecar.system import environment, paths
from pacecar.system.resources import Child, Resources

__all__ = ["Clock", "GatlingRun", "Generator", "LoadError"]

_ASSERTION_FAILED = 2
#: Exit statuses of a JVM that was asked to end: 128 and the number of the signal.
_ASKED_TO_END = {128 + each for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
_LONGEST_REASON = 300
#: What a run before this one may have left in the same folder.
_SIGNALS = (READY_FILE, BEGIN_FILE, CLOCK_FILE, PROGRESS_FILE, BURST_END_FILE, GO_FILE, DONE_FILE)
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
        sharing: options of its JVM about an archive of its classes.
    """

    resources: Resources
    classpath: Sequence[Path]
    java: Path | str = "java"
    cpus: Iterable[int] = ()
    inherit: Sequence[str] = ()
    heap_bytes: int = HEAP_BYTES
    sharing: Sequence[str] = ()


class GatlingRun:
    """A Gatling that was started. Leaving it as a context manager ends it.

    Attributes:
        folder: everything it writes lies below.
        log: its stdout and stderr.
        gc_log: its JVM's log of pauses.
        arrivals_path: planned and actual sending times; the kit writes it at the end.
        share: what it sends of the load.
        boots_s: see `Injector`: its machine is ours.
    """

    boots_s = 0.0

    def __init__(
        self, child: Child, *, generator: Generator, simulation: str, folder: Path, share: LoadShare = WHOLE
    ) -> None:
        self._child = child
        self._resources = generator.resources
        self._simulation = simulation
        self._status: int | None = None
        self._used_ns = 0
        self.share = share
        self.folder = folder
        self.log = child.log
        self.gc_log = folder / jvm.GC_LOG
        self.arrivals_path = folder / ARRIVALS_FILE

    @classmethod
    def start_sliced(
        cls, plan_file: Path, *, simulation: str, generator: Generator, share: LoadShare = WHOLE
    ) -> GatlingRun:
        """Start a simulation (its class) on the kit, which carries out `plan_file` and writes beside it.

        The plan holds the same `share`.

        Raises:
            UsageError: when there is no such `java`.
        """
        properties = {"pacecar.plan": str(plan_file.absolute())}
        folder = plan_file.absolute().parent
        return cls._start(simulation, properties, generator=generator, folder=folder, share=share)

    @classmethod
    def start_plain(
        cls,
        folder: Path,
        *,
        scenario: Scenario,
        url: str,
        seconds: float,
        generator: Generator,
        made: Collection[str] = (),
    ) -> GatlingRun:
        """Start a simulation without the kit, told by its own system properties where to send how much.

        Args:
            folder: for its files; made when missing.
            scenario: its `properties` are passed with `{url}`, `{seconds}` and `{rate}` filled in.
            url: base URL of the side under load.
            seconds: how long it is to last; the simulation has to heed it.
            generator: what all Gatlings of a pair have in common.
            made: as in `SlicedLoad`.

        Raises:
            LoadError: when `url` is neither on this machine's loopback interface nor one of those.
            UsageError: when there is no such `java`.
        """
        values = {"url": require_ours(url, made), "seconds": _plain(seconds), "rate": _plain(scenario.rate_per_s)}
        properties = {key: _filled(text, values) for key, text in scenario.properties.items()}
        return cls._start(scenario.simulation, properties, generator=generator, folder=folder.absolute())

    @classmethod
    def _start(
        cls,
        simulation: str,
        properties: dict[str, str],
        *,
        generator: Generator,
        folder: Path,
        share: LoadShare = WHOLE,
    ) -> GatlingRun:
        folder.mkdir(parents=True, exist_ok=True)
        for signalled in _SIGNALS:
            (folder / signalled).unlink(missing_ok=True)
        jvm.write_preferences(folder)
        command = [
            str(generator.java),
            *generator.sharing,
            *jvm.options(
                folder,
                logback=paths.brought("scenarios/src/main/resources/logback.xml"),
                heap_bytes=generator.heap_bytes,
                temporary=generator.resources.folder("generator"),
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
        return cls(child, generator=generator, simulation=simulation, folder=folder, share=share)

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

    def cpu_ns(self) -> int:
        """See `Injector`."""
        self.poll()
        return self._used_ns

    def lead_ns(self) -> int | None:
        """See `Injector`."""
        return read_lead(self.folder / READY_FILE)

    def begin(self, at_ns: int) -> None:
        """See `Injector`."""
        signals.begin(self.folder, at_ns)

    def clock(self) -> Clock | None:
        """The clock as announced by now. Raises LoadError when the file is not what the kit writes."""
        return read_clock(self.folder / CLOCK_FILE)

    def sent(self) -> dict[Side, int]:
        """Requests that the kit has sent to each side in the warm-up so far."""
        return read_progress(self.folder / PROGRESS_FILE)

    def end_burst(self, at_ns: int) -> None:
        """See `Injector`. The first time that is said counts."""
        signals.end_burst(self.folder, at_ns)

    def open_blocks(self, count: int) -> None:
        """See `Injector`."""
        signals.open_blocks(self.folder, count)

    def end_blocks(self) -> None:
        """See `Injector`."""
        signals.end_blocks(self.folder)

    def blocks(self) -> BlockProgress:
        """See `Injector`."""
        return blocks.read_blocks(self.folder)

    def poll(self) -> int | None:
        """Exit status, or None while it runs."""
        if self._status is None:
            # Once its exit status is collected, the kernel no longer knows what it has used.
            with contextlib.suppress(ProcessGone):
                self._used_ns = cpu_ns(self.pid)
            self._status = self._child.poll()
        return self._status

    @property
    def failed(self) -> bool:
        """See `Injector`."""
        return self.poll() not in (None, 0, _ASSERTION_FAILED)

    def finish(self, timeout_s: float) -> None:
        """Wait for its own end. Failed assertions of the simulation are no failure of the measurement.

        Raises:
            LoadError: when Gatling fails, or has not ended after `timeout_s`; then it is ended.
            InjectorLost: when it was killed.
        """
        self._status = status = self._child.wait(timeout_s)
        if status is None:
            self.close()
            raise LoadError(
                f"{self._simulation} was stopped {timeout_s:.0f} s after it should have ended.",
                hint="Check that the service still answers; a simulation without the kit must end after the seconds "
                "it is given.",
            )
        if status not in (0, _ASSERTION_FAILED):
            raise self._failure(status)
        self.close()

    def close(self) -> None:
        """End it, if it has not ended by itself."""
        self._resources.release(self._child)

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
        """See `Injector`."""
        try:
            log = self.log_path
        except LoadError:
            log = None
        return GatlingRecord(log=log, gc_log=self.gc_log, arrivals_file=self.arrivals_path, injector=self.share.index)

    def _failure(self, status: int) -> LoadError:
        if status < 0 or status in _ASKED_TO_END:
            return InjectorLost(
                f"{self.share.name} was killed by {_signal(-status if status < 0 else status - 128)}.",
                injector=self.share.index,
                hint="Where the machine ran out of memory, use smaller heaps or fewer injectors.",
            )
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


def _signal(number: int) -> str:
    """What a signal is called; the system has more of them than names."""
    return next((known.name for known in signal.Signals if known.value == number), f"signal {number}")


def _plain(number: float) -> str:
    # Simulations commonly read these as integers: 30, not 30.0 or 3e+01.
    return str(int(number)) if number == int(number) else repr(number)


def _filled(text: str, values: dict[str, str]) -> str:
    # Not str.format: a property may hold braces of its own.
    return re.sub(r"\{(url|seconds|rate)\}", lambda match: values[match.group(1)], text)
