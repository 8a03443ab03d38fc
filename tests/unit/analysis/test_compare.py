"""Whole comparisons, from recorded tables to the verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar

import pytest

from pacecar.analysis.criteria import Context, Criteria, StoredContext
from pacecar.analysis.paired import compare_pairs, look, unexplained
from pacecar.analysis.stored import compare_stored
from pacecar.model.comparison import Comparison, Judgement, Look, Role, Spread, Verdict
from pacecar.model.experiment import Acceptance, Budget, Side
from pacecar.model.recording import Pair
from pacecar.model.tiers import Tier
from pacecar.reporting.document.warning_lines import warning_lines

APPLICATION = ("shop.",)


def _compare(pairs: list[Pair], *gate: str, budgets: tuple[Budget, ...] = ()) -> Comparison:
    return compare_pairs(pairs, Criteria(budgets=budgets, gate=gate, application=APPLICATION))


def _stored(baseline: list[Pair], candidate: list[Pair], *gate: str, **given: Any) -> Comparison:
    return compare_stored(baseline, candidate, Criteria(gate=gate, application=APPLICATION), StoredContext(**given))


def _look(pairs: list[Pair]) -> Look:
    return look(pairs, Criteria(), Context(most=12))


def _of(comparison: Comparison, name: str, endpoint: str = "") -> Judgement:
    return next(j for j in comparison.judgements if (j.metric.name, j.metric.endpoint) == (name, endpoint))


class TestPaired:
    """Side by side."""

    def test_identical_builds_pass(self, make_pairs) -> None:
        found = _compare(make_pairs(5))
        assert found.verdict is Verdict.PASSED, found.reason
        assert found.reason.startswith("Ruled out: ")
        assert "CPU per request" in found.reason
        assert (found.pairs, found.mode, found.voided, found.findings) == (5, "paired", {}, ())

    def test_a_bound_of_any_endpoint_says_of_how_many_it_does_not_hold(self, make_pairs, plan) -> None:
        few = plan(endpoints=(("GET /orders", 0.96), ("POST /orders", 0.02), ("PUT /orders", 0.02)))
        found = _compare(make_pairs(5, plan=few))
        assert "any one endpoint's p50 " in found.reason
        assert found.reason.endswith("% (2 endpoints could not be judged).")

    def test_more_cpu_is_a_regression(self, make_pairs, truth) -> None:
        found = _compare(make_pairs(4, candidate=truth(cpu_ms=1.3)))
        assert found.verdict is Verdict.REGRESSED
        assert found.reason.startswith("CPU per request: +3")
        assert [j.metric.name for j in found.judgements if j.verdict is Verdict.REGRESSED] == ["cpu"]

    def test_swapped_builds_swap_the_verdict(self, make_pairs, truth) -> None:
        slow = truth(cpu_ms=1.3)
        assert _compare(make_pairs(4, baseline=slow), "cpu").verdict is Verdict.IMPROVED

    def test_what_nobody_named_can_fail_it_unless_it_is_ignored(self, make_pairs, truth) -> None:
        pairs = make_pairs(6, candidate=truth(cpu_ms=1.3))
        found = _compare(pairs, "allocation")
        assert found.verdict is Verdict.REGRESSED
        assert (_of(found, "cpu").verdict, _of(found, "cpu").role) == (Verdict.REGRESSED, Role.TRIPWIRE)
        ignored = compare_pairs(pairs, Criteria(gate=("allocation",), ignored=("cpu",), application=APPLICATION))
        assert ignored.verdict is Verdict.PASSED
        assert _of(ignored, "cpu").role is Role.OBSERVED

    def test_a_tripwire_that_is_not_shown_to_be_the_same_leaves_it_passed(self, make_pairs, noise) -> None:
        found = _compare(make_pairs(6, noise=noise(cpu=0.3)), "allocation")
        assert _of(found, "cpu").verdict is Verdict.INCONCLUSIVE
        assert found.verdict is Verdict.PASSED

    def test_budgets_are_the_users(self, make_pairs, truth) -> None:
        pairs = make_pairs(4, candidate=truth(cpu_ms=1.3))
        assert _compare(pairs, "cpu", budgets=(Budget(metric="cpu", relative=0.5),)).verdict is Verdict.PASSED

    def test_a_gate_entry_that_names_nothing_is_inconclusive(self, make_pairs) -> None:
        found = _compare(make_pairs(4), "allocation", "latency.p99 of GET /nowhere")
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "GET /nowhere" in found.reason
        assert "GET /orders" in found.reason

    def test_a_named_metric_that_cannot_be_measured_is_inconclusive(self, make_pairs) -> None:
        found = _compare(make_pairs(4), "latency.p99 of POST /orders")
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "p99 needs 1,000 requests" in found.reason

    def test_one_pair_decides_nothing(self, make_pairs, truth) -> None:
        found = _compare(make_pairs(1, candidate=truth(cpu_ms=3.0)), "cpu")
        assert found.verdict is Verdict.INCONCLUSIVE
        estimate = _of(found, "cpu").estimate
        assert estimate is not None
        assert estimate.low == -math.inf

    def test_comparisons_that_share_a_level_each_get_a_part_of_it(self, make_pairs, truth) -> None:
        pairs = make_pairs(4, candidate=truth(cpu_ms=1.085))
        alone, of_many = (
            _of(compare_pairs(pairs, Criteria(gate=("cpu",), application=APPLICATION, comparisons=count)), "cpu")
            for count in (1, 100)
        )
        assert (alone.verdict, of_many.verdict) == (Verdict.REGRESSED, Verdict.INCONCLUSIVE)
        assert alone.estimate is not None
        assert of_many.estimate is not None
        assert alone.estimate.p_value == of_many.estimate.p_value
        decided = [
            look(pairs, Criteria(gate=("cpu",), comparisons=count), Context(most=4)).decided for count in (1, 100)
        ]
        assert decided == [True, False]

    def test_voided_pairs_do_not_take_part(self, make_pair, truth) -> None:
        sound = [make_pair(number) for number in (1, 2, 4)]
        found = _compare([*sound[:2], make_pair(3, candidate=truth(cpu_ms=9, steal=5)), sound[2]])
        assert (found.pairs, list(found.voided)) == (3, [3])
        assert found.verdict is not Verdict.REGRESSED
        assert any(line.startswith("Pair 3 was left out: other tenants") for line in warning_lines(found.cautions))

    def test_nothing_left_is_invalid(self, make_pairs, truth) -> None:
        found = _compare(make_pairs(3, baseline=truth(lag_ms=500)))
        assert (found.verdict, found.pairs, len(found.voided)) == (Verdict.INVALID, 0, 3)
        assert "No pair can be trusted; pair 1: the load generator sent requests to the" in found.reason

    def test_no_pairs_at_all_is_invalid(self) -> None:
        assert _compare([]).verdict is Verdict.INVALID

    def test_instruments_that_were_not_there_are_not_missed(self, make_pairs) -> None:
        names = {judgement.metric.name for judgement in _compare(make_pairs(2)).judgements}
        assert "metrics.page" not in names
        assert "server.latency.p99" not in names


class TestDeaths:
    """A build that keeps dying says enough."""

    DIED = "killed by the kernel for memory"

    @pytest.mark.parametrize(("deaths", "verdict"), [(1, Verdict.PASSED), (2, Verdict.INCONCLUSIVE)])
    def test_that_may_be_chance_do_not_fail_it(
        self, make_pairs, make_pair, truth, deaths: int, verdict: Verdict
    ) -> None:
        dead = [make_pair(10 + n, candidate=truth(died=self.DIED)) for n in range(deaths)]
        found = _compare([*make_pairs(5), *dead])
        assert found.verdict is verdict
        assert len(found.voided) == deaths
        assert any(self.DIED in warning for warning in warning_lines(found.cautions))

    def test_in_every_pair(self, make_pairs, truth) -> None:
        found = _compare(make_pairs(6, candidate=truth(died=self.DIED)))
        assert (found.verdict, found.pairs) == (Verdict.REGRESSED, 0)
        assert found.reason == f"forks that died: the candidate died in 6 of 6 forks: {self.DIED} (p = 0.001)."
        assert found.findings[0].judgement.metric.name == "deaths"

    def test_at_its_own_limit_of_memory_need_no_test(self, make_pairs) -> None:
        def killed(pair: Pair, *sides: Side) -> Pair:
            forks = {
                side: replace(fork, record=replace(fork.record, died=self.DIED, at_limit=True))
                for side, fork in pair.forks.items()
                if side in sides
            }
            return replace(pair, forks={**pair.forks, **forks})

        pairs = make_pairs(2)
        candidate = [killed(pair, Side.CANDIDATE) for pair in pairs]
        assert _compare(candidate).verdict is Verdict.REGRESSED
        assert _look(candidate).decided
        assert _compare([candidate[0], pairs[1]]).verdict is not Verdict.REGRESSED, "one is an accident"
        assert _compare([killed(pair, *Side) for pair in pairs]).verdict is Verdict.INVALID

    def test_of_the_baseline_make_it_invalid(self, make_pairs, truth) -> None:
        dying = truth(died=self.DIED)
        assert _compare(make_pairs(2, baseline=dying)).verdict is Verdict.INVALID
        assert _compare(make_pairs(2, baseline=dying, candidate=dying)).verdict is Verdict.INVALID


class TestHistory:
    """Earlier runs of the same design."""

    NOISE: ClassVar = {("cpu", ""): Spread(variance=1e-4, degrees=3.0)}

    def test_steadies_the_verdict_and_the_interval_alike(self, make_pairs, truth, noise) -> None:
        pairs = make_pairs(3, candidate=truth(cpu_ms=1.058), noise=noise(cpu=0.008))
        alone, informed = (
            compare_pairs(pairs, Criteria(gate=("cpu",)), Context(history=history))
            for history in ((), [self.NOISE] * 5)
        )
        assert (_of(alone, "cpu").verdict, _of(informed, "cpu").verdict) == (Verdict.INCONCLUSIVE, Verdict.REGRESSED)
        before, after = (_of(found, "cpu").estimate for found in (alone, informed))
        assert before is not None
        assert after is not None
        assert before.low < after.low < after.high < before.high
        assert after.smallest_visible < before.smallest_visible
        assert (alone.earlier_runs, informed.earlier_runs) == (0, 5)

    def test_a_comparison_leaves_its_own_noise(self, make_pairs) -> None:
        noise = _compare(make_pairs(4)).noise
        assert noise["cpu", ""].degrees == 3
        assert noise["cpu", ""].variance == pytest.approx(2 * 0.01**2, rel=2)
        assert ("errors", "") not in noise


class TestLooks:
    """Looks while a run goes on."""

    def test_says_at_once_why_a_pair_does_not_count(self, make_pairs, make_pair, truth) -> None:
        late = make_pair(2, baseline=truth(lag_ms=80.0))
        assert "sent requests to the baseline late" in _look([*make_pairs(1), late]).voided[0]
        assert "sent requests to the baseline late" in _look([late]).voided[0]

    def test_a_tripwire_that_regressed_is_what_is_told(self, make_pairs, truth) -> None:
        seen = _look(make_pairs(4, baseline=truth(threads=30), candidate=truth(threads=60)))
        assert str(seen.estimate).startswith("threads +100%")

    def test_a_large_change_is_decided_at_the_first_look(self, make_pairs, truth) -> None:
        pairs = make_pairs(6, candidate=truth(cpu_ms=2.0, allocated_bytes=90_000.0))
        assert [_look(pairs[:count]).decided for count in (1, 2, 3)] == [False, False, True]

    def test_an_undecided_run_says_what_it_waits_for(self, make_pairs, noise) -> None:
        seen = _look(make_pairs(5, noise=noise(cpu=0.06)))
        assert not seen.decided
        assert seen.waits_for[0] == "CPU per request"

    def test_what_the_pairs_that_are_left_cannot_decide_ends_it(self, make_pairs, noise) -> None:
        pairs = make_pairs(6, noise=noise(cpu=0.4))
        seen = _look(pairs)
        assert (seen.decided, seen.waits_for[0]) == (True, "CPU per request")
        found = compare_pairs(pairs, Criteria(), Context(most=12))
        assert found.verdict is Verdict.INCONCLUSIVE
        assert _of(found, "cpu").futile

    def test_a_regression_ends_it_whatever_else_is_open(self, make_pairs, truth, noise) -> None:
        heavier = truth(allocated_bytes=90_000.0)
        assert _look(make_pairs(3, candidate=heavier, noise=noise(latency=0.15, cpu=0.06))).decided

    def test_a_regression_without_a_cause_is_measured_further_for_a_while(self, make_pairs, truth) -> None:
        price, stock = "java.lang.Thread.run\nshop.Orders.price", "java.lang.Thread.run\nshop.Stock.check"
        before = truth(cpu_ms=2.0, stacks_ms={price: 1.0, stock: 1.0})
        own = Criteria(application=("shop.",))

        def decided(stacks_ms: dict[str, float], criteria: Criteria) -> list[bool]:
            pairs = make_pairs(6, baseline=before, candidate=truth(cpu_ms=3.0, stacks_ms=stacks_ms))
            return [look(pairs[:count], criteria, Context(most=12)).decided for count in (3, 4, 5, 6)]

        assert decided({price: 2.0, stock: 1.0}, own) == [True, True, True, True], "a frame is to blame"
        unknown = decided({price: 1.0, stock: 1.0}, own)
        assert unknown == [False, False, False, True]
        assert decided({price: 1.0, stock: 1.0}, replace(own, comparisons=4)) == [True, True, True, True]

    def test_latency_that_regressed_for_no_known_reason_is_named(self, make_pairs, truth) -> None:
        price = "java.lang.Thread.run\nshop.Orders.price"
        own = Criteria(application=("shop.",))

        def named(change: float, cpu_ms: float) -> str | None:
            before = truth(cpu_ms=2.0, stacks_ms={price: 2.0})
            after = truth(cpu_ms=cpu_ms, latency_ms=10.0 * change, stacks_ms={price: cpu_ms})
            pairs = make_pairs(6, baseline=before, candidate=after)
            return unexplained(compare_pairs(pairs, own, Context(most=6)), Tier.FULL)

        assert named(1.0, 2.0) is None, "nothing regressed"
        assert named(1.0, 3.0) is None, "no latency regressed"
        assert "latency" in str(named(1.5, 2.0))

    def test_a_tripwire_that_looks_worse_is_waited_for(self, make_pairs, truth, noise) -> None:
        pairs = make_pairs(4, candidate=truth(cpu_ms=1.15), noise=noise(cpu=0.04), seed=2)
        only = Criteria(gate=("allocation",))
        seen = look(pairs, only, Context(most=12))
        assert (seen.decided, seen.waits_for) == (False, ("CPU per request",))
        assert compare_pairs(pairs, only, Context(most=12)).verdict is Verdict.PASSED, "were this its end"
        assert look(pairs, Criteria(gate=("allocation",), ignored=("cpu",)), Context(most=12)).decided

    def test_identical_builds_are_decided_when_all_has_passed(self, make_pairs) -> None:
        seen = _look(make_pairs(8))
        assert (seen.decided, seen.waits_for) == (True, ())

    def test_between_two_looks_nothing_is_decided(self, make_pairs, truth) -> None:
        assert not _look(make_pairs(7, candidate=truth(cpu_ms=2.0))).decided

    def test_requests_that_fail_on_both_sides_need_no_third_pair(self, make_pairs, truth) -> None:
        broken, sound = truth(failing=0.6), truth()
        both = make_pairs(2, baseline=broken, candidate=broken)
        assert [_look(both[:count]).decided for count in (1, 2)] == [False, True]
        for before, after in ((broken, sound), (sound, broken)):
            assert not _look(make_pairs(2, baseline=before, candidate=after)).decided
        dead = make_pairs(1, baseline=truth(failing=1.0), candidate=truth(failing=1.0))
        assert not _look([*dead, *make_pairs(1)]).decided, "one outage is not a broken scenario"

    def test_of_such_a_run_the_rest_of_the_level_is_not_spent(self, make_pairs, truth) -> None:
        pairs = make_pairs(2, baseline=truth(failing=0.6), candidate=truth(failing=0.6, cpu_ms=1.3))
        at_its_end, at_a_look = (
            compare_pairs(pairs, Criteria(gate=("cpu",)), Context(most=12, ended=ended)) for ended in (True, False)
        )
        assert _of(at_its_end, "cpu") == _of(at_a_look, "cpu")

    def test_what_is_accepted_ends_no_run(self, make_pairs, truth, noise) -> None:
        pairs = make_pairs(3, candidate=truth(allocated_bytes=90_000.0), noise=noise(latency=0.15))
        assert _look(pairs).decided
        accepted = [Acceptance(metric="allocation", endpoint=None, reason="known", by="ann", until=date.max)]
        assert not look(pairs, Criteria(accepted=accepted), Context(most=12)).decided

    def test_looking_often_costs_level(self, make_pairs, truth, noise) -> None:
        pairs = make_pairs(4, candidate=truth(cpu_ms=1.12), noise=noise(cpu=0.008))
        once, often = (compare_pairs(pairs, Criteria(gate=("cpu",)), Context(most=most)) for most in (None, 12))
        before, after = (_of(found, "cpu").estimate for found in (once, often))
        assert before is not None
        assert after is not None
        assert after.smallest_visible > before.smallest_visible

    def test_an_early_look_rules_out_less(self, make_pairs) -> None:
        once, often = (
            _of(compare_pairs(make_pairs(6), Criteria(gate=("cpu",)), Context(most=most)), "cpu") for most in (None, 12)
        )
        assert once.ruled_out is not None
        assert often.ruled_out is not None
        assert once.ruled_out.bound < often.ruled_out.bound


class TestRunningEstimate:
    """The live display."""

    def test_names_what_has_used_up_most_of_its_budget(self, make_pairs, truth) -> None:
        pairs = make_pairs(3, candidate=truth(cpu_ms=1.3))
        assert (_look(pairs).estimate or "").startswith("CPU per request +3")
        assert "[" not in (_look(pairs[:1]).estimate or "[")

    def test_is_silent_before_the_first_pair_and_for_recordings(self, make_pairs) -> None:
        assert _look([]) == Look()
        lone = _look(make_pairs(2, baseline=None))
        assert lone == Look(voided=("the baseline was not measured", "the baseline was not measured"))
