"""What was called within windows, by counts at their edges."""

from __future__ import annotations

import pytest

from pacecar.archive.tables import read_table, write_tables
from pacecar.measurement.probes.calls import CallCounts, Method
from pacecar.measurement.session import called
from pacecar.model.calls import NO_CALLER, OTHER_CALLERS, CallKind

PAGE = Method(type_name="shop.Orders", name="page")
SEND = Method(type_name="shop.Mail", name="send")
STATEMENTS, BATCHED, CALLS = CallKind
NOTHING = {(kind.value, NO_CALLER): 0 for kind in CallKind}


def _counts(**counts: int) -> CallCounts:
    methods: dict[str, Method | None] = {"page": PAGE, "nobody": None, "rest": Method()}
    return CallCounts(counts={(STATEMENTS, methods[name]): count for name, count in counts.items()})


def _rows(start: CallCounts, end: CallCounts) -> dict[tuple[str, str], int]:
    rows = called.table({3: (start, end)})
    assert (rows["window"] == 3).all()
    return {(str(row.kind), str(row.caller)): int(row.count) for row in rows.itertuples(index=False)}  # type: ignore[call-overload]


def test_a_window_holds_what_was_called_between_its_edges() -> None:
    start, end = _counts(page=40, nobody=2, rest=1), _counts(page=141, nobody=2, rest=5)
    assert _rows(start, end) == NOTHING | {("statements", "shop.Orders.page"): 101, ("statements", OTHER_CALLERS): 4}


def test_a_caller_that_is_new_had_called_nothing() -> None:
    start = CallCounts()
    end = CallCounts(counts={(CALLS, SEND): 3, (BATCHED, PAGE): 7, (STATEMENTS, None): 1})
    assert _rows(start, end) == NOTHING | {
        ("calls", "shop.Mail.send"): 3,
        ("batched", "shop.Orders.page"): 7,
        ("statements", NO_CALLER): 1,
    }


def test_counters_that_stand_still_count_nothing_and_say_that_they_count() -> None:
    still = _counts(page=40, nobody=2)
    assert _rows(still, still) == NOTHING


def test_counts_that_fell_are_of_another_jvm() -> None:
    assert called.table({0: (_counts(page=40), _counts(page=39, nobody=80))}).empty
    assert called.table({0: (_counts(page=40), _counts(nobody=80))}).empty


def test_what_is_numbered_anew_in_each_run_is_one_caller() -> None:
    end = CallCounts(
        counts={
            (STATEMENTS, Method(type_name="shop.Orders$$SpringCGLIB$$0", name="page")): 1,
            (STATEMENTS, Method(type_name="shop.Orders$$SpringCGLIB$$7", name="page")): 2,
            (STATEMENTS, Method(type_name="shop.Orders", name="lambda$page$3")): 4,
            (STATEMENTS, Method(type_name="shop.Orders", name="lambda$page$11")): 8,
        }
    )
    assert sorted(_rows(CallCounts(), end).values()) == [0, 0, 0, 3, 12]


@pytest.mark.hostile
def test_names_of_classes_may_hold_nearly_anything(tmp_path) -> None:
    names = ("a\nb", "\u202egnp.exe", "\x1b[31m", "/", "...", "<script>", "x" * 300, "é" * 300, "?")
    end = CallCounts(counts={(CALLS, Method(type_name=name, name=name)): 1 for name in names})
    rows = called.table({0: (CallCounts(), end)})
    assert rows["count"].sum() == len(names)
    assert rows["caller"].str.len().max() <= 300
    assert not rows["caller"].str.contains("[\x00-\x1f]", regex=True).any()
    write_tables(tmp_path, {"calls": rows})
    assert read_table("calls", tmp_path / "calls.parquet").equals(rows)
