"""Damaged files: reported, never raised, and nothing that can be trusted is lost."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.jfr import FlightRecording, Folded, Intervals, fold
from support.jfr_files import (
    CLASS,
    FRAME_TYPE,
    METHOD,
    STACK_FRAME,
    STACK_TRACE,
    STRING,
    SYMBOL,
    TYPES,
    Form,
    Frame,
    Sample,
    chunk,
)

REAL = Path(__file__).parent / "data" / "agent-2.9.2.jfr"
GOOD = chunk([Sample(), Sample(frames=(Frame(method="other"),))])
SMALL = chunk(
    [Sample(), Sample(type_name="profiler.WallClockSample", values={"samples": 3, "timeSpan": 40_000_000})],
    form=Form(pool_events=2, string_encoding=2),
)
_SIZE, _POOLS, _METADATA, _RATE = 8, 16, 24, 56


def patched(content: bytes, at: int, value: int) -> bytes:
    return content[:at] + struct.pack(">Q", value) + content[at + 8 :]


@pytest.mark.parametrize("admitted", [False, True], ids=["by the disk", "by a writer that says so"])
def test_truncated_at_every_byte(admitted: bool, tmp_path: Path) -> None:
    path = tmp_path / "0001.jfr"
    for length in range(1, len(SMALL)):
        cut = SMALL[:length]
        path.write_bytes(patched(cut, _SIZE, length) if admitted and length >= 68 else cut)
        recording = FlightRecording(
            paths=[path], intervals=Intervals(cpu_ns=1, wall_ns=1, lock_ns=1, allocation_bytes=1)
        )
        assert not list(recording.samples())
        assert [damage.offset for damage in recording.unreadable] == [0]


HEADERS = {
    "magic": b"FLX" + SMALL[3:],
    "version": SMALL[:4] + b"\0\7" + SMALL[6:],
    "size": patched(SMALL, _SIZE, 3),
    "size beyond the file": patched(SMALL, _SIZE, 1 << 60),
}


@pytest.mark.parametrize("damaged", HEADERS.values(), ids=HEADERS)
def test_header_that_cannot_be_trusted_ends_the_file(damaged: bytes, fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(GOOD + damaged + GOOD)
    assert folded.counts.samples == 2
    assert [damage.offset for damage in folded.counts.unreadable] == [len(GOOD)]


CHUNKS = {
    "pools outside": patched(SMALL, _POOLS, 1 << 40),
    "pools in the header": patched(SMALL, _POOLS, 9),
    "pools are no pools": patched(SMALL, _POOLS, 68),
    "metadata outside": patched(SMALL, _METADATA, len(SMALL)),
    "metadata are pools": patched(SMALL, _METADATA, struct.unpack_from(">Q", SMALL, 16)[0]),
    "no clock": patched(SMALL, _RATE, 0),
    "metadata of zeros": SMALL[:75] + bytes(200) + SMALL[275:],
}


@pytest.mark.parametrize("damaged", CHUNKS.values(), ids=CHUNKS)
def test_chunks_after_a_damaged_one_are_read(damaged: bytes, fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(GOOD + damaged + GOOD)
    assert folded.counts.samples == 4
    assert folded.counts.chunks == 3
    assert [damage.offset for damage in folded.counts.unreadable] == [len(GOOD)]
    assert folded.counts.unreadable[0].reason


def test_events_before_the_damage_are_kept(fold_bytes: Callable[..., Folded]) -> None:
    content = chunk([Sample(at_ns=at) for at in range(3)])
    end_of_events = struct.unpack_from(">Q", content, _POOLS)[0]
    size = (end_of_events - struct.unpack_from(">Q", chunk([]), _POOLS)[0]) // 3
    last = end_of_events - size
    folded = fold_bytes(content[:last] + b"\0" + content[last + 1 :] + GOOD)
    assert folded.counts.samples == 4
    assert len(folded.counts.unreadable) == 1


def test_event_shorter_than_its_fields(fold_bytes: Callable[..., Folded]) -> None:
    longer = (*TYPES["jdk.CPULoad"], *(("more", "long") for _ in range(9)), ("stackTrace", STACK_TRACE))
    lies = {"jdk.ExecutionSample": longer}
    folded = fold_bytes(chunk([Sample()], form=Form(lies=lies)) + GOOD)
    assert folded.counts.samples == 2
    assert "shorter than their fields" in folded.counts.unreadable[0].reason


@pytest.mark.parametrize("distance", [1, -1, 40, 1 << 40, -(1 << 40), -(1 << 63)])
def test_chain_of_pools_that_leads_astray(distance: int, fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([Sample()], form=Form(pool_events=2, pool_distance=distance)) + GOOD)
    assert folded.counts.samples == 2
    assert len(folded.counts.unreadable) == 1


LIES: dict[str, dict[str, tuple[tuple[str, str], ...]]] = {
    "a type that contains itself": {STACK_FRAME: (("method", METHOD), ("type", STACK_FRAME))},
    "arrays of nothing": {CLASS: (("name", "int"), ("all", "x.Empty[]"))},
    "frames with texts": {STACK_FRAME: (("method", METHOD), ("name", STRING), ("type", FRAME_TYPE))},
    "traces without frames": {STACK_TRACE: (("truncated", "boolean"),)},
    "frames that are no array": {STACK_TRACE: (("truncated", "boolean"), ("frames", STACK_FRAME))},
    "a symbol that is another symbol": {SYMBOL: (("string", SYMBOL),)},
    "a class that is a list": {METHOD: (("type", "int[]"), ("name", SYMBOL))},
    "samples without a time": {"jdk.ExecutionSample": (("thread", "long"),)},
}


@pytest.mark.parametrize("lies", LIES.values(), ids=LIES)
def test_metadata_that_lie(lies: dict[str, tuple[tuple[str, str], ...]], fold_bytes: Callable[..., Folded]) -> None:
    types = TYPES | {"x.Empty": ()}
    folded = fold_bytes(chunk([Sample()], form=Form(lies=lies, types=types)) + GOOD)
    assert folded.counts.samples >= 2
    assert {damage.offset for damage in folded.counts.unreadable} <= {0}


def test_types_nested_without_end_or_content_take_no_time(fold_bytes: Callable[..., Folded]) -> None:
    nested = {f"x.Level{level}": tuple((f"f{i}", f"x.Level{level + 1}") for i in range(9)) for level in range(12)}
    types = TYPES | nested | {"x.Level12": ()}
    lies = {CLASS: (("all", "x.Level0"), ("name", SYMBOL))}
    folded = fold_bytes(chunk([Sample()], form=Form(lies=lies, types=types)) + GOOD)
    assert folded.counts.samples >= 2


def test_stack_trace_of_too_many_frames(fold_bytes: Callable[..., Folded]) -> None:
    folded = fold_bytes(chunk([Sample(frames=(Frame(),) * 5000)]) + GOOD)
    assert folded.counts.samples == 2
    assert "5000 frames" in folded.counts.unreadable[0].reason


def test_more_distinct_stacks_than_are_kept(monkeypatch: pytest.MonkeyPatch, fold_bytes: Callable[..., Folded]) -> None:
    monkeypatch.setattr("pacecar.measurement.jfr.stacks._FRAMES", 40)
    many = chunk([Sample(frames=(Frame(method=f"m{at}"),)) for at in range(100)])
    folded = fold_bytes(GOOD + many + GOOD)
    assert folded.counts.samples == 4
    assert [damage.offset for damage in folded.counts.unreadable] == [len(GOOD)]


def test_larger_chunks_than_are_believed(monkeypatch: pytest.MonkeyPatch, fold_bytes: Callable[..., Folded]) -> None:
    monkeypatch.setattr("pacecar.measurement.jfr.chunk.CHUNK_BYTES", len(GOOD))
    large = chunk([Sample(at_ns=at) for at in range(100)])
    folded = fold_bytes(large + GOOD)
    assert folded.counts.samples == 2
    assert folded.counts.unreadable[0].offset == 0


def test_file_that_is_not_there(tmp_path: Path) -> None:
    folded = fold([tmp_path / "gone.jfr"], [], Intervals(cpu_ns=1, wall_ns=1, lock_ns=1, allocation_bytes=1))
    assert len(folded.counts.unreadable) == 1


anything = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
CHANGES = st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=12)


@anything
@given(changes=CHANGES)
def test_changed_bytes(changes: list[tuple[int, int]], fold_bytes: Callable[..., Folded]) -> None:
    content = bytearray(SMALL)
    for at, value in changes:
        content[at] = value
    folded = fold_bytes(GOOD + bytes(content))
    assert folded.counts.samples >= 2
    assert len(folded.stacks) >= 2


@anything
@given(data=st.data())
def test_changed_bytes_of_a_real_chunk(data: st.DataObject, fold_bytes: Callable[..., Folded]) -> None:
    content = bytearray(REAL.read_bytes())
    # Where the events end and the pools begin: changes among the events alone are rarely felt.
    pools = struct.unpack_from(">Q", content, 16)[0]
    places = st.integers(8, 12_000) | st.integers(pools, len(content) - 1)
    for at, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=30)):
        content[at] = value
    folded = fold_bytes(GOOD + bytes(content))
    assert folded.counts.samples >= 2


@anything
@given(rest=st.binary(max_size=400))
def test_any_bytes_behind_a_header(rest: bytes, fold_bytes: Callable[..., Folded]) -> None:
    header = bytearray(SMALL[:68])
    struct.pack_into(">3Q", header, 8, 68 + len(rest), 68 + len(rest) // 2, 68)
    folded = fold_bytes(bytes(header) + rest)
    assert folded.counts.samples == 0
