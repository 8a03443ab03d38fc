"""What a writer puts into a log, the reader gets out of it, in both formats and however the file is cut."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.load.gatling.simulation_log import LogError, SimulationLog, read
from support import gatling_logs
from support.gatling_logs import Error, Group, Record, Request, Run, User

RUN = Run(scenarios=("browse", "注文"), assertions=(b"\0\1\2",))

# Few texts, so that most are referred to again; line breaks and tabs are never in a text log.
TEXTS = st.sampled_from(["", "GET /items", "Größe", "注文 ✓", "a", "b"]) | st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=",/"), max_size=8
).map(str.strip)
TIMES = st.integers(0, 2**31 - 1)
REQUESTS = st.builds(
    Request,
    groups=st.lists(TEXTS, max_size=4).map(tuple),
    name=TEXTS,
    start=TIMES,
    end=TIMES,
    ok=st.booleans(),
    message=TEXTS,
)
RECORDS = st.one_of(
    REQUESTS,
    st.builds(User, scenario=st.sampled_from([0, 1]), is_start=st.booleans(), time=TIMES),
    st.builds(Group, groups=st.lists(TEXTS, max_size=3).map(tuple), start=TIMES, end=TIMES, cumulated=TIMES),
    st.builds(Error, message=TEXTS, time=TIMES),
)
# Repeated, so that the reader comes to take many records at once.
LOGS = st.builds(lambda records, times: records * times, st.lists(RECORDS, max_size=30), st.integers(1, 20))

FORMATS: list[Callable[..., list[bytes]]] = [gatling_logs.binary_parts, gatling_logs.text_parts]
SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def expect(log: SimulationLog, records: list[Record]) -> None:
    """`log` holds exactly these records."""
    start = RUN.start_ms
    assert log.requests.astype({"groups": "str", "name": "str", "message": "str"}).to_numpy().tolist() == [
        ["/".join(r.groups), r.name, start + r.start, start + r.end, r.ok, r.message]
        for r in records
        if isinstance(r, Request)
    ]
    assert log.users.astype({"scenario": "str"}).to_numpy().tolist() == [
        [RUN.scenarios[r.scenario], r.is_start, start + r.time] for r in records if isinstance(r, User)
    ]
    assert log.errors.astype({"message": "str"}).to_numpy().tolist() == [
        [r.message, start + r.time] for r in records if isinstance(r, Error)
    ]


@pytest.mark.parametrize("parts", FORMATS)
@SLOW_FIXTURE
@given(records=LOGS, chunk_bytes=st.sampled_from([7, 64, 1000, 1 << 20]))
def test_everything_comes_back(
    parts: Callable[..., list[bytes]], records: list[Record], chunk_bytes: int, tmp_path: Path
) -> None:
    path = tmp_path / "simulation.log"
    path.write_bytes(b"".join(parts(RUN, records)))

    log = read(path, chunk_bytes=chunk_bytes)

    assert (log.version, log.simulation, log.start_ms) == (RUN.version, RUN.simulation, RUN.start_ms)
    assert (log.truncated, log.unreadable, log.unmatched) == (False, None, 0)
    expect(log, records)


@pytest.mark.parametrize("parts", FORMATS)
def test_a_cut_at_any_byte_keeps_the_records_before_it(parts: Callable[..., list[bytes]], tmp_path: Path) -> None:
    path = tmp_path / "simulation.log"
    records: list[Record] = [
        User(scenario=0, is_start=True, time=1),
        Request(groups=("shop", "cart"), name="POST /cart", start=5, end=9),
        Request(groups=("shop", "cart"), name="POST /cart", start=15, end=19, ok=False, message="status 500 ✗"),
        Group(groups=("shop",), start=5, end=19, cumulated=8, ok=False),
        Error(message="no attribute", time=20),
        Request(name="注文", start=21, end=22),
    ]
    written = parts(RUN, records)
    whole = b"".join(written)
    ends = list(accumulate(map(len, written)))

    for size in range(ends[0], len(whole) + 1):
        path.write_bytes(whole[:size])
        log = read(path)
        kept = sum(end <= size for end in ends) - 1
        expect(log, records[:kept])
        assert log.truncated == (size not in ends)
        assert log.unreadable is None
    for size in range(ends[0]):
        path.write_bytes(whole[:size])
        with pytest.raises(LogError):
            read(path)


@SLOW_FIXTURE
@given(records=st.lists(REQUESTS, min_size=1, max_size=20), cut=st.floats(0, 1))
def test_a_cut_far_into_a_binary_log(records: list[Record], cut: float, tmp_path: Path) -> None:
    path = tmp_path / "simulation.log"
    records = records * 40
    written = gatling_logs.binary_parts(RUN, records)
    whole = b"".join(written)
    size = len(written[0]) + round(cut * (len(whole) - len(written[0])))
    path.write_bytes(whole[:size])

    log = read(path, chunk_bytes=5000)

    ends = list(accumulate(map(len, written)))
    expect(log, records[: sum(end <= size for end in ends) - 1])
    assert log.truncated == (size not in ends)
