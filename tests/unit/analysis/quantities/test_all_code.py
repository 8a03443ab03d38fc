"""What all code has in common, on pairs whose truth is known."""

from __future__ import annotations

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import Finding, Verdict

HANDLERS = [f"java.lang.Thread.run\nshop.Handlers.handle{name}" for name in "ABCDEFGHIJKL"]
SAME = dict.fromkeys(HANDLERS, 0.4)
ALL_SLOWER = {stack: 1.3 * cost for stack, cost in SAME.items()}
ALL_FASTER = {stack: cost / 1.3 for stack, cost in SAME.items()}


def _finding(pairs, metric: str = "cpu") -> Finding:
    findings = compare_pairs(pairs, Criteria(gate=(metric,), application=("shop.",))).findings
    (found,) = (finding for finding in findings if finding.judgement.metric.name == metric)
    return found


@pytest.mark.parametrize(
    ("stacks", "cpu_ms", "ratio"), [(ALL_SLOWER, 6.5, 1.3), (ALL_FASTER, 3.9, 1 / 1.3)], ids=["slower", "faster"]
)
def test_what_all_code_has_in_common_is_told_where_nothing_explains_a_change(
    make_pairs, truth, stacks, cpu_ms, ratio
) -> None:
    pairs = make_pairs(6, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=cpu_ms, stacks_ms=stacks))
    found = _finding(pairs)
    assert found.causes == ()
    assert found.all_code is not None
    assert found.all_code.change == pytest.approx(ratio - 1, abs=0.03)
    assert found.all_code.low < found.all_code.change < found.all_code.high


def test_nothing_is_told_of_code_that_costs_the_same(make_pairs, truth) -> None:
    pairs = make_pairs(6, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=6.5, stacks_ms=SAME))
    assert _finding(pairs).all_code is None


def test_a_frame_that_explains_the_change_leaves_nothing_to_tell(make_pairs, truth) -> None:
    one_more = SAME | {HANDLERS[0]: 1.9}
    pairs = make_pairs(6, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=6.5, stacks_ms=one_more))
    found = _finding(pairs)
    assert [cause.name for cause in found.causes] == ["hot-frame"]
    assert found.all_code is None


def test_a_cause_of_a_little_does_not_hide_what_all_code_has_in_common(make_pairs, truth) -> None:
    one_more = ALL_SLOWER | {HANDLERS[0]: 1.9}
    pairs = make_pairs(6, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=8.5, stacks_ms=one_more))
    found = _finding(pairs)
    assert [cause.scope.frame for cause in found.causes] == ["shop.Handlers.handleA"]
    assert found.all_code is not None


def test_two_pairs_are_too_few_for_a_small_change(make_pairs, truth) -> None:
    little = {stack: 1.12 * cost for stack, cost in SAME.items()}
    pairs = make_pairs(2, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=6.5, stacks_ms=little))
    assert _finding(pairs).all_code is None


def test_a_few_frames_say_nothing_of_all_code(make_pairs, truth) -> None:
    few = HANDLERS[:4]
    pairs = make_pairs(
        6,
        baseline=truth(cpu_ms=5, stacks_ms=dict.fromkeys(few, 1.2)),
        candidate=truth(cpu_ms=6.5, stacks_ms=dict.fromkeys(few, 1.56)),
    )
    assert _finding(pairs).all_code is None


def test_more_cpu_time_explains_no_faster_requests_and_no_memory(make_pairs, truth) -> None:
    pairs = make_pairs(
        6,
        baseline=truth(latency_ms=16, cpu_ms=5, stacks_ms=SAME),
        candidate=truth(latency_ms=10, cpu_ms=6.5, stacks_ms=ALL_SLOWER, rss_bytes=400e6),
    )
    faster, memory = _finding(pairs, "latency.p50"), _finding(pairs, "rss")
    assert (faster.judgement.verdict, faster.all_code) == (Verdict.IMPROVED, None)
    assert (memory.judgement.verdict, memory.all_code) == (Verdict.REGRESSED, None)


def test_one_fork_without_a_profile_leaves_it_unknown(make_pairs, truth) -> None:
    whole = make_pairs(5, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=6.5, stacks_ms=ALL_SLOWER))
    blind = make_pairs(6, baseline=truth(cpu_ms=5, stacks_ms=SAME), candidate=truth(cpu_ms=6.5))[5:]
    assert _finding([*whole, *blind]).all_code is None
