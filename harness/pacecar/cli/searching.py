"""The conduct of a search for a commit: comparison after comparison, each kept before the next begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar import config
from pacecar.archive import RunError
from pacecar.archive.bisections import MARK, run_of, store
from pacecar.archive.runs import RunDirectory
from pacecar.bisection import Bisection, Candidate, Outcome, Seen, Step
from pacecar.builds import BuildError
from pacecar.builds.artifact import make
from pacecar.builds.commits import History
from pacecar.cli.conclude import conclude
from pacecar.cli.experiments import as_options, experiment_of, overrides_in
from pacecar.cli.measure import measured, ordered
from pacecar.comparison import Verdict
from pacecar.custody import Custody
from pacecar.deploy import DeployError
from pacecar.errors import MeasurementError
from pacecar.experiment import Experiment, Side
from pacecar.recording import BuiltSide, RunKind, RunState
from pacecar.report.document import Document
from pacecar.session.run import Order
from pacecar.studies import bisect

#: Messages of builds and services may be long.
_LONGEST_REASON = 400


class NotToBeTrusted(MeasurementError):
    """The comparison of the bad commit with the good one is invalid, and was so twice."""


@dataclass(kw_only=True)
class Search:
    """One search in progress.

    Attributes:
        bisection: as far as it has got, and as it is stored.
        archive: where it is stored.
        history: the commits.
        tell: told, in a line, about each commit before and after it is measured.
    """

    bisection: Bisection
    archive: Path
    history: History
    tell: Callable[[str], None]

    def compare_ends(self) -> Step:
        """Compare the bad commit with the good one, unless that was done; what is followed comes from it.

        Raises:
            NotToBeTrusted: when nothing can be concluded from the comparison.
        """
        if self.bisection.ends is not None:
            return self.bisection.ends
        good, bad = self.bisection.good, self.bisection.bad
        self.tell(f"the ends first: {bad.ref} against {good.ref}")
        settings = ends_settings(self.bisection)
        document, built = self._compared(bad.commit, settings=settings)
        if document.verdict is Verdict.INVALID:
            raise NotToBeTrusted(
                f"The comparison of {bad.ref} with {good.ref} is invalid: {document.reason}",
                hint=f"See what was measured: pacecar open {document.run_id}",
            )
        ends = Step(
            commit=bad.commit,
            outcome=Outcome.BAD,
            reason=document.headline,
            run_id=document.run_id,
            artifact_sha256=built[Side.CANDIDATE].artifact_sha256,
            seen=gated(document),
        )
        most = self._order(bad.commit, settings).experiment.plan.pairs
        metrics, good_sha256 = bisect.followed(ends.seen, most=most), built[Side.BASELINE].artifact_sha256
        self._keep(replace(self.bisection, ends=ends, followed=metrics, good_sha256=good_sha256))
        return ends

    def carry_out(self) -> tuple[str, ...]:
        """Measure commit after commit until none is left that could tell more. Returns the suspects.

        Raises:
            PacecarError: when something else than a commit is in the way; what was measured is kept.
        """
        while commit := bisect.next_commit(
            left := self._left(), bad=self.bisection.first_bad, skipped=self.bisection.skipped
        ):
            number, more = len(self.bisection.steps) + 1, bisect.steps_left(len(left))
            self.tell(f"step {number}, about {more} left: {self.history.short(commit)}, one of {len(left)} commits")
            step = self._step(commit)
            self._keep(replace(self.bisection, steps=(*self.bisection.steps, step)))
            self.tell(f"  {step.outcome}: {step.reason}")
        return bisect.suspects(self._left(), bad=self.bisection.first_bad, skipped=self.bisection.skipped)

    def experiment(self) -> Experiment:
        """The comparison of the ends, as it is or was made."""
        return self._order(self.bisection.bad.commit, ends_settings(self.bisection)).experiment

    def _left(self) -> list[Candidate]:
        bisection = self.bisection
        return self.history.candidates(bisection.goods, bisection.first_bad, first_parent=bisection.first_parent)

    def _keep(self, bisection: Bisection) -> None:
        store(self.archive, bisection)
        self.bisection = bisection

    def _step(self, commit: str) -> Step:
        settings = bisect.settings_of(self.bisection.followed, candidates=self.bisection.candidates)
        order = self._order(commit, settings)
        try:
            sha256 = self._built(order)
        except BuildError as error:
            return _skipped(commit, f"does not build: {error.message}")
        if twin := bisect.same_build(self.bisection, sha256):
            reason = f"is the same build as {self.history.short(twin.commit)}"
            return replace(twin, commit=commit, artifact_sha256=sha256, reason=reason)
        try:
            document, _ = self._compared(commit, settings=settings)
        except DeployError as error:
            if error.side is not Side.CANDIDATE:
                raise
            run = self._run_of(commit)
            return _skipped(commit, f"does not start: {error.message}", run=run, sha256=sha256)
        seen = gated(document)
        outcome, reason = bisect.outcome_of(seen, self.bisection.followed)
        if outcome is Outcome.SKIPPED and document.pairs_judged == 0:
            reason = document.reason
        return Step(
            commit=commit,
            outcome=outcome,
            reason=reason[:_LONGEST_REASON],
            run_id=document.run_id,
            artifact_sha256=sha256,
            seen=seen,
        )

    def _built(self, order: Order) -> str:
        """The digest of the commit's artifact. Built by itself first, so that its failure is told from any other."""
        experiment = order.experiment
        with Custody() as custody:
            artifact = make(
                experiment.builds[Side.CANDIDATE],
                source=experiment.source,
                custody=custody,
                log_dir=self.archive / "build-logs",
            )
        return artifact.sha256

    def _compared(self, commit: str, *, settings: dict[str, str]) -> tuple[Document, Mapping[Side, BuiltSide]]:
        """The comparison of `commit` with the good one: measured, or gone on with where it was interrupted.

        An invalid one is made once more: what disturbs a machine mostly passes.
        """
        order = self._order(commit, settings)
        run = self._run_of(commit)
        whole = run is not None and run.manifest.state is RunState.COMPLETE
        if run is None or not whole:
            run = self._measured(order, run)
        document = conclude(run, experiment=order.experiment, archive=self.archive, just_measured=not whole)
        if document.verdict is Verdict.INVALID:
            self.tell(f"  once more, for it cannot be trusted: {document.reason}")
            run = self._measured(order, None)
            document = conclude(run, experiment=order.experiment, archive=self.archive, just_measured=True)
        return document, run.manifest.builds

    def _measured(self, order: Order, begun: RunDirectory | None) -> RunDirectory:
        if begun is not None:
            try:
                return measured(order, begun)
            except RunError:  # the artifacts were forgotten meanwhile, and were built to other bytes
                pass
        return measured(order, None)

    def _run_of(self, commit: str) -> RunDirectory | None:
        return run_of(self.archive, self.bisection.bisection_id, commit=commit)

    def _order(self, commit: str, settings: dict[str, str]) -> Order:
        bisection = self.bisection
        overrides = overrides_in(bisection.options) | settings
        path = Path(bisection.options["config"])
        configuration = config.parse(bisection.configuration, path, overrides=overrides)
        named = {"baseline": self._named(bisection.good.commit), "candidate": self._named(commit)}
        options = named | as_options(overrides)
        experiment = experiment_of(configuration, options=options, sides=(Side.BASELINE, Side.CANDIDATE))
        order = ordered(configuration, experiment, kind=RunKind.PAIRED, options=options, command="compare")
        return replace(order, options=order.options | {MARK: bisection.bisection_id})

    def _named(self, commit: str) -> str:
        return f"ref:{self.history.short(commit)}"


def gated(document: Document) -> tuple[Seen, ...]:
    """What a document says of its gated metrics."""
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
        for row in document.judgements
        if row.gated
    )


def ends_settings(bisection: Bisection) -> dict[str, str]:
    """What the comparison of the ends is given: the metric that was asked for, as its gate."""
    asked = bisection.options.get("metric", "")
    return bisect.gate_of(asked, bisection.options.get("endpoint", "")) if asked else {}


def _skipped(commit: str, reason: str, *, run: RunDirectory | None = None, sha256: str = "") -> Step:
    return Step(
        commit=commit,
        outcome=Outcome.SKIPPED,
        reason=reason[:_LONGEST_REASON],
        run_id=run.path.name if run else "",
        artifact_sha256=sha256,
    )
