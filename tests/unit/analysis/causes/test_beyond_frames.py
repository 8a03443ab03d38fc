"""Causes of what no frame of the application explains."""

from __future__ import annotations

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.causes import Cause
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from support.evidence import as_it_is, both, changed, warmed_by, with_heap, with_page, with_stalls, with_threads

RUN = "java.lang.Thread.run"
PARSE = f"{RUN}\njson.Parser.parse"
CLEAN = f"{RUN}\ndb.Pool.clean"
COLLECT = "start_thread\nlibjvm.so.G1ParEvacuate"
COMPILE = "start_thread\nlibjvm.so.C2Compiler::compile_method"


def _causes(pairs: list[Pair], metric: str, *, application: tuple[str, ...] = ()) -> tuple[Cause, ...]:
    findings = compare_pairs(pairs, Criteria(gate=(metric,), application=application)).findings
    (causes,) = (finding.causes for finding in findings if finding.judgement.metric.name == metric)
    return causes


@pytest.mark.parametrize("application", [(), ("shop.",)])
def test_a_library_that_uses_more_is_named_where_no_frame_is_the_applications(make_pairs, truth, application) -> None:
    pairs = make_pairs(
        baseline=truth(cpu_ms=2.2, stacks_ms={PARSE: 0.2, CLEAN: 2.0}),
        candidate=truth(cpu_ms=3.2, stacks_ms={PARSE: 1.2, CLEAN: 2.0}),
    )
    (cause,) = _causes(pairs, "cpu", application=application)
    assert cause.scope.frame == "json.Parser.parse"


def test_more_threads_are_those_of_a_pool(make_pairs, truth) -> None:
    pairs = make_pairs(baseline=truth(threads=15), candidate=truth(threads=35))
    pairs = changed(
        pairs,
        {
            Side.BASELINE: with_threads(http_exec=10, mailer=3),
            Side.CANDIDATE: with_threads(http_exec=11, mailer=22),
        },
    )
    (cause,) = _causes(pairs, "threads")
    assert (cause.name, cause.scope.pool) == ("more-threads", "mailer")
    assert cause.statement == "The pool mailer went from 3 to 22 threads."


def test_threads_of_nobody_seen_are_not_told(make_pairs, truth) -> None:
    pairs = make_pairs(baseline=truth(threads=15), candidate=truth(threads=35))
    same = with_threads(http_exec=10, mailer=3)
    assert _causes(changed(pairs, {Side.BASELINE: same, Side.CANDIDATE: same}), "threads") == ()
    one_more = with_threads(http_exec=11, mailer=3)  # of twenty
    assert _causes(changed(pairs, {Side.BASELINE: same, Side.CANDIDATE: one_more}), "threads") == ()
    assert _causes(pairs, "threads") == ()  # without a profile


@pytest.mark.parametrize(
    ("mailer", "gained", "burst", "root"),
    [(3, 20, 0, "leak"), (60, 5, 5_000, "leak"), (60, 5, 0, "more-threads"), (60, 0, 5_000, "more-threads")],
    ids=["as it is measured", "since it is up", "before any request", "not at all"],
)
def test_threads_that_a_pool_gained_with_requests_are_a_leak(
    make_pairs, truth, mailer: int, gained: int, burst: int, root: str
) -> None:
    pairs = make_pairs(baseline=truth(threads=15), candidate=truth(threads=12 + mailer, threads_gained=gained))
    pairs = changed(
        pairs,
        {
            Side.BASELINE: both(with_threads(mailer=3), warmed_by(burst)),
            Side.CANDIDATE: both(with_threads(mailer=mailer, gained=gained), warmed_by(burst)),
        },
    )
    (cause,) = _causes(pairs, "threads")
    assert (cause.name, cause.scope.pool) == (root, "mailer")
    if root == "leak":
        (below,) = cause.consequences
        assert below.name == "more-threads"


@pytest.mark.parametrize(("later_ms", "found"), [(4000.0, True), (440.0, False)], ids=["longer", "much as before"])
def test_threads_wait_for_memory_by_the_log_where_stacks_do_not_tell(make_pairs, truth, later_ms, found) -> None:
    """A JDK without symbols shows no frame of the collector in which a thread waits."""
    stripped = f"{RUN}\nshop.Parts.buffer\nlibjvm.so.[unknown]"
    pairs = make_pairs(
        baseline=truth(waits_ms={stripped: 1.0}), candidate=truth(latency_ms=16, waits_ms={stripped: 7.0})
    )
    pairs = changed(
        pairs,
        {
            Side.BASELINE: with_stalls("pack-1", lasting_ms=400.0),
            Side.CANDIDATE: with_stalls("pack-2", lasting_ms=later_ms),
        },
    )
    causes = {cause.name: cause for cause in _causes(pairs, "latency.mean", application=("shop.",))}
    assert ("allocation-stall" in causes) is found
    if found:
        assert causes["allocation-stall"].scope.pool == "pack"
        assert "by the collector's log" in causes["allocation-stall"].statement


def test_more_memory_is_what_the_heap_holds(make_pairs, truth) -> None:
    pairs = make_pairs(baseline=truth(rss_bytes=200e6), candidate=truth(rss_bytes=290e6))
    grown = {Side.BASELINE: with_heap(20_000_000), Side.CANDIDATE: with_heap(100_000_000)}
    (cause,) = _causes(changed(pairs, grown), "rss")
    assert cause.name == "larger-heap"
    assert cause.statement == "The live heap after a full collection went from 20 MB to 100 MB."


def test_a_heap_that_grew_by_a_fraction_of_it_is_not_why_memory_did(make_pairs, truth) -> None:
    pairs = make_pairs(baseline=truth(rss_bytes=200e6), candidate=truth(rss_bytes=290e6))
    grown = {Side.BASELINE: with_heap(20_000_000), Side.CANDIDATE: with_heap(25_000_000)}
    assert _causes(changed(pairs, grown), "rss") == ()


def test_more_compiling_is_told_by_who_compiles(make_pairs, truth) -> None:
    pools = {COMPILE: "C2 CompilerThread", PARSE: "http-exec"}
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=2.0, jit_ms=0.2, stacks_ms={COMPILE: 0.2, PARSE: 1.8}, pools=pools),
        candidate=truth(cpu_ms=2.6, jit_ms=0.8, stacks_ms={COMPILE: 0.8, PARSE: 1.8}, pools=pools),
    )
    (cause,) = _causes(pairs, "jit")
    assert (cause.name, cause.scope.pool) == ("busy-pool", "C2 CompilerThread (JIT)")


@pytest.mark.parametrize("metric", ["metrics.page", "metrics.series"])
def test_a_longer_page_is_a_metric_and_a_label_of_it(make_pairs, metric: str) -> None:
    grown = {
        Side.BASELINE: with_page(http_client_requests_seconds_count=4, cache_size=9),
        Side.CANDIDATE: with_page(http_client_requests_seconds_count=240, cache_size=9),
    }
    (cause,) = _causes(changed(make_pairs(), grown), metric)
    assert cause.name == "growing-page"
    assert cause.statement == (
        "The metric http_client_requests_seconds went from 4 to 240 series; its label uri from 4 to 240 values."
    )


def test_a_page_that_grew_in_some_forks_alone_has_no_certain_cause(make_pairs) -> None:
    pairs = changed(
        make_pairs(), {Side.BASELINE: with_page(calls_total=100), Side.CANDIDATE: with_page(calls_total=100)}
    )
    for number, factor in enumerate((1, 3, 3, 3)):
        with_more = {Side.BASELINE: as_it_is, Side.CANDIDATE: with_page(calls_total=100 * factor)}
        pairs[number : number + 1] = changed(pairs[number : number + 1], with_more)
    comparison = compare_pairs(pairs, Criteria(gate=("metrics.series",)))
    assert [cause for finding in comparison.findings for cause in finding.causes] == []
