"""Settings given on the command line: kept in the manifest, and read back from it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pacecar.errors import UsageError
from pacecar.inputs.config import ConfigError, kept_overrides, load
from pacecar.model.options import PlanOptions, RunOptions
from pacecar.workflow.experiments import as_arguments, overrides_of, refuse_expired
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
