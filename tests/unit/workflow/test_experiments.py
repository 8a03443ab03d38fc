"""Settings given on the command line: kept in the manifest, and read back from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.errors import UsageError
from pacecar.inputs.config import ConfigError, kept_overrides, load
from pacecar.model.options import PlanOptions, RunOptions
from pacecar.model.tiers import Blocks, Tier
from pacecar.workflow.experiments import as_arguments, experiment_of, overrides_of, refuse_expired
from pacecar.workflow.requests import recording
from support.checkout import CHECKOUT


def test_settings_take_the_place_of_the_files_values() -> None:
    overrides = overrides_of(["plan.warmup=40s", " plan.steady = true"])
    plan = load(CHECKOUT / "pacecar.toml", overrides=overrides).plan
    assert (plan.warmup_s, plan.steady) == (40.0, True)


def test_they_are_kept_and_typed_again() -> None:
    options = RunOptions(
        baseline="v1", plan=PlanOptions(pairs=3), settings=kept_overrides(overrides_of(["plan.warmup=40s"]))
    )
    typed = ["--pairs", "3", "--set", "plan.warmup=40s"]
    assert as_arguments(options, command="compare") == ["--baseline", "v1", *typed]
    assert as_arguments(options, command="record") == ["--build", "v1", *typed]


@pytest.mark.parametrize(
    ("settings", "pairs", "time_s"),
    [([], None, 1200), ([], 12, None), (["plan.pairs=12"], None, None), (["plan.time=5min"], 12, 300)],
)
def test_only_a_plan_of_which_nobody_said_how_long_is_limited(
    tmp_path: Path, settings: list[str], pairs: int | None, time_s: float | None
) -> None:
    path = tmp_path / "pacecar.toml"
    path.write_text('[target]\nname = "shop"\ncommand = ["{java}", "-jar", "{artifact}", "{port}"]\nready = "/ready"\n')
    plan = load(path, overrides=overrides_of(settings)).plan
    assert PlanOptions(pairs=pairs).applied(plan).time_s == time_s


@pytest.mark.parametrize(
    ("settings", "at_most_s"),
    [([], 150), (["plan.warmup=40s"], None), (["plan.warmup=40s", "plan.warmup_at_most=1min"], 60)],
)
def test_only_a_warm_up_of_which_nobody_said_how_long_gets_longer(
    tmp_path: Path, settings: list[str], at_most_s: float | None
) -> None:
    path = tmp_path / "pacecar.toml"
    path.write_text('[target]\nname = "shop"\ncommand = ["{java}", "-jar", "{artifact}", "{port}"]\nready = "/ready"\n')
    assert load(path, overrides=overrides_of(settings)).plan.warmup_at_most_s == at_most_s


def test_the_quick_tier_has_pairs_of_its_own_and_measures_all_of_them() -> None:
    plan = load(CHECKOUT / "pacecar.toml", overrides=overrides_of(["plan.tier=quick", "plan.quick.rounds=4"])).plan
    assert (plan.quick, plan.pairs, plan.stop_early, plan.time_s) == (True, 3, False, None)
    assert plan.blocks == Blocks(requests=20, rounds=4, longest_s=20.0)
    assert PlanOptions(pairs=5).applied(plan).pairs == 5


def test_in_the_quick_tier_the_gate_says_only_what_is_counted() -> None:
    entries = '["latency.p99 of GET /orders", "allocation of GET /orders", "cpu"]'
    settings = ["plan.tier=quick", f"gate.metrics={entries}"]
    configuration = load(CHECKOUT / "pacecar.toml", overrides=overrides_of(settings))
    experiment = experiment_of(configuration, options=RunOptions(), sides=())
    criteria = Criteria.of(experiment)
    assert criteria.gate == ("allocation of GET /orders",)
    assert criteria.weights["GET /orders"] == 40
    full = replace(experiment, plan=replace(experiment.plan, tier=Tier.FULL))
    assert len(Criteria.of(full).gate) == 3
    # One in a hundred comparisons of the full tier may be wrong, of the quick tier one in two hundred.
    assert criteria.comparisons == 2 * Criteria.of(full).comparisons


def test_the_quick_tier_needs_the_kit_and_both_builds(tmp_path: Path) -> None:
    path = tmp_path / "pacecar.toml"
    target = '[target]\nname = "shop"\ncommand = ["{java}", "-jar", "{artifact}", "{port}"]\nready = "/ready"\n'
    own = '[scenario]\nsimulation = "shop.Load"\njar = "load.jar"\nsliced = false\n'
    (tmp_path / "load.jar").touch()
    path.write_text(target + own)
    with pytest.raises(ConfigError, match=r"plan\.tier: counts requests one by one"):
        load(path, overrides=overrides_of(["plan.tier=quick"]))
    with pytest.raises(UsageError, match="cannot use recordings"):
        recording(CHECKOUT / "pacecar.toml", settings=["plan.tier=quick"])


@pytest.mark.parametrize("setting", ["plan.warmup", "=3", ""])
def test_a_setting_without_a_key_or_value_is_refused(setting: str) -> None:
    with pytest.raises(UsageError, match="is not KEY=VALUE"):
        overrides_of([setting])


def test_an_unknown_key_is_said() -> None:
    with pytest.raises(ConfigError, match="did you mean"):
        load(CHECKOUT / "pacecar.toml", overrides=overrides_of(["plan.warmupp=40s"]))


ACCEPTED = """
[[accepted]]
metric = "cpu"
reason = "checks addresses now"
by = "Ada"
until = 2027-01-31
"""


def test_what_is_accepted_holds_until_its_last_day(tmp_path: Path) -> None:
    path = tmp_path / "pacecar.toml"
    path.write_text(
        (CHECKOUT / "pacecar.toml").read_text().replace("targets/orders", str(CHECKOUT / "targets/orders")) + ACCEPTED
    )
    configuration = load(path)
    refuse_expired(configuration, today=date(2027, 1, 31))
    with pytest.raises(ConfigError, match=r"accepted\[0\]: cpu was accepted by Ada until 2027-01-31, which has passed"):
        refuse_expired(configuration, today=date(2027, 2, 1))
