"""A search for a commit: comparison after comparison, each kept before the next begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar.analysis import bisect
from pacecar.archive import RunError, archive_of
from pacecar.archive.bisections import find_bisection, owned, run_of, store
from pacecar.archive.runs import RunDirectory, RunTaken
from pacecar.errors import MeasurementError, PacecarError, UsageError
from pacecar.inputs import config
from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import make
from pacecar.inputs.builds.commits import History
from pacecar.measurement.deploy import DeployError
from pacecar.measurement.session.request import Request
from pacecar.model.bisection import Bisection, BisectionStep, Candidate, Outcome, Seen
from pacecar.model.comparison import Role, Verdict
from pacecar.model.experiment import Experiment, Side
from pacecar.model.options import RunOptions, Terms
from pacecar.model.recording import BuiltSide, RunState
from pacecar.reporting.document import Document
from pacecar.system.resources import Resources
from pacecar.system.resources.machine import alone_on_machine
from pacecar.workflow.evaluating import evaluate
from pacecar.workflow.measuring import UNOBSERVED, Observer, measure
from pacecar.workflow.publishing import publish
from pacecar.workflow.requests import request_of

#: Messages of builds and services may be long.
_LONGEST_REASON = 400


class NotToBeTrusted(MeasurementError):
    """The comparison of the bad commit with the good one is invalid, and was so twice."""


#: Exit code of a search that ends with more than one commit, or with ends that cannot be told apart.
UNDECIDED = 4


class NothingToFind(UsageError):
    """The bad commit is not slower than the good one in anything that could be followed."""


class NotCertain(PacecarError):
    """Whether the bad commit is slower than the good one could not be decided."""

    exit_code = UNDECIDED


def search_of(bisection: Bisection, observer: Observer = UNOBSERVED, *, archive: Path | None = None) -> Search:
    """The search that `bisection` is the state of.

    Args:
        bisection: from `requests.search`, or as it was stored.
        observer: told what goes on.
        archive: where it is stored; None for that of the project it was begun in.
    """
    path = Path(bisection.config)
    configuration = config.parse(bisection.configuration, path)
    return Search(
        bisection=bisection,
        archive=archive or archive_of(path),
        history=History.of(configuration.source),
        observer=observer,
    )


@dataclass(kw_only=True)
class Search:
    """One search in progress.

    Attributes:
        bisection: as far as it has got, and as it is stored.
        archive: where it is stored.
        history: the commits.
        observer: told about each commit before and after it is measured, and what goes on meanwhile.
    """

    bisection: Bisection
    archive: Path
    history: History
    observer: Observer

    @property
    def comparisons(self) -> int:
        """About how many comparisons it takes in all: that of the ends, then one for each halving of the commits."""
        return 1 + bisect.steps_left(self.bisection.candidates)

    @contextmanager
    def alone(self, *, wait: bool = True, resumed: bool = False) -> Iterator[None]:
        """Nobody else goes on with this search, nor measures between two of its comparisons."""
        search_id = self.bisection.bisection_id
        with owned(self.archive, search_id), alone_on_machine(wait=wait, tell=self.observer.note):
            if resumed:  # somebody else may have gone on with it since it was read
                self.bisection = find_bisection(self.archive, search_id)
            yield

    def suspects(self) -> tuple[str, ...]:
        """Store the search, compare its ends and then commit after commit: the commits of which one did it.

        Raises:
            NothingToFind: when the bad commit is not slower in anything that could be followed.
            NotCertain: when whether it is cannot be decided.
            PacecarError: when something else than a commit is in the way; what was measured is kept.
        """
        store(self.archive, self.bisection)
        ends = self.compare_ends()
        found = self.run() if self.bisection.followed else ()
        if not found:
            raise _nothing_to_find(self.bisection, ends)
        return found

    def compare_ends(self) -> BisectionStep:
        """Compare the bad commit with the good one, unless that was done; what is followed comes from it.

        Raises:
            NotToBeTrusted: when nothing can be concluded from the comparison.
        """
        if self.bisection.ends is not None:
            return self.bisection.ends
        good, bad = self.bisection.good, self.bisection.bad
        self.observer.note(f"the ends first: {bad.ref} against {good.ref}")
        terms = bisect.terms_of_ends(self.bisection.metric, self.bisection.endpoint)
        document, built = self._compared(bad.commit, terms)
        if document.verdict is Verdict.INVALID:
            raise NotToBeTrusted(
                f"The comparison of {bad.ref} with {good.ref} is invalid: {document.reason}",
                hint=f"See what was measured: pacecar open {document.run_id}",
            )
        ends = BisectionStep(
            commit=bad.commit,
            outcome=Outcome.BAD,
            reason=document.headline,
            run_id=document.run_id,
            artifact_sha256=built[Side.CANDIDATE].artifact_sha256,
            seen=deciding(document),
        )
        most = self._request(bad.commit, terms).experiment.plan.pairs
        metrics, good_sha256 = bisect.followed(ends.seen, most=most), built[Side.BASELINE].artifact_sha256
        self._keep(replace(self.bisection, ends=ends, followed=metrics, good_sha256=good_sha256))
        return ends

    def run(self) -> tuple[str, ...]:
        """Measure commit after commit until none is left that could tell more. Returns the suspects.

        Raises:
            PacecarError: when something else than a commit is in the way; what was measured is kept.
        """
        while commit := bisect.next_commit(
            left := self._left(), bad=self.bisection.first_bad, skipped=self.bisection.skipped
        ):
            number, more = len(self.bisection.steps) + 1, bisect.steps_left(len(left))
            self.observer.note(
                f"step {number}, about {more} left: {self.history.short(commit)}, one of {len(left)} commits"
            )
            step = self._step(commit)
            self._keep(replace(self.bisection, steps=(*self.bisection.steps, step)))
            self.observer.note(f"  {step.outcome}: {step.reason}")
        return bisect.suspects(self._left(), bad=self.bisection.first_bad, skipped=self.bisection.skipped)

    def experiment(self) -> Experiment:
        """The comparison of the ends, as it is or was made."""
        terms = bisect.terms_of_ends(self.bisection.metric, self.bisection.endpoint)
        return self._request(self.bisection.bad.commit, terms).experiment

    def _left(self) -> list[Candidate]:
        bisection = self.bisection
        return self.history.candidates(bisection.goods, bisection.first_bad, first_parent=bisection.first_parent)

    def _keep(self, bisection: Bisection) -> None:
        store(self.archive, bisection)
        self.bisection = bisection

    def _step(self, commit: str) -> BisectionStep:
        terms = bisect.terms_of_step(self.bisection.followed, candidates=self.bisection.candidates)
        request = self._request(commit, terms)
        try:
            sha256 = self._built(request)
        except BuildError as error:
            return _skipped(commit, f"does not build: {error.message}")
        if twin := bisect.same_build(self.bisection, sha256):
            reason = f"is the same build as {self.history.short(twin.commit)}"
            return replace(twin, commit=commit, artifact_sha256=sha256, reason=reason)
        try:
            document, _ = self._compared(commit, terms)
        except DeployError as error:
            if error.side is not Side.CANDIDATE:
                raise
            run = self._run_of(commit)
            return _skipped(commit, f"does not start: {error.message}", run=run, sha256=sha256)
        seen = deciding(document)
        outcome, reason = bisect.outcome_of(seen, self.bisection.followed)
        if not document.measured:
            outcome, reason = Outcome.GOOD, "is the same build as the good commit"
        elif outcome is Outcome.SKIPPED and document.pairs_judged == 0:
            reason = document.reason
        return BisectionStep(
            commit=commit,
            outcome=outcome,
            reason=reason[:_LONGEST_REASON],
            run_id=document.run_id,
            artifact_sha256=sha256,
            seen=seen,
        )

    def _built(self, request: Request) -> str:
        """The digest of the commit's artifact. Built by itself first, so that its failure is told from any other."""
        experiment = request.experiment
        with Resources() as resources:
            artifact = make(
                experiment.builds[Side.CANDIDATE],
                source=experiment.source,
                resources=resources,
                log_dir=self.archive / "build-logs",
            )
        return artifact.sha256

    def _compared(self, commit: str, terms: Terms) -> tuple[Document, Mapping[Side, BuiltSide]]:
        """The comparison of `commit` with the good one: measured, or gone on with where it was interrupted.

        An invalid one is made once more: what disturbs a machine mostly passes.
        """
        request = self._request(commit, terms)
        run = self._run_of(commit)
        whole = run is not None and run.manifest.state is RunState.COMPLETE
        if run is None or not whole:
            run = self._measured(request, run)
        document = self._evaluated(run, request, just_measured=not whole)
        if document.verdict is Verdict.INVALID:
            self.observer.note(f"  again, because it cannot be trusted: {document.reason}")
            run = self._measured(request, None)
            document = self._evaluated(run, request, just_measured=True)
        return document, run.manifest.builds

    def _evaluated(self, run: RunDirectory, request: Request, *, just_measured: bool) -> Document:
        document = evaluate(
            run,
            experiment=request.experiment,
            archive=self.archive,
            just_measured=just_measured,
            note=self.observer.note,
        )
        publish(document, run)
        return document

    def _measured(self, request: Request, begun: RunDirectory | None) -> RunDirectory:
        if begun is not None:
            try:
                return measure(request, self.observer, begun=begun)
            except RunTaken:
                raise
            except RunError:  # the artifacts were forgotten meanwhile, and were built to other bytes
                pass
        return measure(request, self.observer)

    def _run_of(self, commit: str) -> RunDirectory | None:
        return run_of(self.archive, self.bisection.bisection_id, commit=commit)

    def _request(self, commit: str, terms: Terms) -> Request:
        bisection = self.bisection
        configuration = config.again(bisection.configuration, Path(bisection.config), overrides=bisection.settings)
        options = RunOptions(
            baseline=self._named(bisection.good.commit),
            candidate=self._named(commit),
            settings=bisection.settings,
            bisection=bisection.bisection_id,
            terms=terms,
        )
        return request_of(configuration, options, sides=(Side.BASELINE, Side.CANDIDATE), command="compare")

    def _named(self, commit: str) -> str:
        return f"ref:{self.history.short(commit)}"


def deciding(document: Document) -> tuple[Seen, ...]:
    """What a document says of its guaranteed metrics; where none of them regressed, of the tripwires that did, too."""
    guaranteed = [row for row in document.judgements if row.role is Role.GUARANTEED]
    tripped = [row for row in document.judgements if row.role is Role.TRIPWIRE and row.verdict is Verdict.REGRESSED]
    if any(row.verdict is Verdict.REGRESSED for row in guaranteed):
        tripped = []
    return tuple(
        Seen(
            metric=row.name,
            endpoint=row.endpoint,
            verdict=row.verdict,
            pairs=row.estimate.pairs if row.estimate else 0,
            change=row.estimate.change if row.estimate else None,
            low=row.estimate.low if row.estimate else None,
            high=row.estimate.high if row.estimate else None,
        )
        for row in [*guaranteed, *tripped]
    )


def _skipped(commit: str, reason: str, *, run: RunDirectory | None = None, sha256: str | None = None) -> BisectionStep:
    return BisectionStep(
        commit=commit,
        outcome=Outcome.SKIPPED,
        reason=reason[:_LONGEST_REASON],
        run_id=run.path.name if run else None,
        artifact_sha256=sha256,
    )


def _nothing_to_find(bisection: Bisection, ends: BisectionStep) -> PacecarError:
    """Why there is no metric to follow, with the exit code of the verdict on the ends."""
    verdicts = {each.verdict for each in ends.seen}
    between, reason = f"between {bisection.good.ref} and {bisection.bad.ref}", ends.reason.rstrip(".")
    look = f"See what was measured: pacecar open {ends.run_id}"
    if Verdict.REGRESSED in verdicts:
        return NothingToFind(f"What regressed {between} cannot be followed: {reason}.", hint=look)
    if Verdict.INCONCLUSIVE in verdicts:
        return NotCertain(
            f"It is not certain that anything became slower {between}: {reason}.",
            hint="Measure more pairs: --set plan.pairs=20; or follow one metric alone: --metric cpu",
        )
    return NothingToFind(f"By its budgets, nothing became slower {between}: {reason}.", hint=look)
