"""Recordings against a stored baseline, from tables to the verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from pacecar.analysis.criteria import Criteria, StoredContext
from pacecar.analysis.stored import as_baseline, compare_stored
from pacecar.model.comparison import Comparison, Judgement, Verdict
from pacecar.model.experiment import Budget, Side
from pacecar.model.recording import ForkData, Pair
from pacecar.reporting.document.warning_lines import warning_lines

APPLICATION = ("shop.",)


def _stored(baseline: list[Pair], candidate: list[Pair], *gate: str, **given: Any) -> Comparison:
    return compare_stored(baseline, candidate, Criteria(gate=gate, application=APPLICATION), StoredContext(**given))


def _timed(pairs: list[Pair], yardstick_ns: float) -> list[Pair]:
    return [replace(pair, record=replace(pair.record, yardstick_ns=yardstick_ns)) for pair in pairs]


def _of(comparison: Comparison, name: str, endpoint: str = "") -> Judgement:
    return next(j for j in comparison.judgements if (j.metric.name, j.metric.endpoint) == (name, endpoint))


def _without(fork: ForkData, counter: str) -> ForkData:
    counters = fork.tables["counters"].assign(**{counter: math.nan})
    return replace(fork, tables={**fork.tables, "counters": counters})


class TestStored:
    """Against another day."""

    def test_another_jvm_may_be_why_it_allocates_more(self, make_pairs, truth) -> None:
        baseline = make_pairs(4, baseline=None, seed=1)
        candidate = make_pairs(4, baseline=None, candidate=truth(allocated_bytes=52_000, failing=0.1), seed=2)
        plain = _stored(baseline, candidate)
        assert _of(plain, "allocation").verdict is Verdict.REGRESSED
        found = _stored(baseline, candidate, jvm_mismatch="17 then, 21 now")
        assert _of(found, "allocation").verdict is Verdict.INCONCLUSIVE
        assert "the JVM is a different one (17 then, 21 now)" in _of(found, "allocation").reason
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
        said = "In 4 of 8 forks the JIT compilers' CPU time was not read"
        assert any(said in line for line in warning_lines(found.cautions))

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
        by_others, late = (line for line in warning_lines(found.cautions) if "was left out: " in line)
        assert late.startswith("Fork 3 was left out: the load generator sent requests to the")
        assert by_others.startswith("Fork 2 of the baseline was left out: other tenants used")
        nothing = _stored(baseline[1:2], candidate)
        assert nothing.reason.startswith("No fork can be trusted; fork 2: other tenants used")
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
        assert any("took 20.0% more time" in warning for warning in warning_lines(normalised.cautions))
        bytes_ = _of(normalised, "allocation").estimate
        assert bytes_ is not None
        assert bytes_.change == pytest.approx(0.2, abs=0.01), "counts do not depend on the machine's speed"

    def test_a_yardstick_on_one_side_only_is_no_help(self, make_pairs) -> None:
        found = _stored(make_pairs(3, baseline=None), _timed(make_pairs(3, baseline=None, seed=2), 1e6), "cpu")
        assert not any("fixed piece of work" in warning for warning in warning_lines(found.cautions))

    def test_an_empty_baseline_is_invalid(self, make_pairs) -> None:
        assert _stored([], make_pairs(2, baseline=None)).verdict is Verdict.INVALID
