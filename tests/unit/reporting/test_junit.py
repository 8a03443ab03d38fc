from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from pacecar.model.comparison import Role
from pacecar.reporting.document import Document
from pacecar.reporting.junit import junit
from support.documents import HOSTILE


def test_a_case_for_each_guaranteed_metric(document: Document) -> None:
    suite = ElementTree.fromstring(junit(document)).find("testsuite")
    assert suite is not None
    guaranteed = [metric for metric in document.judgements if metric.role is Role.GUARANTEED]
    assert int(suite.attrib["tests"]) == len(guaranteed) == len(suite.findall("testcase"))
    failed = [case for case in suite.findall("testcase") if case.find("failure") is not None]
    assert [(case.attrib["classname"], case.attrib["name"]) for case in failed] == [
        ("GET /orders", "p99"),
        ("service", "CPU per request"),
    ]
    assert suite.attrib["failures"] == "2"
    assert len(suite.findall("testcase/skipped")) == int(suite.attrib["skipped"]) == 1
    failure = failed[0].find("failure")
    assert failure is not None
    assert "GET /orders p99 is 12.4% slower" in failure.attrib["message"]


def test_a_tripwire_is_a_case_once_it_regressed(document: Document) -> None:
    tripped = replace(document.judgements[1], role=Role.TRIPWIRE)
    quiet = replace(document.judgements[6], role=Role.TRIPWIRE)
    observed = replace(document.judgements[1], role=Role.OBSERVED)
    suite = ElementTree.fromstring(junit(replace(document, judgements=(tripped, quiet, observed)))).find("testsuite")
    assert suite is not None
    assert [case.attrib["name"] for case in suite.findall("testcase")] == ["CPU per request"]


def test_names_that_xml_cannot_hold(document: Document) -> None:
    metric = replace(document.judgements[0], endpoint=HOSTILE + "\x00\uffff", reason="]]>" + HOSTILE)
    suite = ElementTree.fromstring(junit(replace(document, judgements=(metric,)))).find("testsuite")
    assert suite is not None
    case = suite.find("testcase")
    assert case is not None
    assert case.attrib["classname"] == HOSTILE + "\ufffd\ufffd"
