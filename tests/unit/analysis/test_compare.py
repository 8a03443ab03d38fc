"""Whole comparisons, from recorded tables to the verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any, ClassVar

import pytest

from pacecar.analysis.criteria import Context, Criteria, StoredContext
from pacecar.analysis.paired import compare_pairs, look
from pacecar.analysis.stored import as_baseline, compare_stored
from pacecar.model.comparison import Comparison, Judgement, Look, Role, Spread, Verdict
from pacecar.model.experiment import Acceptance, Budget, Side
from pacecar.model.recording import ForkData, Pair

APPLICATION = ("shop.",)


def _compare(pairs: list[Pair], *gate: str, budgets: tuple[Budget, ...] = ()) -> Comparison:
    return compare_pairs(pairs, Criteria(budgets=budgets, gate=gate, application=APPLICATION))


def _stored(baseline: list[Pair], candidate: list[Pair], *gate: str, **given: Any) -> Comparison:
    return compare_stored(baseline, candidate, Criteria(gate=gate, application=APPLICATION), StoredContext(**given))


def _look(pairs: list[Pair]) -> Look:
    return look(pairs, Criteria(), Context(most=12))


def _timed(pairs: list[Pair], yardstick_ns: float) -> list[Pair]:
    return [replace(pair, record=replace(pair.record, yardstick_ns=yardstick_ns)) for pair in pairs]


def _of(comparison: Comparison, name: str, endpoint: str = "") -> Judgement:
    return next(j for j in comparison.judgements if (j.metric.name, j.metric.endpoint) == (name, endpoint))


def _without(fork: ForkData, counter: str) -> ForkData:
    counters = fork.tables["counters"].assign(**{counter: math.nan})
    return replace(fork, tables={**fork.tables, "counters": counters})


class TestPaired:
    """Side by side."""

    def test_identical_builds_pass(self, make_pairs) -> None:
        found = _compare(make_pairs(5))
        assert found.verdict is Verdict.PASSED, found.reason
        assert found.reason.startswith("Ruled out: ")
        assert "CPU per request" in found.reason
        assert (found.pairs, found.mode, found.voided, found.findings) == (5, "paired", {}, ())

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
        assert found.warnings[0].startswith("Pair 3 was left out: other tenants took")

    def test_nothing_left_is_invalid(self, make_pairs, truth) -> None:
        found = _compare(make_pairs(3, baseline=truth(lag_ms=500)))
        assert (found.verdict, found.pairs, len(found.voided)) == (Verdict.INVALID, 0, 3)
        assert "No pair can be trusted; pair 1: the load generator was late" in found.reason

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
        assert any(self.DIED in warning for warning in found.warnings)

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


class TestStored:
    """Against another day."""

    def test_another_jvm_may_be_why_it_allocates_more(self, make_pairs, truth) -> None:
        baseline = make_pairs(4, baseline=None, seed=1)
        candidate = make_pairs(4, baseline=None, candidate=truth(allocated_bytes=52_000, failing=0.1), seed=2)
        plain = _stored(baseline, candidate)
        assert _of(plain, "allocation").verdict is Verdict.REGRESSED
        found = _stored(baseline, candidate, jvm_mismatch="17 then, 21 now")
        assert _of(found, "allocation").verdict is Verdict.INCONCLUSIVE
        assert "the JVM is another one (17 then, 21 now)" in _of(found, "allocation").reason
        assert _of(found, "errors").verdict is Verdict.REGRESSED

    def test_compilers_are_counted_then_and_now_or_neither_time(self, make_pairs, truth) -> None:
        busy = truth(cpu_ms=1.15, jit_ms=0.15)
        old = [
            replace(pair, forks={side: _without(fork, "jit_cpu_ns") for side, fork in pair.forks.items()})
            for pair in make_pairs(4, baseline=None, candidate=busy, seed=1)
        ]
        found = _stored(old, make_pairs(4, baseline=None, candidate=busy, seed=2))
        cpu = _of(found, "cpu").estimate
        assert cpu is not None
        assert cpu.change == pytest.approx(0.0, abs=0.03)
        assert any("In 4 of 8 forks the JIT compilers' CPU time was not read" in said for said in found.warnings)

    def test_each_side_counts_its_own_forks(self, make_pairs, truth) -> None:
        dead = make_pairs(4, baseline=None, candidate=truth(died="killed"), seed=1)
        assert "the baseline died in 4 of 4 forks" in _stored(dead, make_pairs(3, baseline=None, seed=2)).reason

    def test_time_is_never_regressed(self, make_pairs, truth) -> None:
        baseline = make_pairs(4, baseline=None, seed=1)
        candidate = make_pairs(4, baseline=None, candidate=truth(cpu_ms=2.0, latency_ms=20), seed=2)
        found = _stored(baseline, candidate)
        assert found.verdict is Verdict.INCONCLUSIVE
        assert _of(found, "cpu").pairs_needed is None
        assert "measure both builds side by side" in _of(found, "cpu").reason
        changed = [j for j in found.judgements if j.verdict in (Verdict.REGRESSED, Verdict.IMPROVED)]
        assert changed == []

    def test_time_may_be_unchanged_where_the_budget_is_wide_enough(self, make_pairs) -> None:
        forks = make_pairs(4, baseline=None, seed=1), make_pairs(4, baseline=None, seed=2)
        wide = (Budget(metric="cpu", relative=0.3),)
        found = compare_stored(*forks, Criteria(budgets=wide, gate=("cpu",), application=APPLICATION))
        assert found.verdict is Verdict.PASSED
        assert _stored(*forks, "cpu").verdict is Verdict.INCONCLUSIVE

    def test_counts_keep_their_full_verdict(self, make_pairs, truth) -> None:
        baseline = make_pairs(3, baseline=None, seed=1)
        candidate = make_pairs(3, baseline=None, candidate=truth(allocated_bytes=55_000, failing=0.03), seed=2)
        found = _stored(baseline, candidate, "allocation", "errors")
        assert found.verdict is Verdict.REGRESSED
        assert {j.metric.name for j in found.judgements if j.role.decides and j.verdict is Verdict.REGRESSED} == {
            "allocation",
            "errors",
        }
        assert found.mode == "stored"

    def test_one_fork_is_not_enough_for_any_verdict(self, make_pairs, truth) -> None:
        candidate = make_pairs(1, baseline=None, candidate=truth(allocated_bytes=90_000))
        assert _stored(make_pairs(3, baseline=None), candidate, "allocation").verdict is Verdict.INCONCLUSIVE

    def test_another_machine_leaves_only_counts(self, make_pairs) -> None:
        forks = [make_pairs(4, baseline=None, seed=seed) for seed in (1, 2)]
        found = _stored(*forks, machine_mismatch="the processor differs (A then, B now)")
        cpu = _of(found, "cpu")
        assert cpu.verdict is Verdict.INCONCLUSIVE
        assert "another machine: the processor differs (A then, B now)" in cpu.reason
        assert cpu.estimate is not None
        assert cpu.estimate.high == math.inf
        assert _of(found, "allocation").verdict is Verdict.PASSED

    def test_several_recordings_replace_the_assumed_drift(self, make_pairs) -> None:
        recordings = [make_pairs(3, baseline=None, seed=seed) for seed in range(6)]
        assumed = _of(_stored(recordings[0], recordings[5], "cpu"), "cpu").estimate
        seen = _of(_stored(recordings[0], recordings[5], "cpu", earlier=recordings[1:5]), "cpu").estimate
        assert assumed is not None
        assert seen is not None
        assert seen.high - seen.low < (assumed.high - assumed.low) / 2

    def test_voided_forks_of_either_recording_keep_their_numbers(self, make_pair, truth) -> None:
        baseline = [make_pair(number, candidate=None, baseline=truth(steal=9 * (number == 2))) for number in (1, 2, 3)]
        candidate = [
            make_pair(number, baseline=None, candidate=truth(lag_ms=90 * (number == 3))) for number in (1, 2, 3)
        ]
        found = _stored(baseline, candidate)
        assert (list(found.voided), list(found.baseline_voided), found.pairs) == ([3], [2], 2)
        assert found.warnings[0].startswith("Fork 3 was left out: the load generator was late")
        assert found.warnings[1].startswith("Fork 2 of the baseline was left out: other tenants took")
        nothing = _stored(baseline[1:2], candidate)
        assert nothing.reason.startswith("No fork can be trusted; fork 2: other tenants took")
        assert (list(nothing.voided), list(nothing.baseline_voided)) == ([3], [2])

    def test_a_stored_run_becomes_the_baseline_whatever_its_side_was(self, make_pairs) -> None:
        pairs = make_pairs(2)
        moved = as_baseline(pairs)
        assert [set(pair.forks) for pair in moved] == [{Side.BASELINE}] * 2
        assert moved[0].forks[Side.BASELINE].tables is pairs[0].forks[Side.CANDIDATE].tables
        assert moved[0].forks[Side.BASELINE].record.side is Side.BASELINE
        assert {window.side for window in moved[0].record.windows} == {Side.BASELINE}
        mine = [window.index for window in pairs[0].record.windows if window.side is Side.CANDIDATE]
        assert [window.index for window in moved[0].record.windows] == mine
        candidate = make_pairs(3, baseline=None, seed=5)
        assert _stored(moved, candidate).judgements == _stored(pairs, candidate).judgements

    def test_a_stored_comparison_takes_the_candidates_fork(self, make_pairs, truth) -> None:
        merged = make_pairs(3, baseline=truth(allocated_bytes=10_000))
        assert _stored(merged, make_pairs(3, baseline=None, seed=4), "allocation").verdict is Verdict.PASSED

    def test_frames_are_described(self, make_pairs, truth) -> None:
        stacks = {"java.lang.Thread.run\nshop.Orders.price": 1.0}
        forks = [make_pairs(2, baseline=None, candidate=truth(stacks_ms=stacks), seed=seed) for seed in (1, 2)]
        assert [frame.descriptive for frame in _stored(*forks).frames] == [True]

    def test_a_slower_day_is_told_from_a_slower_build_by_the_yardstick(self, make_pairs, truth) -> None:
        slower = truth(cpu_ms=1.2, latency_ms=12.0, allocated_bytes=60_000.0)
        baseline, candidate = (
            make_pairs(4, baseline=None, seed=1),
            make_pairs(4, baseline=None, candidate=slower, seed=2),
        )
        raw = _stored(baseline, candidate, "cpu")
        normalised = _stored(_timed(baseline, 1e6), _timed(candidate, 1.2e6), "cpu")
        before, after = (_of(found, "cpu").estimate for found in (raw, normalised))
        assert before is not None
        assert after is not None
        assert before.change == pytest.approx(0.2, abs=0.03)
        assert after.change == pytest.approx(0.0, abs=0.03)
        assert after.high - after.low < before.high - before.low
        assert any("took 20.0% more time" in warning for warning in normalised.warnings)
        bytes_ = _of(normalised, "allocation").estimate
        assert bytes_ is not None
        assert bytes_.change == pytest.approx(0.2, abs=0.01), "counts do not depend on the machine's speed"

    def test_a_yardstick_on_one_side_only_is_no_help(self, make_pairs) -> None:
        found = _stored(make_pairs(3, baseline=None), _timed(make_pairs(3, baseline=None, seed=2), 1e6), "cpu")
        assert not any("fixed piece of work" in warning for warning in found.warnings)

    def test_an_empty_baseline_is_invalid(self, make_pairs) -> None:
        assert _stored([], make_pairs(2, baseline=None)).verdict is Verdict.INVALID


class TestHistory:
    """Earlier runs of the same design."""

    NOISE: ClassVar = {("cpu", ""): Spread(variance=1e-4, degrees=3.0)}

    def test_steadies_the_verdict_but_not_the_interval_shown(self, make_pairs, truth, noise) -> None:
        pairs = make_pairs(3, candidate=truth(cpu_ms=1.058), noise=noise(cpu=0.008))
        alone, informed = (
            compare_pairs(pairs, Criteria(gate=("cpu",)), Context(history=history))
            for history in ((), [self.NOISE] * 5)
        )
        assert (_of(alone, "cpu").verdict, _of(informed, "cpu").verdict) == (Verdict.INCONCLUSIVE, Verdict.REGRESSED)
        before, after = (_of(found, "cpu").estimate for found in (alone, informed))
        assert before is not None
        assert after is not None
        assert (before.low, before.high) == (after.low, after.high)
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
        assert "was late on the baseline" in _look([*make_pairs(1), late]).voided[0]
        assert "was late on the baseline" in _look([late]).voided[0]

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
        assert _look(pairs).estimate.startswith("CPU per request +3")
        assert "[" not in _look(pairs[:1]).estimate

    def test_is_silent_before_the_first_pair_and_for_recordings(self, make_pairs) -> None:
        assert _look([]) == Look()
        lone = _look(make_pairs(2, baseline=None))
        assert lone == Look(voided=("the baseline was not measured", "the baseline was not measured"))
