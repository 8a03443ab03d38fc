"""The document as JUnit XML, which nearly every CI shows: a test case for each gated metric.

Shape: as Apache Ant's JUnit task writes it and CI systems read it (suites, cases, failure, error, skipped).
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pacecar.comparison import Verdict
from pacecar.report.document import Document, wording
from pacecar.report.document.shapes import JudgedMetric

#: What XML 1.0 cannot hold (section 2.2), even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Verdict -> element that says so; the others pass.
_ELEMENTS = {Verdict.REGRESSED: "failure", Verdict.INVALID: "error", Verdict.INCONCLUSIVE: "skipped"}


def junit(document: Document) -> str:
    """The document as XML. A case fails when its metric regressed; undecided ones are skipped, invalid ones errors."""
    gated = [metric for metric in document.judgements if metric.gated]
    counts = {element: sum(_ELEMENTS.get(m.verdict) == element for m in gated) for element in ("failure", "error")}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name="pacecar",
        tests=str(len(gated)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(sum(m.verdict is Verdict.INCONCLUSIVE for m in gated)),
        time=f"{document.provenance.duration_s:.1f}",
        timestamp=_text(document.created.removesuffix("Z")),
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("run", document.run_id), ("verdict", document.verdict.value), ("headline", document.headline)):
        ElementTree.SubElement(properties, "property", name=name, value=_text(value))
    for metric in gated:
        _case(suite, metric)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, metric: JudgedMetric) -> None:
    place = _text(metric.endpoint or "service")
    case = ElementTree.SubElement(suite, "testcase", classname=place, name=_text(wording.quantity(metric)))
    element = _ELEMENTS.get(metric.verdict)
    if element is None:
        ElementTree.SubElement(case, "system-out").text = _text(metric.reason)
    else:
        told = ElementTree.SubElement(case, element, message=_text(f"{wording.phrase(metric)}: {metric.reason}"))
        told.text = _text(metric.reason)


def _text(text: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
