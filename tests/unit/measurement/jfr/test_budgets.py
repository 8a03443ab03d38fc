"""Legal but enormous recordings, and small ones that would cost much: cut with a remark, in bounded memory."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pacecar.measurement.jfr import Folded, Unreadable
from pacecar.measurement.jfr.chunk import chunks
from pacecar.measurement.jfr.frames import frame_text, stable_class, stable_method
from support.jfr_files import START_TICKS, TYPES, Form, Frame, Sample, chunk, event, number

GOOD = chunk([Sample(), Sample(at_ns=5)])
pytestmark = pytest.mark.hostile

#: Pieces of which names are made that a careless expression goes over again and again.
PIECES = (
    "$$", "$$Lambda", "$$Lambda$1", "CGLIB", "$$aCGLIB", "lambda$", "lambda$$1", "$1", "$9$", "/0x", "0x", "$Proxy1",
    "GeneratedMethodAccessor1", "LambdaForm$MH1", "$ByteBuddy$a", "_$$_jvst", "_$$_jvsta", "jdk/proxy1", "a", "1", "\n",
    "\u0661", "\U0001d7d9", "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("end", ["", "!", "$", "\n", "$x"])
@pytest.mark.parametrize("piece", PIECES)
def test_names_of_a_megabyte(piece: str, end: str) -> None:
    name = "a$" + piece * (1_000_000 // len(piece)) + end
    assert len(frame_text(name, "lambda$" + name)) == 300
    assert len(frame_text("/lib/" + name, name)) <= 300


@pytest.mark.parametrize("end", ["", "!"])
@pytest.mark.parametrize("piece", PIECES)
def test_stable_names_take_time_by_their_length(piece: str, end: str) -> None:
    # Where time grew with the square of this, it would be hours.
    name = piece * (100_000 // len(piece)) + end
    assert len(stable_class(name)) <= len(name) + 20
    assert len(stable_method("lambda$" + name[:4000])) <= 4007


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=6))
@example("shop/A$$Lambda$1", "lambda$")
def test_names_are_stable_and_short(name: str, method: str) -> None:
    text = frame_text(name, method)
    assert 0 < len(text) <= 300
    assert "\n" not in text
    assert stable_method(stable_method(method)) == stable_method(method)


@pytest.mark.parametrize("encoding", [2, 3, 5])
def test_names_of_sixty_kilobytes_in_a_chunk(encoding: int, fold_bytes: Callable[..., Folded]) -> None:
    frame = Frame(owner="x" * 30_000 + "$$Lambda" * 8_000, method="lambda$" + "$1" * 30_000)
    folded = fold_bytes(chunk([Sample(frames=(frame,))], form=Form(string_encoding=encoding)) + GOOD)
    assert folded.counts.samples == 3
    assert folded.stacks["frames"].str.len().max() == 300


def test_a_string_longer_than_any_name(fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([Sample(frames=(Frame(owner="x" * 200_000),))]) + GOOD)
    assert folded.counts.samples == 3
    folded = fold_bytes(chunk([Sample(frames=(Frame(owner="x" * 200_000),))], form=Form(string_encoding=4)) + GOOD)
    assert folded.counts.samples == 2
    assert "200000 characters" in folded.counts.unreadable[0].reason


#: A budget made small -> a chunk beyond it, the good samples that remain, and what the remark says.
BUDGETS: dict[str, tuple[int, list[Sample], int, str]] = {
    "events._EVENTS": (50, [Sample(at_ns=at) for at in range(60)], 53, "more than 50 events"),
    "stacks._STACKS": (4, [Sample(frames=(Frame(method=f"m{at}"),)) for at in range(60)], 2, "4 distinct stacks"),
    "stacks._NAMES": (9, [Sample(frames=(Frame(method=f"m{at}"),)) for at in range(60)], 2, "9 distinct frames"),
    "stacks._CHARACTERS": (99, [Sample(frames=(Frame(),) * at) for at in range(60)], 2, "99 characters"),
    "traces._SEARCHED": (700, [Sample(frames=(Frame(),) * at) for at in range(60)], 2, "more than 700 bytes"),
    "pools._ENTRIES": (30, [Sample(thread=f"t{at}") for at in range(60)], 2, "more than 30 entries"),
    "pools._NUMBERS": (99, [Sample(frames=(Frame(method=f"m{at}"),)) for at in range(60)], 2, "more than 99 numbers"),
    "pools._BYTES": (200, [Sample(frames=(Frame(method=f"m{at}"),)) for at in range(60)], 2, "more bytes"),
    "pools._BYTES_BY_VALUE": (99, [Sample(thread=f"t{at}") for at in range(60)], 2, "more bytes"),
    "pools._POOLS": (7, [Sample()], 0, "more than 7 constant pools"),
    "metadata._BYTES": (400, [Sample()], 0, "more than 400 bytes"),
    "metadata._FIELDS": (3, [Sample()], 0, "a type of"),
    "chunk._CHUNKS": (2, [Sample()], 3, "more than 2 chunks"),
}


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets(name: str, monkeypatch: pytest.MonkeyPatch, fold_bytes: Callable[..., Folded]) -> None:
    budget, samples, remain, remark = BUDGETS[name]
    monkeypatch.setattr(f"pacecar.measurement.jfr.{name}", budget)
    folded = fold_bytes(GOOD + chunk(samples) + GOOD)
    assert folded.counts.samples in (remain, remain + 2)
    assert any(remark in one.reason for one in folded.counts.unreadable)


def test_more_rows_than_are_kept(monkeypatch: pytest.MonkeyPatch, fold_bytes: Callable[..., Folded]) -> None:
    module = sys.modules["pacecar.measurement.jfr.fold"]  # the package's own `fold` is the function
    monkeypatch.setattr(module, "_ROWS", 10)
    monkeypatch.setattr(module, "_KEPT", 30)
    many = [chunk([Sample(thread=f"{part}-{at}") for at in range(20)]) for part in range(9)]
    folded = fold_bytes(b"".join(many))
    assert 30 < len(folded.samples) <= 60
    assert "distinct samples" in folded.counts.unreadable[-1].reason


def test_time(monkeypatch: pytest.MonkeyPatch, fold_bytes: Callable[..., Folded]) -> None:
    monkeypatch.setattr("pacecar.measurement.jfr.reader._SECONDS", -1.0)
    folded = fold_bytes(GOOD)
    assert folded.counts.samples == 0
    assert "CPU time" in folded.counts.unreadable[0].reason


def test_remarks_are_few(fold_bytes: Callable[..., Folded]) -> None:
    broken = bytearray(GOOD)
    broken[24:32] = bytes(8)
    folded = fold_bytes(bytes(broken) * 500 + GOOD)
    assert folded.counts.samples == 2
    assert len(folded.counts.unreadable) == 101


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / "x.jfr")
    (only,) = chunks(tmp_path / "x.jfr")
    assert isinstance(only, Unreadable)


WIDE = {f"x.Level{level}": tuple((f"f{i}", f"x.Level{level + 1}") for i in range(200)) for level in range(3)}


@pytest.mark.parametrize("leaf", [(), (("a", "long"),), (("a", "long[]"),), (("a", "x.Empty"), ("b", "long"))])
def test_wide_types_in_wide_types(leaf: tuple[tuple[str, str], ...], fold_bytes: Callable[..., Folded]) -> None:
    types = TYPES | WIDE | {"x.Level3": leaf, "x.Empty": ()}
    lies = {"java.lang.Thread": (("all", "x.Level0"), ("javaName", "java.lang.String"))}
    folded = fold_bytes(chunk([Sample(thread=f"t{at}") for at in range(200)], form=Form(lies=lies, types=types)) + GOOD)
    assert folded.counts.samples >= 2


def test_pools_of_nothing_without_end(fold_bytes: Callable[..., Folded]) -> None:
    # Each would have everything behind it searched for the end of its stack traces.
    ours = chunk([Sample()])
    assert fold_bytes(many_pools(ours, 400_000) + GOOD).counts.samples >= 2


def many_pools(content: bytes, count: int) -> bytes:
    """`content` with so many empty pools of stack traces in place of its own."""
    size, _, metadata_at = struct.unpack_from(">3Q", content, 8)
    trace = 20 + list(TYPES).index("jdk.types.StackTrace")
    body = number(START_TICKS) + number(0) + number(0) + number(1) + number(count) + (number(trace) + number(0)) * count
    out = bytearray(content + event(1, body, wide=True))
    struct.pack_into(">3Q", out, 8, len(out), size, metadata_at)
    return bytes(out)


def test_memory_of_an_enormous_chunk(tmp_path: Path) -> None:
    """In a process of its own that may grow by a gigabyte only: 100 MB of events of one byte, and of stack traces."""
    (tmp_path / "0001.jfr").write_bytes(GOOD + many_pools(chunk([Sample()]), 50_000_000) + GOOD)
    small = bytearray(GOOD)
    events = 100_000_000
    grown = small[:68] + b"\1" * events + small[68:]
    for at in (16, 24):
        grown[at : at + 8] = (int.from_bytes(small[at : at + 8], "big") + events).to_bytes(8, "big")
    grown[8:16] = len(grown).to_bytes(8, "big")
    (tmp_path / "0002.jfr").write_bytes(GOOD + bytes(grown) + GOOD)
    script = (
        "import sys; from pathlib import Path; from pacecar.measurement.jfr import Intervals, fold\n"
        "from pacecar.model.recording import Window; from pacecar.model.experiment import Side\n"
        "import pandas, resource\n"
        "always = Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=1 << 61)\n"
        "intervals = Intervals(cpu_ns=1, wall_ns=1, lock_ns=1, allocation_bytes=1)\n"
        "fold([], [always], intervals)\n"
        "used = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)\n"
        "folded = fold([Path(p) for p in sys.argv[1:]], [always], intervals)\n"
        "print(folded.counts.samples, len(folded.counts.unreadable))\n"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    read = subprocess.run(
        [sys.executable, "-c", script, *sorted(map(str, tmp_path.iterdir()))],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert read.returncode == 0, read.stderr[-2000:]
    assert int(read.stdout.split()[0]) >= 8
