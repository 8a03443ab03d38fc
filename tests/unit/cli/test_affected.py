"""The exit code of several comparisons, and names of services that can be files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.cli.affected import joint_code, parts_of, plain
from pacecar.cli.exits import FailOn
from pacecar.errors import MeasurementError, UsageError
from pacecar.github.identity import is_name
from pacecar.github.joint import names_of
from pacecar.model.comparison import Verdict
from pacecar.workflow.affected import ConfiguredService, ServiceOutcome
from support.documents import passed, run

SERVICE = ConfiguredService(name="services/orders", config=Path("services/orders/pacecar.toml"))
EXAMPLE = run()
SLOW = ServiceOutcome(service=SERVICE, document=EXAMPLE.document())
FINE = ServiceOutcome(service=SERVICE, document=replace(EXAMPLE, comparison=passed()).document())
DISTURBED = ServiceOutcome(service=SERVICE, document=replace(EXAMPLE.document(), verdict=Verdict.INVALID))
BROKEN = ServiceOutcome(service=SERVICE, failure=UsageError("It does not compile."))
GONE = ServiceOutcome(service=SERVICE, failure=MeasurementError("It does not start."))
NEW = ServiceOutcome(service=SERVICE)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ([], 0),
        ([FINE, NEW], 0),
        ([FINE, SLOW, BROKEN, GONE], 1),
        ([FINE, BROKEN, GONE, DISTURBED], 2),
        ([FINE, GONE], 3),
        ([FINE, DISTURBED], 3),
    ],
)
def test_one_code_for_all(found: list[ServiceOutcome], code: int) -> None:
    assert joint_code(found, FailOn.REGRESSION) == code


def test_what_does_not_fail_a_step_does_not_fail_it_among_others() -> None:
    assert joint_code([SLOW, FINE], FailOn.NOTHING) == 0


def test_a_service_that_is_new_is_no_failure() -> None:
    assert NEW.is_new
    assert parts_of([NEW])[0].word == "new"
    assert plain(NEW, fail_on=FailOn.REGRESSION)["exit_code"] == 0


def test_every_service_has_a_name_of_its_own() -> None:
    services = ["services/orders", "services-orders", "Shop", "ä", "x" * 200, "x" * 201]
    names = names_of(services)
    assert len(set(names.values())) == len(services)
    assert all(map(is_name, names.values()))
    assert names["Shop"] == "shop"
