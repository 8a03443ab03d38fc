"""Verdicts where values are coarse, are lacking, or are held to a largest one."""

from __future__ import annotations

import math

import pytest

from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.verdicts.evidence import paired_evidence
from pacecar.model.comparison import Metric, Verdict
from pacecar.model.experiment import Budget, Side
from unit.analysis.evidence import CPU, P99, evidence_of, judge_one


class TestAbsoluteBudget:
    """The largest tolerated value of the candidate."""

    LIMIT = Budget(metric="latency.p99", absolute=20.0)

    @pytest.mark.parametrize(
        ("candidate_ms", "verdict"),
        [
            ([25.0, 24.6, 25.3, 25.1], Verdict.REGRESSED),
            ([19.0, 21.5, 20.4, 19.8], Verdict.INCONCLUSIVE),
            ([15.0, 15.2, 14.9, 15.1], Verdict.PASSED),
        ],
    )
    def test_by_where_the_candidates_interval_lies(self, candidate_ms: list[float], verdict: Verdict) -> None:
        evidence = evidence_of(P99, [ms / 10 for ms in candidate_ms])
        found = judge_one(evidence, self.LIMIT)
        assert found.verdict is verdict
        assert "20 ms" in found.reason

    def test_holds_beside_a_relative_one(self) -> None:
        evidence = evidence_of(P99, [1.01, 0.99, 1.0, 1.0], baseline=25.0)
        both = Budget(metric="latency.p99", relative=0.10, absolute=20.0)
        assert judge_one(evidence, Budget(metric="latency.p99", relative=0.10)).verdict is Verdict.PASSED
        assert judge_one(evidence, both).verdict is Verdict.REGRESSED

    @pytest.mark.parametrize("baseline", [Missing(reason="p99 needs 1,000 requests"), Value(amount=0.0, requests=900)])
    @pytest.mark.parametrize(("candidate_ms", "verdict"), [(25.0, Verdict.REGRESSED), (15.0, Verdict.INCONCLUSIVE)])
    def test_holds_whatever_the_baseline_does(self, baseline: Reading, candidate_ms: float, verdict: Verdict) -> None:
        pairs = [(baseline, Value(amount=candidate_ms + off, requests=2000)) for off in (-0.2, 0.1, 0.3)]
        found = judge_one(paired_evidence(P99, pairs), self.LIMIT)
        assert found.verdict is verdict
        assert ("above the largest tolerated value of 20 ms" in found.reason) == (verdict is Verdict.REGRESSED)
        assert found.estimate is None

    def test_one_pair_cannot_break_it(self) -> None:
        assert judge_one(evidence_of(P99, [9.0]), self.LIMIT).verdict is Verdict.INCONCLUSIVE


class TestCoarse:
    """What was noted in steps in which a change could hide."""

    @pytest.mark.parametrize(
        ("ratio", "verdict"),
        [(1.0, Verdict.INCONCLUSIVE), (1.3, Verdict.REGRESSED), (0.7, Verdict.IMPROVED)],
    )
    def test_shows_changes_but_never_that_there_is_none(self, ratio: float, verdict: Verdict) -> None:
        def value(amount: float) -> Value:
            return Value(amount=amount, requests=2000, coarse="a log of whole milliseconds hides changes")

        pairs = [(value(1.4), value(1.4 * ratio * off)) for off in (0.999, 1.0, 1.001, 1.0)]
        found = judge_one(paired_evidence(P99, pairs), Budget(metric="latency.p99", relative=0.10))
        assert found.verdict is verdict
        assert ("whole milliseconds" in found.reason) == (verdict is Verdict.INCONCLUSIVE)
        assert found.pairs_needed is None

    def test_stay_below_a_largest_value_all_the_same(self) -> None:
        value = Value(amount=1.4, requests=2000, coarse="a log of whole milliseconds hides changes")
        found = judge_one(paired_evidence(P99, [(value, value)] * 4), Budget(metric="latency.p99", absolute=20.0))
        assert found.verdict is Verdict.PASSED


class TestMissing:
    """What could not be measured has a reason, not a number."""

    def test_the_reason_is_passed_on(self) -> None:
        gone = Missing(reason="the counter cpu_ns was never read")
        found = judge_one(paired_evidence(CPU, [(gone, gone)]))
        assert (found.verdict, found.estimate) == (Verdict.INCONCLUSIVE, None)
        assert found.reason == "not measurable: the counter cpu_ns was never read"

    def test_pairs_that_lack_it_do_not_take_part(self) -> None:
        here, gone = Value(amount=1.0, requests=100), Missing(reason="gone")
        found = judge_one(paired_evidence(CPU, [(here, here), (here, gone), (here, here)]))
        assert found.estimate is not None
        assert found.estimate.pairs == 2
        assert found.reason.endswith("in 2 of 3 pairs; gone")

    @pytest.mark.parametrize(
        ("ratio", "lacks", "verdict"),
        [
            (1.00, Side.CANDIDATE, Verdict.INCONCLUSIVE),
            (0.80, Side.CANDIDATE, Verdict.INCONCLUSIVE),
            (1.25, Side.CANDIDATE, Verdict.REGRESSED),
            (1.00, Side.BASELINE, Verdict.PASSED),
            (1.25, Side.BASELINE, Verdict.REGRESSED),
        ],
    )
    def test_what_the_candidate_lacks_may_be_its_worst(self, ratio: float, lacks: Side, verdict: Verdict) -> None:
        gone = Missing(reason="a p99 needs 1,000 requests")
        pairs = [
            (Value(amount=1.0, requests=9), Value(amount=ratio * each, requests=9)) for each in (1.0, 1.005, 0.995)
        ]
        lost = (gone, pairs[0][1]) if lacks is Side.BASELINE else (pairs[0][0], gone)
        found = judge_one(paired_evidence(CPU, [*pairs, lost]))
        assert found.verdict is verdict
        assert "in 3 of 4 pairs; a p99 needs 1,000 requests" in found.reason
        if verdict is Verdict.INCONCLUSIVE:
            assert "the candidate may lack it where it is worst" in found.reason
            assert found.pairs_needed is None

    def test_there_is_no_ratio_to_zero(self) -> None:
        readings = [(Value(amount=0.0, requests=100), Value(amount=1.0, requests=100))] * 3
        found = judge_one(paired_evidence(Metric(name="gc.pause"), readings))
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "zero in 3 of 3 forks of the baseline" in found.reason

    @pytest.mark.parametrize(
        ("after", "verdict"), [(30.0, Verdict.REGRESSED), (1.0, Verdict.INCONCLUSIVE), (0.0, Verdict.PASSED)]
    )
    def test_a_count_that_was_zero_may_regress(self, after: float, verdict: Verdict) -> None:
        """In steps of one: one more may be where the last one happened to fall, thirty may not."""
        none = [Value(amount=amount, requests=1000, step=1.0) for amount in (0.0, 0.0, 1.0 if after else 0.0, 0.0) * 2]
        some = Value(amount=after, requests=1000, step=1.0)
        found = judge_one(paired_evidence(Metric(name="gc.count"), [(each, some) for each in none]))
        assert found.verdict is verdict

    def test_numbers_that_are_none_are_not_believed(self) -> None:
        readings = [(Value(amount=1.0, requests=100), Value(amount=math.inf, requests=100))] * 3
        assert judge_one(paired_evidence(CPU, readings)).estimate is None
