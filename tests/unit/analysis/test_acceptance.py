from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.analysis.verdicts.acceptance import with_acceptances
from pacecar.cli.exits import FailOn, exit_code
from pacecar.model.comparison import Comparison, Verdict
from pacecar.model.experiment import Acceptance
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.document.warning_lines import warning_lines
from support.recordings import manifest

CPU = Acceptance(metric="cpu", endpoint=None, reason="checks addresses now", by="Ada", until=date(2027, 1, 31))


@pytest.fixture
def slower(make_pairs, truth) -> Comparison:
    pairs = make_pairs(5, candidate=truth(cpu_ms=2.0))
    return compare_pairs(pairs, Criteria(gate=("cpu", "allocation")))


def _document(comparison: Comparison) -> Document:
    return build_document(comparison, manifest(), None, ())


def test_what_is_accepted_has_regressed_but_stops_nobody(slower: Comparison) -> None:
    document = _document(with_acceptances(slower, [CPU]))
    assert document.verdict is Verdict.REGRESSED
    assert document.accepted
    assert document.standing is Verdict.PASSED
    assert exit_code(document.standing, FailOn.REGRESSION) == 0
    told = next(metric.accepted for metric in document.judgements if metric.name == "cpu")
    assert told == "until 2027-01-31 by Ada: checks addresses now"


def test_another_regression_still_fails(make_pairs, truth) -> None:
    pairs = make_pairs(5, candidate=truth(cpu_ms=2.0, allocated_bytes=60_000.0))
    comparison = compare_pairs(pairs, Criteria(gate=("cpu", "allocation")))
    document = _document(with_acceptances(comparison, [CPU]))
    assert not document.accepted
    assert exit_code(document.standing, FailOn.REGRESSION) == 1


def test_an_endpoint_is_accepted_by_itself(slower: Comparison) -> None:
    elsewhere = replace(CPU, endpoint="GET /a")
    assert not _document(with_acceptances(slower, [elsewhere])).accepted


def test_what_nobody_had_to_accept_is_said(make_pairs) -> None:
    quiet = compare_pairs(make_pairs(5), Criteria(gate=("cpu",)))
    accepted = with_acceptances(quiet, [CPU])
    said = "cpu is accepted until 2027-01-31, but has not regressed. Remove it from [[accepted]]."
    assert said in warning_lines(accepted.cautions)
    assert _document(accepted).standing is _document(quiet).verdict


def test_findings_carry_it_too(slower: Comparison) -> None:
    findings = with_acceptances(slower, [CPU]).findings
    assert [finding.judgement.accepted for finding in findings if finding.judgement.metric.name == "cpu"] == [CPU]
