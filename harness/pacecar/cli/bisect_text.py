"""What `pacecar bisect` prints: its plan, and what it found.

The words of commits and builds are foreign; they are cleaned before they are shown.
"""

from __future__ import annotations

import json as jsonlib
from dataclasses import asdict, dataclass
from pathlib import Path

from pacecar.archive import RunError
from pacecar.archive.runs import find_run
from pacecar.cli.plan_text import describe
from pacecar.inputs.builds.commits import Commit, History
from pacecar.model.bisection import Bisection, BisectionStep, Outcome, Seen
from pacecar.model.experiment import Experiment
from pacecar.reporting.document import DocumentError, cause_words, load_document
from pacecar.reporting.document.shapes import FindingRow
from pacecar.reporting.document.tidy import clean_text
from pacecar.reporting.document.wording import likely_cause
from pacecar.text.units import format_duration
from pacecar.workflow.planning import seconds_of
from pacecar.workflow.searching import Search

#: Commits listed when the search could not decide between them.
_LISTED = 20
_SUBJECT = 100


def plan(search: Search, experiment: Experiment, *, json: bool) -> str:
    """The plan of a search and its minutes, for people or for scripts."""
    bisection, history, comparisons = search.bisection, search.history, search.comparisons
    seconds = comparisons * seconds_of(experiment)
    if json:
        facts = {"good": bisection.good.commit, "bad": bisection.bad.commit, "commits": bisection.candidates}
        return jsonlib.dumps(facts | {"comparisons": comparisons, "seconds": seconds}, indent=2)
    lines = [
        f"good  {_line(_cleaned(history.describe(bisection.good.commit)))}",
        f"bad   {_line(_cleaned(history.describe(bisection.bad.commit)))}",
        f"{_counted(bisection.candidates, 'commit')} between; about {_counted(comparisons, 'comparison')}, more where "
        "a commit does not build",
        f"takes about {format_duration(seconds)} for these, builds and downloads not counted; each comparison:",
        "",
        describe(experiment),
    ]
    return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """What a search came to.

    Attributes:
        bisection: all of its steps.
        suspects: the commits of which one did it; the first is the earliest known to be bad.
        seen: what the comparison of that one with the good commit said of the metrics that were followed.
        run_id: that comparison.
        finding: what it found of these metrics, the first with a cause if any has one; None when unknown.
        steps: each with its commit, the ends first.
    """

    bisection: Bisection
    suspects: tuple[Commit, ...]
    seen: tuple[Seen, ...]
    run_id: str | None
    finding: FindingRow | None
    steps: tuple[tuple[Commit, BisectionStep], ...]

    @classmethod
    def of(cls, bisection: Bisection, suspects: tuple[str, ...], *, history: History, archive: Path) -> SearchResult:
        """Look up what the search left: words of the commits, and the cause in the run of the first bad one."""
        first = bisection.step_of(suspects[0])
        assert first is not None, suspects
        keys = {each.key for each in bisection.followed}
        return cls(
            bisection=bisection,
            suspects=tuple(_cleaned(history.describe(commit)) for commit in suspects),
            seen=tuple(each for each in first.seen if each.key in keys),
            run_id=first.run_id,
            finding=_finding(archive, first.run_id, keys),
            steps=tuple((_cleaned(history.describe(step.commit)), step) for step in bisection.measured),
        )

    def as_text(self) -> str:
        """For people: the commit, what changed, the frame, every step, the next commands."""
        return "\n".join([*self._heading(), *self._changes(), *self._steps(), *self._next()])

    def as_json(self) -> str:
        """For scripts."""
        return jsonlib.dumps(
            {
                "id": self.bisection.bisection_id,
                "commit": asdict(self.suspects[0]) if len(self.suspects) == 1 else None,
                "suspects": [asdict(each) for each in self.suspects],
                "followed": [asdict(each) for each in self.bisection.followed],
                "metrics": [asdict(each) for each in self.seen],
                "cause": self.finding.causes[0].statement if self.finding and self.finding.causes else None,
                "run": self.run_id,
                "steps": [
                    asdict(commit) | {"outcome": step.outcome, "reason": clean_text(step.reason), "run": step.run_id}
                    for commit, step in self.steps
                ],
            },
            indent=2,
        )

    def _heading(self) -> list[str]:
        if len(self.suspects) == 1:
            return [f"FOUND  {_line(self.suspects[0])}"]
        lines = [f"NOT DECIDED  between {len(self.suspects)} commits, because all but the first were skipped:"]
        lines += [f"  {_line(each)}" for each in self.suspects[:_LISTED]]
        more = len(self.suspects) - _LISTED
        return [*lines, f"  and {more} more"] if more > 0 else lines

    def _changes(self) -> list[str]:
        whole = {each.key: each.change for each in self.bisection.followed}
        at, refs = self.suspects[0].short, (self.bisection.good.ref, self.bisection.bad.ref)
        ends = {each.key: each for each in self.bisection.ends.seen} if self.bisection.ends else {}
        lines = []
        for each in self.seen:
            lines.append(f"  {each.title}  {each.shown}  from {refs[0]} to {at}")
            if each.key in whole and each.key in ends and self.suspects[0].commit != self.bisection.bad.commit:
                lines.append(f"  {each.title}  {ends[each.key].shown}  from {refs[0]} to {refs[1]}")
        return [*lines, *self._cause()]

    def _cause(self) -> list[str]:
        if self.finding is None:
            return []
        sure, said = bool(self.finding.causes), likely_cause(self.finding)
        alike = self.finding.all_code
        return [f"Likely cause: {said}" if sure else said, *([cause_words.all_code(alike)] if alike else [])]

    def _steps(self) -> list[str]:
        lines = ["Steps, each compared with the good commit:"]
        for commit, step in self.steps:
            run = f"  (run {step.run_id})" if step.run_id else ""
            lines.append(f"  {step.outcome:8}{commit.short}  {clean_text(step.reason, limit=200)}{run}")
        return lines

    def _next(self) -> list[str]:
        first, shorts = self.suspects[0].short, [each.short for each in self.suspects[:_LISTED]]
        commands = [f"git show {' '.join(shorts)}"]
        commands += [f"pacecar open {self.run_id}"] if self.run_id else []
        # What does not build will not build with more pairs either.
        left = {each.commit for each in self.suspects[1:]}
        if any(commit.commit in left and step.seen for commit, step in self.steps):
            goods = [commit.short for commit, step in self.steps if step.outcome is Outcome.GOOD]
            good = goods[-1] if goods else self.bisection.good.ref
            commands.insert(0, f"pacecar bisect --good {good} --bad {first} --set plan.pairs=20")
        return [f"{'Next:' if place == 0 else '     '} {each}" for place, each in enumerate(commands)]


def _finding(archive: Path, run_id: str | None, keys: set[tuple[str, str]]) -> FindingRow | None:
    try:
        document = load_document(find_run(archive, run_id).path) if run_id else None
    except (RunError, DocumentError):  # somebody has removed the run meanwhile
        return None
    found = [each for each in document.findings if (each.metric.name, each.metric.endpoint) in keys] if document else []
    return next((each for each in found if each.causes), found[0] if found else None)


def _cleaned(commit: Commit) -> Commit:
    return Commit(
        commit=commit.commit,
        short=commit.short,
        author=clean_text(commit.author, limit=_SUBJECT),
        date=clean_text(commit.date, limit=_SUBJECT),
        subject=clean_text(commit.subject, limit=_SUBJECT),
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _line(commit: Commit) -> str:
    return f"{commit.short}  {commit.date}  {commit.author}  {commit.subject}"
