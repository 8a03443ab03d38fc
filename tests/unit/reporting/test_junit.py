from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from pacecar.reporting.document import Document
from pacecar.reporting.junit import junit
from support.documents import HOSTILE


def test_a_case_for_each_gated_metric(document: Document) -> None:
    suite = ElementTree.fromstring(junit(document)).find("testsuite")
    assert suite is not None
    gated = [metric for metric in document.judgements if metric.gated]
    assert int(suite.attrib["tests"]) == len(gated) == len(suite.findall("testcase"))
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


def test_names_that_xml_cannot_hold(document: Document) -> None:
    metric = replace(document.judgements[0], endpoint=HOSTILE + "\x00\uffff", reason="]]>" + HOSTILE)
    suite = ElementTree.fromstring(junit(replace(document, judgements=(metric,)))).find("testsuite")
    assert suite is not None
    case = suite.find("testcase")
    assert case is not None
    assert case.attrib["classname"] == HOSTILE + "\ufffd\ufffd"
