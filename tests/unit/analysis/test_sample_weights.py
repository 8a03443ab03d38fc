"""Samples stand for what the kernel and the JVM counted, pool by pool and block by block."""

from __future__ import annotations

import pandas as pd
import pytest

from pacecar.analysis.metrics.sample_weights import as_counted, as_least_blocks
from pacecar.model.tables import TABLES

PROCESS = pd.Series({0: 60.0, 1: 60.0})


def samples(*rows: tuple[int, str, str, float]) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=["window", "event", "thread", "weight"])
    return found.assign(stack=0, state="", label="", samples=1)[list(TABLES["samples"])].astype(TABLES["samples"])


def pools(*rows: tuple[int, str, int, int]) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=["window", "pool", "cpu_ns", "changed"])
    return found.assign(threads=1)[list(TABLES["pool_cpu"])]


def test_a_pool_that_is_hardly_seen_has_what_it_ran() -> None:
    seen = samples((0, "cpu", "exec-1", 10.0), (1, "cpu", "exec-2", 30.0), (1, "cpu", "poller", 5.0))
    ran = pools((0, "exec", 20, 0), (1, "exec", 20, 0), (0, "poller", 40, 0), (1, "poller", 40, 0))
    assert as_counted(seen, ran, process_ns=PROCESS)["weight"].tolist() == [10.0, 30.0, 80.0]


def test_pools_that_changed_share_what_is_left() -> None:
    seen = samples((0, "cpu", "exec-1", 10.0), (0, "cpu", "worker-1", 4.0), (1, "cpu", "main", 2.0))
    # "main" is called "java" by the kernel.
    ran = pools((0, "exec", 60, 0), (1, "exec", 0, 0), (0, "worker", 5, 1), (1, "java", 7, 0))
    assert as_counted(seen, ran, process_ns=PROCESS)["weight"].tolist() == [60.0, 40.0, 20.0]


def test_names_are_cut_as_the_kernel_cuts_them() -> None:
    seen = samples((0, "cpu", "http-nio-8080-exec-7", 1.0), (0, "cpu", "C2 CompilerThread0", 1.0))
    ran = pools((0, "http-nio-e", 30, 0), (0, "C2 CompilerThre (JIT)", 20, 0))
    assert as_counted(seen, ran, process_ns=PROCESS)["weight"].tolist() == [30.0, 20.0]


def test_other_kinds_of_samples_stay_as_they_are() -> None:
    seen = samples((0, "wall", "exec-1", 10.0), (0, "cpu", "exec-1", 1.0), (0, "alloc", "exec-1", 3.0))
    found = as_counted(seen, pools((0, "exec", 30, 0)), process_ns=PROCESS)
    assert found["weight"].tolist() == [10.0, 30.0, 3.0]


@pytest.mark.parametrize("process_ns", [PROCESS, pd.Series(dtype="float64"), pd.Series({7: 3.0})])
def test_without_samples_nothing_is_shared(process_ns: pd.Series) -> None:
    assert as_counted(samples(), pools((0, "exec", 30, 0)), process_ns=process_ns).empty
    asleep = samples((0, "wall", "exec-1", 10.0))
    assert as_counted(asleep, pools((0, "exec", 30, 0)), process_ns=process_ns).equals(asleep)


def test_windows_that_nobody_counted_share_as_the_others() -> None:
    seen = samples((0, "cpu", "exec-1", 10.0), (5, "cpu", "exec-1", 10.0))
    ran = pools((0, "exec", 30, 0))
    assert as_counted(seen, ran, process_ns=PROCESS)["weight"].tolist() == [30.0, 30.0]
    assert as_counted(seen, ran, process_ns=pd.Series({5: 3.0}))["weight"].tolist() == [10.0, 10.0]


#: Two endpoints in three blocks each, ten requests to a block.
ASKED = {
    "GET /a": pd.Series(10, index=[0, 2, 4]),
    "GET /b": pd.Series(10, index=[1, 3, 5]),
}
ALLOCATED = pd.Series({0: 1_000.0, 1: 200.0, 2: 1_010.0, 3: 200.0, 4: 1_500.0, 5: 200.0})


def test_a_block_with_something_else_at_work_says_nothing_of_requests() -> None:
    seen = samples(
        *((block, "alloc", "exec-1", 900.0) for block in (0, 2, 4)),
        (4, "alloc", "uploader", 450.0),
        (4, "cpu", "x", 7.0),
    )
    found = as_least_blocks(seen, ASKED, allocated=ALLOCATED)
    of_requests = found[found["event"] == "alloc"]
    assert of_requests["window"].tolist() == [0, 2]
    assert of_requests["weight"].sum() == pytest.approx(3 * 1_000.0)
    assert found[found["event"] == "cpu"]["weight"].tolist() == [7.0]


def test_each_endpoint_has_what_it_allocates_however_much_of_it_was_sampled() -> None:
    seen = samples((0, "alloc", "exec-1", 1.0), (1, "alloc", "exec-1", 1.0), (3, "alloc", "exec-1", 3.0))
    found = as_least_blocks(seen, ASKED, allocated=ALLOCATED)
    assert found["weight"].tolist() == pytest.approx([3_000.0, 150.0, 450.0])


def test_where_nothing_was_counted_nothing_is_shared() -> None:
    seen = samples((0, "alloc", "exec-1", 1.0), (0, "wall", "exec-1", 2.0))
    found = as_least_blocks(seen, ASKED, allocated=pd.Series(dtype="float64"))
    assert found["event"].tolist() == ["wall"]
