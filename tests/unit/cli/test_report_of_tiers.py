"""`pacecar report FULL --quick QUICK`: two runs of the same builds told together, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pacecar.archive.runs import RunDirectory
from pacecar.cli.results import ReportFormat, report
from pacecar.errors import UsageError
from pacecar.model.options import RunOptions
from pacecar.reporting.comment import MARKER
from pacecar.reporting.document import Document, write_document
from pacecar.reporting.tiers import Tiers, tiers_comment
from support import recordings
from support.checkout import CHECKOUT
from support.documents import passed, run

QUICK, FULL = "20260101-000000-0001", "20260101-000000-0002"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A project with a quick run that regressed and a full one that passed."""
    example, file = run(), CHECKOUT / "pacecar.toml"
    for name, comparison, tier in ((QUICK, example.comparison, "quick"), (FULL, passed(), "full")):
        options = RunOptions(config=str(file), settings={"plan.tier": tier})
        manifest = replace(recordings.manifest(), run_id=name, configuration=file.read_text(), options=options)
        made = RunDirectory.create(tmp_path / ".pacecar", manifest)
        write_document(replace(_document(comparison), run_id=name, profiles=None), made.path)
    return tmp_path / "pacecar.toml"


def _document(comparison: object) -> Document:
    return replace(run(), comparison=comparison).document()  # type: ignore[arg-type]


def _told(config: Path, format_: ReportFormat, *, full: str = FULL, quick: str = QUICK) -> str:
    output = config.with_name("told")
    assert report(full, config_path=config, format_=format_, output=output, quick=quick) == 0
    return output.read_text()


def test_both_are_one_comment_and_two_suites(config: Path) -> None:
    told = _told(config, ReportFormat.MARKDOWN)
    quick, full = (_document(each) for each in (run().comparison, passed()))
    assert told == tiers_comment(Tiers(quick=quick, full=full), marker=MARKER)
    suites = ElementTree.fromstring(_told(config, ReportFormat.JUNIT))
    assert [suite.get("name") for suite in suites] == ["pacecar quick", "pacecar full"]


def test_a_page_is_of_one_run_and_tiers_are_of_the_same_builds(config: Path) -> None:
    with pytest.raises(UsageError, match=f"Run {FULL} is not of the quick tier"):
        _told(config, ReportFormat.MARKDOWN, full=QUICK, quick=FULL)
    with pytest.raises(UsageError, match=f"Run {QUICK} is not of the full tier"):
        _told(config, ReportFormat.MARKDOWN, full=QUICK)
    with pytest.raises(UsageError, match="An HTML report covers one run"):
        _told(config, ReportFormat.HTML)
    first = _document(run().comparison)
    builds = tuple(replace(each, artifact_sha256="0" * 64) for each in first.provenance.builds)
    other = replace(first, run_id=QUICK, profiles=None, provenance=replace(first.provenance, builds=builds))
    write_document(other, config.parent / ".pacecar" / "runs" / QUICK)
    with pytest.raises(UsageError, match=f"The runs {QUICK} and {FULL} are not of the same builds"):
        _told(config, ReportFormat.MARKDOWN)
