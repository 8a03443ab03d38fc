"""Raw files to tables: which window a request belongs to, and what damage costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.session import tables
from pacecar.measurement.session.loading import KeptRecord
from pacecar.model.experiment import Side
from pacecar.model.recording import HeapGrowth, Window
from pacecar.model.tables import TABLES
from support.gatling_logs import Request, Run, binary_log

RUN = Run()


def _ns(after_ms: float) -> int:
    return int((RUN.start_ms + after_ms) * 1_000_000)


WINDOWS = (
    Window(index=0, side=Side.BASELINE, start_ns=_ns(1_000), end_ns=_ns(2_000)),
    Window(index=1, side=Side.CANDIDATE, start_ns=_ns(2_500), end_ns=_ns(3_500)),
)


def _sending(arrivals_file: Path, *, log: Path | None = None) -> GatlingRecord:
    return GatlingRecord(log=log, gc_log=arrivals_file.with_name("gc.log"), arrivals_file=arrivals_file)


def _kept(log: Path, *, window: int | None = None) -> KeptRecord:
    return KeptRecord(record=_sending(log.with_name("arrivals.csv"), log=log), window=window)


def _log(folder: Path, *requests: Request, cut: int = 0) -> KeptRecord:
    content = binary_log(RUN, requests)
    path = folder / "simulation.log"
    path.write_bytes(content[: len(content) - cut])
    return _kept(path)


def _request(group: str, start: int, name: str = "GET /a") -> Request:
    return Request(groups=tuple(group.split("/")), name=name, start=start, end=start + 7)


def test_requests_belong_to_the_window_of_their_side(tmp_path: Path) -> None:
    log = _log(
        tmp_path,
        _request("warmup", 500),
        _request("baseline", 1_000),
        _request("baseline/checkout", 1_999),
        _request("baseline", 2_020),  # sent a little late
        _request("baseline", 2_400),  # far too late to be of the window
        _request("candidate", 2_485),  # by a clock that is slow
        _request("candidate", 2_500),
        _request("candidate", 900),  # its side was not under load
    )
    logged = tables.requests([log], WINDOWS)
    found = logged.tables
    assert logged.notes == ()
    assert [(ns - _ns(0)) // 10**6 for ns in found[Side.BASELINE]["start_ns"]] == [1_000, 1_999, 2_020]
    assert found[Side.CANDIDATE]["window"].tolist() == [1, 1]
    assert set(found[Side.CANDIDATE]["latency_ms"]) == {7.0}
    assert {name: str(dtype) for name, dtype in found[Side.BASELINE].dtypes.items()} == TABLES["requests"]


def test_without_gaps_a_start_before_a_window_is_of_the_one_before(tmp_path: Path) -> None:
    log = _log(tmp_path, _request("baseline", 1_985), _request("baseline", 1_999), _request("baseline", 2_000))
    first = WINDOWS[0]
    windows = (first, replace(first, index=1, start_ns=first.end_ns, end_ns=_ns(3_000)))
    assert tables.requests([log], windows).tables[Side.BASELINE]["window"].tolist() == [0, 1, 1]


def test_a_log_that_was_cut_gives_what_it_holds_and_a_note(tmp_path: Path) -> None:
    log = _log(tmp_path, _request("baseline", 1_000), _request("baseline", 1_100), cut=3)
    logged = tables.requests([log], WINDOWS)
    assert len(logged.tables[Side.BASELINE]) == 1
    assert "Only part of" in logged.notes[0]


def test_an_empty_log_is_a_note_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "simulation.log").touch()
    logged = tables.requests([_kept(tmp_path / "simulation.log")], WINDOWS)
    assert {side: len(table) for side, table in logged.tables.items()} == dict.fromkeys(Side, 0)
    assert len(logged.notes) == 1
    assert [tables.first_answer_s(logged.sent[side]) for side in Side] == [None, None]


def test_a_log_of_one_window_needs_no_groups(tmp_path: Path) -> None:
    content = binary_log(RUN, [Request(name="GET /a", start=1_500, end=1_510)])
    (tmp_path / "simulation.log").write_bytes(content)
    log = _kept(tmp_path / "simulation.log", window=0)
    found = tables.requests([log], WINDOWS).tables
    assert (len(found[Side.BASELINE]), len(found[Side.CANDIDATE])) == (1, 0)


def _taking(group: str, start: int, end: int, *, ok: bool = True) -> Request:
    return Request(groups=(group,) if group else (), name="GET /a", start=start, end=end, ok=ok)


class TestLife:
    """What is read of requests outside of windows."""

    def test_the_first_answer_counts_from_the_first_request_of_its_side(self, tmp_path: Path) -> None:
        log = _log(
            tmp_path,
            _taking("baseline", 90, 95),
            _taking("candidate", 110, 130, ok=False),  # a refusal is no answer
            _taking("candidate", 100, 650),
            _taking("candidate", 120, 400),
            _taking("candidate", 2_600, 2_601),
        )
        sent = tables.requests([log], WINDOWS).sent
        assert tables.first_answer_s(sent[Side.CANDIDATE]) == pytest.approx(0.3)
        assert tables.first_answer_s(sent[Side.BASELINE]) == pytest.approx(0.005)

    def test_a_run_that_only_warms_tells_of_the_first_answer(self, tmp_path: Path) -> None:
        (tmp_path / "warm").mkdir()
        warmed = _log(tmp_path / "warm", _taking("", 100, 350))
        window = replace(_log(tmp_path, _taking("", 1_500, 1_510)), window=0)
        logged = tables.requests([window], WINDOWS[:1], warmed={Side.BASELINE: warmed.record})
        assert tables.first_answer_s(logged.sent[Side.BASELINE]) == pytest.approx(0.25)
        assert len(logged.tables[Side.BASELINE]) == 1

    def test_without_an_answer_there_is_no_first_one(self, tmp_path: Path) -> None:
        sent = tables.requests([_log(tmp_path, _taking("baseline", 1_100, 1_110, ok=False))], WINDOWS).sent
        assert tables.first_answer_s(sent[Side.BASELINE]) is None
        assert tables.first_answer_s(sent[Side.CANDIDATE]) is None
        assert tables.first_answer_s(None) is None

    def test_a_heap_grew_by_the_requests_between_its_collections(self, tmp_path: Path) -> None:
        starts = (100, 400, 500, 1_200, 1_300, 2_900)
        sent = tables.requests([_log(tmp_path, *(_request("baseline", start) for start in starts))], WINDOWS).sent
        before = LiveHeap(time_ns=_ns(450), used_bytes=30_000_000)
        after = LiveHeap(time_ns=_ns(2_000), used_bytes=31_000_000)
        assert tables.heap_growth(before, after, sent[Side.BASELINE]) == HeapGrowth(
            before_bytes=30_000_000, after_bytes=31_000_000, requests=3
        )
        assert tables.heap_growth(None, after, sent[Side.BASELINE]) is None
        assert tables.heap_growth(before, None, sent[Side.BASELINE]) is None


def test_arrivals_tell_how_late_the_generator_was(tmp_path: Path) -> None:
    path = tmp_path / "arrivals.csv"
    path.write_text(
        "slice,side,endpoint,due_ms,sent_ms,answered_ms,number\n"
        f"0,baseline,GET /a,{RUN.start_ms + 1_000}.250,{RUN.start_ms + 1_001}.500,,3\n"
        f"1,candidate,GET /b,{RUN.start_ms + 2_600}.000,{RUN.start_ms + 2_600}.000,,1e99\n"
        f"1,candidate,GET /a,{RUN.start_ms + 2_500}.000,{RUN.start_ms + 2_501}.000\n"
        f"7,candidate,GET /a,{RUN.start_ms + 9_000}.000,{RUN.start_ms + 9_000}.000\n"
        "0,baseline,cut"
    )
    found = tables.arrivals([(_sending(path), 0)], WINDOWS)
    assert found[Side.BASELINE]["lag_ms"].round(2).tolist() == [1.25]
    assert found[Side.BASELINE]["number"].tolist() == [3.0]
    assert found[Side.CANDIDATE]["endpoint"].tolist() == ["GET /a", "GET /b"]  # in the order of the plan
    assert found[Side.CANDIDATE]["number"].isna().all()
    assert len(tables.arrivals([(_sending(tmp_path / "none.csv"), 0)], WINDOWS)[Side.BASELINE]) == 0


def _sent(*rows: tuple[int, str, int, float, float]) -> pd.DataFrame:
    """Rows of window, endpoint, due in ms, lag in ms and time to the answer."""
    columns = ["window", "endpoint", "due_ms", "lag_ms", "took_ms"]
    table = pd.DataFrame(rows, columns=columns)
    table = table.assign(due_ns=table["due_ms"] * 1_000_000, number=range(1, len(table) + 1), injector=0)
    return table[list(TABLES["arrivals"])].astype(TABLES["arrivals"])


def _logged(*rows: tuple[int, str, int, float]) -> pd.DataFrame:
    """Rows of window, endpoint, start in ms and whole milliseconds to the answer."""
    table = pd.DataFrame(rows, columns=["window", "endpoint", "start_ms", "latency_ms"])
    table = table.assign(start_ns=table["start_ms"] * 1_000_000, ok=True, message="", injector=0)
    return table[list(TABLES["requests"])].astype(TABLES["requests"])


def test_requests_and_arrivals_say_which_injector_sent_them(tmp_path: Path) -> None:
    kept = []
    for injector in range(2):
        folder = tmp_path / str(injector)
        folder.mkdir()
        sent_ms = RUN.start_ms + 1_100 + 100 * injector
        row = f"0,baseline,GET /a,{sent_ms},{sent_ms},{sent_ms + 7.25},{injector + 1}"
        (folder / "arrivals.csv").write_text(f"slice,side,endpoint,due_ms,sent_ms,answered_ms,number\n{row}\n")
        log = folder / "simulation.log"
        log.write_bytes(binary_log(RUN, [_request("baseline", 1_100 + 100 * injector)]))
        record = replace(_sending(folder / "arrivals.csv", log=log), injector=injector)
        kept.append(KeptRecord(record=record, window=None))

    logged = tables.requests(kept, WINDOWS).tables
    arrivals = tables.arrivals([(each.record, 0) for each in kept], WINDOWS)

    for table in (logged[Side.BASELINE], arrivals[Side.BASELINE]):
        assert table["injector"].tolist() == [0, 1]
    refined = tables.refined(logged, arrivals)[Side.BASELINE]
    assert refined["latency_ms"].tolist() == pytest.approx([7.25, 7.25])


class TestRefined:
    """Latencies to the microsecond."""

    def test_requests_of_one_injector_are_not_taken_for_those_of_another(self) -> None:
        # They are sent in the one order and logged in the other: by endpoint alone each would get the other's time.
        logged = _logged((0, "GET /a", 10, 1.0), (0, "GET /a", 11, 5.0)).assign(injector=[1, 0])
        planned = _sent((0, "GET /a", 10, 0.6, 5.25), (0, "GET /a", 10, 0.7, 1.25)).assign(injector=[0, 1])
        refined = tables.refined({Side.BASELINE: logged}, {Side.BASELINE: planned})[Side.BASELINE]
        assert refined["latency_ms"].tolist() == [1.25, 5.25]

    LOGGED = _logged((0, "GET /a", 10, 1.0), (0, "GET /b", 11, 2.0), (0, "GET /a", 12, 3.0))
    SENT = _sent((0, "GET /a", 12, 0.1, 2.625), (0, "GET /a", 9, 0.9, 0.75), (0, "GET /b", 11, 0.0, 2.5))

    def test_each_request_gets_the_time_the_kit_saw(self) -> None:
        found = tables.refined({Side.BASELINE: self.LOGGED}, {Side.BASELINE: self.SENT})
        assert found[Side.BASELINE]["latency_ms"].tolist() == [0.75, 2.5, 2.625]
        assert found[Side.BASELINE].drop(columns="latency_ms").equals(self.LOGGED.drop(columns="latency_ms"))

    def test_both_sides_are_refined_or_none(self) -> None:
        requests = dict.fromkeys(Side, self.LOGGED)
        found = tables.refined(requests, {Side.BASELINE: self.SENT, Side.CANDIDATE: _sent()})
        assert [table["latency_ms"].tolist() for table in found.values()] == [[1.0, 2.0, 3.0]] * 2

    def test_an_operation_of_several_requests_keeps_the_logs_milliseconds(self) -> None:
        found = tables.refined({Side.BASELINE: self.LOGGED}, {Side.BASELINE: self.SENT[1:]})
        assert found[Side.BASELINE]["latency_ms"].tolist() == [1.0, 2.0, 3.0]

    def test_a_time_that_contradicts_the_log_is_not_believed(self) -> None:
        rows = [(0, "GET /a", place, 1.0) for place in range(200)]
        late = range(7, 200, 20)  # one in twenty, as on a busy machine
        sent = [(0, "GET /a", place, 0.0, 90.0 if place in late else 1.25) for place in range(200)]
        found = tables.refined({Side.BASELINE: _logged(*rows)}, {Side.BASELINE: _sent(*sent)})
        latencies = found[Side.BASELINE]["latency_ms"].tolist()
        assert latencies == [1.0 if place in late else 1.25 for place in range(200)]

    def test_a_side_without_requests_does_not_hinder(self) -> None:
        found = tables.refined(
            {Side.BASELINE: self.LOGGED, Side.CANDIDATE: _logged()},
            {Side.BASELINE: self.SENT, Side.CANDIDATE: _sent()},
        )
        assert found[Side.BASELINE]["latency_ms"].tolist() == [0.75, 2.5, 2.625]


def test_arrivals_of_two_turns_keep_their_windows(tmp_path: Path) -> None:
    records = []
    for turn, side in enumerate(("baseline", "candidate")):
        path = tmp_path / f"{side}.csv"
        due = RUN.start_ms + 1_000 + 1_500 * turn
        path.write_text(f"slice,side,endpoint,due_ms,sent_ms\n0,{side},GET /a,{due}.000,{due}.000\n")
        records.append((_sending(path), turn))
    found = tables.arrivals(records, WINDOWS)
    assert {side: table["window"].tolist() for side, table in found.items()} == {
        Side.BASELINE: [0],
        Side.CANDIDATE: [1],
    }


def test_arrivals_of_a_generator_that_sent_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arrivals.csv"
    path.write_text("slice,side,endpoint,due_ms,sent_ms\n")
    assert {
        side: len(table) for side, table in tables.arrivals([(_sending(path), 0)], WINDOWS).items()
    } == dict.fromkeys(Side, 0)


def test_hiccups_are_those_of_all_generators_and_lines_without_sense_are_left_out(tmp_path: Path) -> None:
    lines = {
        "one": ["1.5,20.25", "nan,3", "2,-1", "1e300,5", "3,1e12", "4", "x,y", "5,6.0,7"],
        "two": ["7000,5.125"],
    }
    records: list[GatlingRecord] = []
    for name, rows in lines.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "hiccups.csv").write_text("\n".join(["start_ms,duration_ms", *rows]))
        records.append(replace(_sending(tmp_path / name / "arrivals.csv"), injector=len(records)))
    found = tables.hiccups([*records, _sending(tmp_path / "arrivals.csv")])
    assert {name: str(dtype) for name, dtype in found.dtypes.items()} == TABLES["hiccups"]
    assert found.to_numpy().tolist() == [[1_500_000, 20.25, 0], [7_000_000_000, 5.125, 1]]
    assert len(tables.hiccups([])) == 0


@pytest.mark.hostile
def test_what_is_no_table_of_the_kit_has_no_rows(tmp_path: Path) -> None:
    record = _sending(tmp_path / "arrivals.csv")
    for name in ("arrivals.csv", "hiccups.csv"):
        (tmp_path / name).write_text('a,b\n1,"2\n3,4\n')
    assert len(tables.hiccups([record])) == 0
    assert {len(table) for table in tables.arrivals([(record, 0)], WINDOWS).values()} == {0}
    (tmp_path / "hiccups.csv").unlink()
    (tmp_path / "hiccups.csv").symlink_to("/dev/zero")
    assert len(tables.hiccups([record])) == 0
