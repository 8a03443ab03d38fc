"""The document as JUnit XML, which nearly every CI shows: a test case for each guaranteed metric, and for
whatever else regressed; where there is none, one for the whole comparison.

Shape: as Apache Ant's JUnit task writes it and CI systems read it (suites, cases, failure, error, skipped).
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.document import Document, wording
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.reporting.tiers import Tiers
from pacecar.text.plain import cleaned

#: What XML 1.0 cannot hold (section 2.2), even escaped.
_NO_XML = re.compile("[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Verdict -> element that says so; the others pass.
_ELEMENTS = {Verdict.REGRESSED: "failure", Verdict.INVALID: "error", Verdict.INCONCLUSIVE: "skipped"}


def junit(document: Document) -> str:
    """The document as XML. A case fails when its metric regressed; invalid ones are errors, and what is undecided, or
    accepted and so stops nobody, is skipped.
    """
    suites = ElementTree.Element("testsuites")
    _suite(suites, document, name="pacecar")
    return _written(suites)


def junit_of_tiers(tiers: Tiers) -> str:
    """Both tiers as XML, a suite for each. A full tier that was called for and is lacking is a suite with an error."""
    suites = ElementTree.Element("testsuites")
    _suite(suites, tiers.quick, name="pacecar quick")
    if tiers.full is not None:
        _suite(suites, tiers.full, name="pacecar full")
    elif tiers.failure:
        suite = _element(suites, "testsuite", name="pacecar full", tests="1", failures="0", errors="1", skipped="0")
        case = _element(suite, "testcase", classname="service", name="full tier")
        _element(case, "error", tiers.failure, message=tiers.failure)
    return _written(suites)


def _written(suites: ElementTree.Element) -> str:
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _suite(suites: ElementTree.Element, document: Document, *, name: str) -> None:
    cases = [
        metric
        for metric in document.judgements
        if metric.role is Role.GUARANTEED or (metric.role.decides and metric.verdict is Verdict.REGRESSED)
    ]
    whole = [] if cases else [_ELEMENTS.get(document.verdict)]
    elements = [*map(_outcome, cases), *whole]
    suite = _element(
        suites,
        "testsuite",
        name=name,
        tests=str(len(elements)),
        failures=str(elements.count("failure")),
        errors=str(elements.count("error")),
        skipped=str(elements.count("skipped")),
        time=f"{document.provenance.duration_s:.1f}",
        timestamp=document.created.removesuffix("Z"),
    )
    properties = _element(suite, "properties")
    told = {"run": document.run_id, "verdict": document.verdict.value, "headline": document.headline}
    for key, value in told.items():
        _element(properties, "property", name=key, value=value)
    for element in whole:  # a suite without a case counts as broken in some CI, and as passed in others
        case_name = "comparison" if document.measured else "equal builds"
        case = _element(suite, "testcase", classname="service", name=case_name)
        _told(case, element, document.reason, message=document.reason)
    for metric in cases:
        _case(suite, metric)


def _outcome(metric: JudgedMetric) -> str | None:
    """The element that says how a case went; None where it passed."""
    return "skipped" if metric.accepted else _ELEMENTS.get(metric.verdict)


def _case(suite: ElementTree.Element, metric: JudgedMetric) -> None:
    case = _element(suite, "testcase", classname=metric.endpoint or "service", name=wording.quantity(metric))
    # What is undecided is not said to be slower.
    told = wording.title(metric) if metric.verdict is Verdict.INCONCLUSIVE else wording.phrase(metric)
    accepted = f"{metric.reason.rstrip('.')}. Accepted {metric.accepted}"
    reason = accepted if metric.accepted else metric.reason
    _told(case, _outcome(metric), reason, message=f"{told}: {reason}")


def _told(case: ElementTree.Element, element: str | None, reason: str, *, message: str) -> None:
    if element is None:
        _element(case, "system-out", reason)
    else:
        _element(case, element, reason, message=message)


def _element(parent: ElementTree.Element, tag: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    """The only way from text to XML. The text may be anybody's; the library escapes what it can hold."""
    element = ElementTree.SubElement(parent, tag, {name: _held(value) for name, value in attributes.items()})
    element.text = None if text is None else _held(text)
    return element


def _held(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", cleaned(text))
