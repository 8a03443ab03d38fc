"""`pacecar compare --affected BASE`: every service of a repository, told together."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pacecar.cli.exits import FailOn, exit_code, gravest
from pacecar.cli.printing import colours, say, say_table
from pacecar.reporting.document.files import DOCUMENT_NAME
from pacecar.reporting.joint import ServiceResult, headline
from pacecar.reporting.terminal import summary
from pacecar.workflow.affected import Against, Compare, ServiceOutcome, compare_service, require_base, services_around
from pacecar.workflow.publishing import REPORT_NAME, share


def outcomes(folder: Path, against: Against, *, compare: Compare) -> list[ServiceOutcome]:
    """Compare all services of the repository around `folder`, one after the other, and say which is next.

    Raises:
        UsageError: when there are none, or no such commit to compare them with.
    """
    services = services_around(folder)
    require_base(against.base, folder=folder)
    found = []
    for number, service in enumerate(services, start=1):
        say(f"service {number} of {len(services)}: {service.name}", err=True)
        outcome = compare_service(service, against, compare=compare)
        found.append(outcome)
        if outcome.run is not None and outcome.request is not None:
            request = outcome.request
            share(outcome.run, archive=request.archive, shared=request.shared, note=lambda line: say(line, err=True))
        if outcome.failure is not None:
            say(f"  failed: {outcome.failure.message}", err=True)
    return found


def parts_of(found: Sequence[ServiceOutcome]) -> list[ServiceResult]:
    """The outcomes as reports tell them."""
    return [
        ServiceResult(
            name=each.service.name,
            document=each.document,
            failure=each.failure.message if each.failure is not None else None,
        )
        for each in found
    ]


def show_all(found: Sequence[ServiceOutcome], *, json: bool, fail_on: FailOn) -> int:
    """Print all outcomes together and return the exit code of the whole."""
    if json:
        say(json_text.dumps([plain(each, fail_on=fail_on) for each in found], indent=2))
        return joint_code(found, fail_on)
    parts = parts_of(found)
    for each, part in zip(found, parts, strict=True):
        if each.document is not None and each.document.measured:
            say(f"\n{part.name}")
            say(summary(each.document, colour=colours()))
        if each.failure is not None:
            say(f"\n{part.name}")
            say(f"FAILED  {each.failure.told}")
    say("")
    say_table(["service", "verdict", ""], [[part.name, part.word, part.sentence] for part in parts])
    say(f"\n{headline(parts)}")
    return joint_code(found, fail_on)


def plain(outcome: ServiceOutcome, *, fail_on: FailOn) -> dict[str, Any]:
    """One outcome for a script; paths are absolute."""
    run, document, failure = outcome.run, outcome.document, outcome.failure
    return {
        "service": outcome.service.name,
        "config": str(outcome.service.config),
        "verdict": document.verdict.value if document else None,
        "measured": document.measured if document else False,
        "new": outcome.is_new,
        "headline": document.headline if document else None,
        "reason": document.reason if document else None,
        "failure": failure.message if failure else None,
        "exit_code": _code(outcome, fail_on),
        "document": str((run.path / DOCUMENT_NAME).resolve()) if run else None,
        "report": str((run.path / REPORT_NAME).resolve()) if run else None,
    }


def joint_code(found: Sequence[ServiceOutcome], fail_on: FailOn) -> int:
    """The exit code of all outcomes: 1 where anything regressed, else 2 where one failed, else 3, else 4."""
    return gravest([_code(each, fail_on) for each in found])


def _code(outcome: ServiceOutcome, fail_on: FailOn) -> int:
    if outcome.failure is not None:
        return outcome.failure.exit_code
    return exit_code(outcome.document.standing, fail_on) if outcome.document is not None else 0
