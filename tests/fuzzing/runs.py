"""A run of one reader: libFuzzer in a child process, what it found, and a corpus that stays small."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from fuzzing.registry import Reader

#: What is kept of the corpus of one reader.
KEPT_FILES, KEPT_BYTES = 200, 200_000
#: A run ends after so many crashes: the same one comes again and again.
_CRASHES = 3
#: The end of the output, from which the figures are read and of which a crash is shown.
_TAIL = 6000
#: libFuzzer looks at the clock between inputs, and a merge reads the corpus more than once.
_SPARE_S = 120
#: What Python and libFuzzer say when the memory is used up.
_NO_MEMORY = ("MemoryError", "out-of-memory")
#: How the names of seeds begin that crashed.
CRASH = "crash-"


@dataclass(kw_only=True)
class Found:
    """What a run came to.

    Attributes:
        executions: inputs that were read.
        seconds: how long it took.
        coverage: branches seen by the last child, as libFuzzer counts them.
        peak_mb: the most memory that a child held.
        crashes: seeds that were kept of what crashed, each with the end of the output.
        outgrown: children that reached the limit of memory by all they had read, and by no one input.
    """

    executions: int = 0
    seconds: float = 0.0
    coverage: int = 0
    peak_mb: int = 0
    crashes: dict[str, str] = field(default_factory=dict)
    outgrown: int = 0


def fuzz(reader: Reader, *, seconds: float) -> Found:
    """Fuzz for that long, in as many children as crashes make necessary; the corpus is merged into the seeds."""
    found, output = Found(), ""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="pacecar-fuzzing-") as scratch:
        corpus = Path(scratch) / "corpus"
        corpus.mkdir()
        for _, data in reader.seeds():
            (corpus / _digest(data)).write_bytes(data)
        while (left := end - time.monotonic()) > 1 and len(found.crashes) < _CRASHES:
            begin = time.monotonic()
            output = _child(reader, Path(scratch), [f"-max_total_time={round(left)}", str(corpus)], seconds=left)
            found.seconds += time.monotonic() - begin
            _count(output, found)
            if not (crashed := _crashed(Path(scratch))):
                if "Done " not in output:
                    found.crashes["(the process ended)"] = output
                break
            for data in crashed:
                (corpus / _digest(data)).unlink(missing_ok=True)  # so that the next child gets further
                if any(word in output for word in _NO_MEMORY) and _is_read(reader, Path(scratch), data):
                    found.outgrown += 1
                else:
                    found.crashes[_kept(reader, data)] = output
        if not found.executions and not found.crashes:
            found.crashes["(nothing was read)"] = output
        _keep_corpus(reader, Path(scratch), corpus)
    return found


def _child(reader: Reader, scratch: Path, arguments: list[str], *, seconds: float) -> str:
    """Run libFuzzer on the reader and return the end of what it said."""
    limits = reader.limits
    log = scratch / "log"
    program = scratch / "program"
    again = [sys.executable, "-m", "fuzzing.guided", reader.name, str(program)]
    program.write_text(f'#!/bin/sh\nexec {shlex.join(again)} "$@"\n')
    program.chmod(0o755)
    command = [
        str(program),
        f"-max_len={limits.input_bytes}",
        f"-timeout={limits.seconds}",
        # RLIMIT_AS, set by the child, is the limit; this one also counts what Python holds already.
        f"-rss_limit_mb={2 * limits.memory_mb + 1024}",
        f"-artifact_prefix={scratch}/",
        "-print_final_stats=1",
        *arguments,
    ]
    environment = {
        **os.environ,
        "OPENBLAS_NUM_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OMP_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    with log.open("wb") as said:
        child = subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )
        try:
            child.wait(seconds + _SPARE_S)
        except subprocess.TimeoutExpired:
            said.write(b"\nthe fuzzer itself did not end\n")
        finally:
            # A merge has children of its own.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    return log.read_bytes()[-_TAIL:].decode("utf-8", "replace")


def _count(output: str, found: Found) -> None:
    executions = re.findall(r"stat::number_of_executed_units:\s+(\d+)", output) or re.findall(r"^#(\d+)", output, re.M)
    found.executions += int(executions[-1]) if executions else 0
    coverage = re.findall(r"\bcov: (\d+)", output)
    found.coverage = int(coverage[-1]) if coverage else found.coverage
    peak = re.findall(r"stat::peak_rss_mb:\s+(\d+)", output)
    found.peak_mb = max(found.peak_mb, *map(int, peak)) if peak else found.peak_mb


def _crashed(scratch: Path) -> list[bytes]:
    """Take out what libFuzzer left of inputs that crashed."""
    found = []
    for pattern in ("crash-*", "timeout-*", "oom-*"):
        for path in scratch.glob(pattern):
            found.append(path.read_bytes())
            path.unlink()
    return found


def _is_read(reader: Reader, scratch: Path, data: bytes) -> bool:
    """Whether a child of its own reads this input.

    A million inputs in one process fill it by what a library does not give back each time, some hundred bytes; the
    input that meets the limit then is any. No command of ours reads a thousandth as many.
    """
    alone = scratch / "alone"
    alone.write_bytes(data)
    output = _child(reader, scratch, [str(alone)], seconds=reader.limits.seconds)
    return "Executed " in output and not _crashed(scratch)


def _kept(reader: Reader, data: bytes) -> str:
    """Make a seed of what crashed, and say how it is called."""
    seed = f"{CRASH}{_digest(data)}"
    reader.folder.mkdir(parents=True, exist_ok=True)
    (reader.folder / seed).write_bytes(data)
    return seed


def _keep_corpus(reader: Reader, scratch: Path, corpus: Path) -> None:
    """The smallest inputs that cover what the corpus covers become the seeds, beside those that crashed."""
    merged = scratch / "merged"
    merged.mkdir()
    _child(reader, scratch, ["-set_cover_merge=1", str(merged), str(corpus)], seconds=_SPARE_S)
    kept = sorted(merged.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    if not kept:
        return
    reader.folder.mkdir(parents=True, exist_ok=True)
    for path in reader.folder.iterdir():
        if not path.name.startswith(CRASH):
            path.unlink()
    left_files, left_bytes = KEPT_FILES, KEPT_BYTES
    for path in kept:
        data = path.read_bytes()
        left_files, left_bytes = left_files - 1, left_bytes - len(data)
        if left_files < 0 or left_bytes < 0:
            break
        (reader.folder / _digest(data)).write_bytes(data)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
