"""A run that is stored and judged while a call to the system fails, once for each call.

    python -m unit.workflow.faults FOLDER      prints a line of JSON, an `Outcome`, for each case

Every case is a fork of one process that has loaded everything, made the pairs and started no thread.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa

from pacecar import workflow
from pacecar.archive.runs import RunDirectory, find_run, runs_folder
from pacecar.cli.exits import FailOn
from pacecar.cli.verdict import show
from pacecar.ending import guarded
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.reporting.document.files import DOCUMENT_NAME, load_document
from support import recordings
from support.checkout import CHECKOUT
from unit.workflow.failing import Failing

_WATCHDOG_S = 60
_PAIRS = 2
#: Each call is tried on each file once; of the same on a file of that name elsewhere, one in so many.
_STEP = 11
_EIO_STEP = 5
_LASTING_STEP = 13
#: The next command is tried after one case in so many, and after each that is not plainly a lack of room.
_AGAIN_STEP = 6
_RAW = {"service.log": b"up\n", "chunks/1.jfr": b"FLR\0" * 5_000}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Which call fails.

    Attributes:
        story: `store` (a run is made and gets its pairs) or `judge` (a complete run gets its document).
        call: the number of the call, from 1; 0 for none.
        error: name of the error.
        lasting: all later calls that need room fail, too.
    """

    story: str
    call: int = 0
    error: str = "ENOSPC"
    lasting: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a case ended.

    Attributes:
        case: which.
        code: exit code; negative for a signal, so that -14 is a command that hung.
        said: what was printed on stderr.
        failed: call and file that failed, such as `fsync manifest.json`.
        returned: pairs whose writing returned without an error.
        pairs: numbers of the pairs afterwards.
        damaged: files of these pairs that are not, byte by byte, what they are without a fault.
        files: everything else in the archive afterwards, by its path.
        again: exit code of the next command, which finishes the run or judges it; None where that was not tried.
        again_said: what that printed on stderr.
        pairs_again: numbers of the pairs after that, each read to its end.
    """

    case: Case
    code: int
    said: str
    failed: str = ""
    returned: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    again: int | None = None
    again_said: str = ""
    pairs_again: list[int] = field(default_factory=list)


class Stage:
    """What every case starts from: pairs in memory, and a complete run on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = _manifest()
        self.pairs = [_slower(recordings.small_pair(number)) for number in range(1, _PAIRS + 1)]
        self.raw = {side: folder / "raw" / side.value for side in Side}
        for side in Side:
            for name, content in _RAW.items():
                (self.raw[side] / name).parent.mkdir(parents=True, exist_ok=True)
                (self.raw[side] / name).write_bytes(content)

    def store(self, root: Path, returned: list[int]) -> int:
        """What `measure` does with its pairs."""
        with RunDirectory.owned_from_birth(root, self.manifest) as run:
            self.store_pairs(run, returned)
        return 0

    def store_pairs(self, run: RunDirectory, returned: list[int]) -> None:
        """The pairs that `run` lacks."""
        try:
            for pair in self.pairs:
                if pair.record.number not in run.pair_numbers():
                    run.write_pair(pair, self.raw)
                    returned.append(pair.record.number)
        except BaseException:
            run.set_state(RunState.INTERRUPTED)
            raise
        run.set_state(RunState.COMPLETE)

    def judge(self, root: Path) -> int:
        """What `compare` does with a run that is complete."""
        return self.judge_run(find_run(root, self.manifest.run_id))

    def judge_run(self, run: RunDirectory) -> int:
        """What `compare` does with `run`."""
        document = workflow.evaluate(run, just_measured=True)
        workflow.publish(document, run)
        return show(document, folder=run.path, json=False, fail_on=FailOn.REGRESSION)

    def read(self, root: Path) -> list[int]:
        """Numbers of the pairs, each read to its end."""
        run = self.run(root)
        return [pair.record.number for pair in run.pairs() if len(pair.forks) == len(Side)] if run else []

    def go_on(self, root: Path, story: str) -> int:
        """The next command of a user who has made room."""
        if story == "judge":
            return self.judge(root)
        run = self.run(root)
        if run is None:
            return self.store(root, [])
        with run.owned():
            self.store_pairs(run, [])
        return 0

    def run(self, root: Path) -> RunDirectory | None:
        """The run, where there is one."""
        path = runs_folder(root) / self.manifest.run_id
        return RunDirectory.open(path) if (path / "manifest.json").exists() else None


class _InMemory(RunDirectory):
    """A run whose pairs are not read: Arrow would start threads."""

    def __init__(self, stage: Stage, root: Path) -> None:
        path = runs_folder(root) / stage.manifest.run_id
        super().__init__(path, RunDirectory.open(path).manifest)
        self._stage = stage

    def pairs(self) -> Iterator[Pair]:
        """Those in memory."""
        yield from self._stage.pairs


def _manifest() -> Manifest:
    config = CHECKOUT / "pacecar.toml"
    return replace(
        recordings.manifest(),
        state=RunState.OPEN,
        configuration=config.read_text(encoding="utf-8"),
        options=RunOptions(config=str(config)),
    )


def _slower(pair: Pair) -> Pair:
    """`pair` with a candidate that takes thrice as long for each request, so that the verdict is a regression."""
    fork = pair.forks[Side.CANDIDATE]
    latency_ms = pair.forks[Side.BASELINE].tables["requests"]["latency_ms"] * (3 + 0.01 * pair.record.number)
    slow = fork.tables["requests"].assign(latency_ms=latency_ms)
    return replace(pair, forks={**pair.forks, Side.CANDIDATE: replace(fork, tables={**fork.tables, "requests": slow})})


def _forked(folder: Path, told: str, command: Callable[[dict[str, Any]], int]) -> tuple[int, str, dict[str, Any]]:
    """Run `command` in a fork of us: its exit code, what it printed on stderr, and what it put into its dictionary."""
    errors, notes = folder / f"{told}.stderr", folder / f"{told}.json"
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            os.environ["PACECAR_STATE"] = str(folder / "state")
            _lead(1, folder / f"{told}.stdout")
            _lead(2, errors)
            noted: dict[str, Any] = {}
            code = guarded(lambda: command(noted))
            notes.write_text(json.dumps(noted))
        finally:
            os._exit(code)
    code = _waited(pid)
    return code, errors.read_text(), json.loads(notes.read_text()) if notes.exists() else {}


def _lead(descriptor: int, path: Path) -> None:
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(opened, descriptor)
    os.close(opened)


def _waited(pid: int) -> int:
    def kill(_number: int, _frame: FrameType | None) -> None:
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.alarm(_WATCHDOG_S)
    _, status = os.waitpid(pid, 0)
    signal.alarm(0)
    return os.waitstatus_to_exitcode(status)


def _outcome(stage: Stage, case: Case, ready: Path) -> tuple[Outcome, list[str]]:
    """How `case` ended, and the calls that were made."""
    folder = stage.folder / "case"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    root = folder / ".pacecar"
    if case.story == "judge":
        shutil.copytree(ready, root)

    def faulted(noted: dict[str, Any]) -> int:
        returned: list[int] = []
        number = getattr(errno, case.error)
        failing = Failing(below=root, call=case.call, error=number, lasting=case.lasting)
        try:
            with failing:
                return stage.store(root, returned) if case.story == "store" else stage.judge(root)
        finally:
            noted.update(failed=failing.failed, calls=failing.calls, returned=returned)

    code, said, noted = _forked(folder, "faulted", faulted)
    calls = noted.pop("calls", [])
    run = stage.run(root)
    outcome = Outcome(
        case=case,
        code=code,
        said=said,
        pairs=run.pair_numbers() if run else [],
        damaged=_damaged(stage, run, ready) if run else [],
        files=sorted(str(path.relative_to(root)) for path in root.rglob("*") if not _in_a_pair(path)),
        **noted,
    )
    if case.error == "ENOSPC" and not case.lasting and case.call % _AGAIN_STEP and ".owner" not in outcome.failed:
        return outcome, calls
    return _gone_on(outcome, stage, root), calls


def _gone_on(outcome: Outcome, stage: Stage, root: Path) -> Outcome:
    def next_command(noted: dict[str, Any]) -> int:
        code = stage.go_on(root, outcome.case.story)
        noted["pairs_again"] = stage.read(root)
        return code

    again, said, noted = _forked(root.parent, "again", next_command)
    return replace(outcome, again=again, again_said=said, **noted)


def _in_a_pair(path: Path) -> bool:
    return any(part.isdecimal() for part in path.parts[-5:])


def _damaged(stage: Stage, run: RunDirectory, ready: Path) -> list[str]:
    whole = stage.run(ready)
    if whole is None:
        raise SystemExit("the run without a fault has come to nothing")
    wrong = []
    for number in run.pair_numbers():
        place = f"pairs/{number:02d}"
        sides = [
            {
                path.relative_to(each.path): path.read_bytes()
                for path in (each.path / place).rglob("*")
                if path.is_file()
            }
            for each in (run, whole)
        ]
        wrong += [str(name) for name in sides[0].keys() | sides[1].keys() if sides[0].get(name) != sides[1].get(name)]
    if (run.path / DOCUMENT_NAME).exists():
        load_document(run.path)
    return wrong


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _cases(story: str, calls: list[str]) -> Iterator[Case]:
    seen: set[str] = set()
    for call, what in enumerate(calls, start=1):
        if what in seen and call % _STEP:
            continue
        seen.add(what)
        yield Case(story=story, call=call)
        if call % _EIO_STEP == 0:
            yield Case(story=story, call=call, error="EIO")
        if call % _LASTING_STEP == 0:
            yield Case(story=story, call=call, lasting=True)


def main(folder: Path) -> None:
    """Print the outcome of every case: first of each story without a fault, then of each call that fails."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    stage, ready = Stage(folder), folder / "ready"
    stage.store(ready, [])
    shutil.copytree(ready, folder / "warm")
    with contextlib.redirect_stdout(io.StringIO()):
        stage.judge_run(_InMemory(stage, folder / "warm"))  # what is loaded or made late is there from now on
    gc.freeze()
    for story in ("store", "judge"):
        whole, calls = _outcome(stage, Case(story=story), ready)
        print(json.dumps(asdict(whole)), flush=True)
        for case in _cases(story, calls):
            if (threads := len(list(Path("/proc/self/task").iterdir()))) != 1:
                raise SystemExit(f"{threads} threads: a fork of them may hang")
            print(json.dumps(asdict(_outcome(stage, case, ready)[0])), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
