"""What `pacecar bisect` refuses, plans and prints, before and after anything is measured."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive.bisections import store
from pacecar.cli.bisect_text import SearchResult
from pacecar.inputs.builds.commits import History
from pacecar.model.bisection import Bisection, BisectionStep, End, Followed, Outcome, Seen
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import SourceTree
from pacecar.reporting.document.cause_shapes import AllCodeRow
from support.documents import run
from support.small_service import SmallService


@pytest.fixture
def service(tmp_path: Path) -> SmallService:
    """Three commits; the first is `v1`, the last has hostile words."""
    service = SmallService(tmp_path)
    for number, subject in enumerate(("first", "second", "::error:: \x1b[2J\u202e third")):
        service.commit(subject, copies=number)
        if number == 0:
            service.tag("v1")
    return service


def _pacecar(service: SmallService, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pacecar", "bisect", *arguments]
    return subprocess.run(command, cwd=service.folder, capture_output=True, text=True, check=False)


REFUSED = {
    "nothing named": ((), ["Two commits are needed", "--good v1.2 --bad HEAD"]),
    "no such ref": (("--good", "v1", "--bad", "mian"), ["There is no commit 'mian'", "Did you mean 'main'?"]),
    "an option for git": (("--good=--all", "--bad", "main"), ["There is no commit '--all'"]),
    "the same": (("--good", "main", "--bad", "HEAD"), ["main and HEAD are the same commit"]),
    "turned round": (("--good", "main", "--bad", "v1"), ["v1 came before main", "--good v1 --bad main"]),
    "unknown metric": (("--good", "v1", "--bad", "main", "--metric", "cpuu"), ["cpuu", "did you mean"]),
    "unknown endpoint": (
        ("--good", "v1", "--bad", "main", "--metric", "latency.p99", "--endpoint", "GET /reprot"),
        ["GET /reprot", "did you mean"],
    ),
    "endpoint alone": (("--good", "v1", "--bad", "main", "--endpoint", "GET /report"), ["--endpoint needs a metric"]),
    "unknown search": (("--resume", "20250301-101500-0000"), ["There is no bisection", "Begin one"]),
    "more than the search": (
        ("--resume", "x", "--bad", "main"),
        ["keeps the options it was started with"],
    ),
    "not a setting": (("--good", "v1", "--bad", "main", "--set", "plan.pears=3"), ["plan.pears"]),
}


@pytest.mark.parametrize(("arguments", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_a_mistake_is_one_sentence(service: SmallService, arguments: tuple[str, ...], said: list[str]) -> None:
    ended = _pacecar(service, *arguments)
    assert ended.returncode == 2, ended.stderr
    for words in said:
        assert words in ended.stderr
    assert ended.stderr.startswith("error: ")
    assert "Traceback" not in ended.stderr
    assert not (service.folder / ".pacecar").exists()


def test_a_dry_run_measures_and_stores_nothing(service: SmallService) -> None:
    shown = _pacecar(service, "--good", "v1", "--bad", "main", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "2 commits between; about 2 comparisons" in shown.stdout
    assert "third" in shown.stdout
    assert "\x1b" not in shown.stdout
    plain = json.loads(_pacecar(service, "--good", "v1", "--bad", "main", "--dry-run", "--json").stdout)
    assert (plain["commits"], plain["comparisons"]) == (2, 2)
    assert plain["seconds"] > 0
    assert not (service.folder / ".pacecar").exists()


def _ended(service: SmallService, *outcomes: Outcome) -> tuple[Bisection, History]:
    """A search of the three commits whose one step between came to `outcomes`."""
    history = History.of(SourceTree(root=service.folder, command=("true",), artifact="a.jar"))
    good, middle, bad = (history.commit(ref) for ref in ("v1", "main~1", "main"))
    seen = Seen(metric="cpu", endpoint="", verdict=Verdict.REGRESSED, pairs=3, change=0.2, low=0.15, high=0.25)
    search = Bisection(
        bisection_id="20250301-101500-0000",
        created="2025-03-01T10:15:00+00:00",
        good=End(ref="v1", commit=good),
        bad=End(ref="main", commit=bad),
        first_parent=False,
        candidates=2,
        configuration=(service.folder / "pacecar.toml").read_text(),
        config=str(service.folder / "pacecar.toml"),
        ends=BisectionStep(
            commit=bad, outcome=Outcome.BAD, reason="20% more CPU per request", run_id="gone", seen=(seen,)
        ),
        followed=(Followed(metric="cpu", endpoint="", change=0.2, threshold=0.095),),
        steps=tuple(BisectionStep(commit=middle, outcome=outcome, reason="\x1b[2J why") for outcome in outcomes),
    )
    return search, history


def test_what_was_found_is_shown_without_control_characters(service: SmallService, tmp_path: Path) -> None:
    search, history = _ended(service, Outcome.GOOD)
    found = SearchResult.of(search, (search.bad.commit,), history=history, archive=tmp_path)
    text = found.as_text()
    short = history.short(search.bad.commit)
    assert text.startswith(f"FOUND  {short}  ")
    assert "cpu  +20.0% [+15.0%, +25.0%]  from v1 to" in text
    assert f"Next: git show {short}\n      pacecar open gone" in text
    assert all(character.isprintable() or character == "\n" for character in text)
    plain = json.loads(found.as_json())
    assert plain["commit"]["commit"] == search.bad.commit
    assert plain["commit"]["author"] == "Ada"
    assert [step["outcome"] for step in plain["steps"]] == ["bad", "good"]


def test_what_all_code_has_in_common_is_told_where_no_cause_is_certain(service: SmallService, tmp_path: Path) -> None:
    search, history = _ended(service, Outcome.GOOD)
    nothing = SearchResult.of(search, (search.bad.commit,), history=history, archive=tmp_path)
    (row, *_) = run().document().findings
    caused = replace(nothing, finding=row)
    alike = replace(nothing, finding=replace(row, causes=(), all_code=AllCodeRow(change=0.21, low=0.168, high=0.254)))
    assert f"Likely cause: {row.causes[0].statement}\n" in caused.as_text()
    assert "No cause is certain.\nCode all over the service takes 21% more CPU time" in alike.as_text()
    told = [json.loads(each.as_json())["cause"] for each in (nothing, caused, alike)]
    assert told == [None, row.causes[0].statement, None]


def test_a_search_that_has_ended_tells_again_what_it_found(service: SmallService) -> None:
    search, _ = _ended(service, Outcome.GOOD)
    store(service.folder / ".pacecar", search)
    told = _pacecar(service, "--resume", search.bisection_id)
    assert (told.returncode, told.stdout[:7]) == (0, "FOUND  "), told.stderr
    skipped, _ = _ended(service, Outcome.SKIPPED)
    store(service.folder / ".pacecar", skipped)
    told = _pacecar(service, "--resume", search.bisection_id)
    assert told.returncode == 4, told.stderr
    assert told.stdout.startswith("NOT DECIDED  between 2 commits")
    assert "Next: git show" in told.stdout
    assert "plan.pairs" not in told.stdout
    assert search.ends is not None
    undecided = replace(skipped, steps=(replace(skipped.steps[0], seen=search.ends.seen),))
    store(service.folder / ".pacecar", undecided)
    told = _pacecar(service, "--resume", search.bisection_id)
    assert "Next: pacecar bisect --good v1 --bad" in told.stdout
    assert "--set plan.pairs=20" in told.stdout


@pytest.mark.parametrize(
    ("verdict", "status", "said"),
    [
        (Verdict.UNCHANGED, 2, "By its budgets, nothing became slower between v1 and main"),
        (Verdict.IMPROVED, 2, "By its budgets, nothing became slower between v1 and main"),
        (Verdict.INCONCLUSIVE, 4, "It is not certain that anything became slower"),
        (Verdict.REGRESSED, 2, "cannot be followed"),
    ],
)
def test_ends_that_do_not_differ_are_said(service: SmallService, verdict: Verdict, status: int, said: str) -> None:
    search, _ = _ended(service)
    assert search.ends is not None
    seen = replace(search.ends.seen[0], verdict=verdict)
    store(service.folder / ".pacecar", replace(search, ends=replace(search.ends, seen=(seen,)), followed=()))
    ended = _pacecar(service, "--resume", search.bisection_id)
    assert ended.returncode == status, ended.stderr
    assert said in ended.stderr
    assert "pacecar open gone" in ended.stderr or "--set plan.pairs=20" in ended.stderr
