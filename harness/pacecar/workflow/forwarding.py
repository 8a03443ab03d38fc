"""Profiles handed to a Pyroscope server: while a run goes on, between its pairs, or of a stored run by a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pacecar.archive.baselines import Store
from pacecar.archive.forwarded import Forwarded, forwarded, note_forwarded
from pacecar.archive.runs import RunDirectory
from pacecar.errors import MeasurementError, PacecarError
from pacecar.integrations import credentials
from pacecar.integrations.exchange import Server
from pacecar.integrations.pyroscope import Delivery, Receipt, deliver
from pacecar.model.experiment import Experiment, Pyroscope
from pacecar.model.recording import Manifest, Pair, Window
from pacecar.reporting.document import load_document
from pacecar.reporting.export.windows import window_profiles
from pacecar.workflow.evaluating import baseline_of, pyroscope_links_of
from pacecar.workflow.publishing import document_files, publish, report_page

#: Between two pairs the machine stands idle for it; a command may take its time.
_PAIR_S = 10.0
_COMMAND_PAIR_S = 120.0
#: A server that takes nothing of so many pairs in a row is left alone.
_PATIENCE = 2


class ForwardFailed(MeasurementError):
    """The server did not take everything."""


@dataclass(kw_only=True)
class Forwarder:
    """Sends pair after pair, and remembers what was taken and why the rest was not.

    Attributes:
        target: where to, and what the profiles are filed under.
        server: the same with credentials.
        seconds: longest time for one pair.
        problem: why the first window that was not taken was not; None when all were.
        left: windows that were not taken.
        sent: windows that were.
    """

    target: Pyroscope
    server: Server
    seconds: float
    problem: str | None = None
    left: int = 0
    sent: int = 0
    _failures: int = field(default=0)

    def pair(self, run: RunDirectory, pair: Pair) -> None:
        """Send the windows of `pair` that the server does not have. Never raises, for the measurement goes on."""
        try:
            self._send(run, pair)
        except PacecarError as error:  # of what was noted before
            self.problem = self.problem or error.message.rstrip(".")
            self.left += len(pair.record.windows)

    def _send(self, run: RunDirectory, pair: Pair) -> None:
        known = self._known(run)
        have = known.windows.get(pair.record.number, ())
        windows = {window.index: window for window in pair.record.windows}
        wanted = [each for each in _deliveries(run.manifest, pair, self.target) if each.key not in have]
        if not wanted:
            return
        receipt = Receipt(problem=self.problem)
        if self._failures < _PATIENCE:
            receipt = deliver(self.server, wanted, seconds=self.seconds)
        self._failures = 0 if receipt.taken else self._failures + 1
        self.problem = self.problem or receipt.problem
        self.sent += len(receipt.taken)
        self.left += len(wanted) - len(receipt.taken)
        if receipt.taken:
            note_forwarded(run.path, _more(known, pair.record.number, [windows[key] for key in receipt.taken]))

    def summary(self, run_id: str) -> str:
        """What came of it, in a line; "" when nothing went wrong."""
        if not self.left:
            return ""
        return (
            f"Pyroscope at {self.target.url} took {self.sent} of {self.sent + self.left} windows: {self.problem}. "
            f"Send the rest: pacecar forward {run_id}"
        )

    def _known(self, run: RunDirectory) -> Forwarded:
        for each in forwarded(run.path):
            if (each.url, each.service) == (self.target.url, self.target.service):
                return each
        return Forwarded(url=self.target.url, service=self.target.service, windows={}, from_ns=0, until_ns=0)


def forwarder_of(experiment: Experiment) -> Forwarder | None:
    """The forwarder for a run of `experiment`; None where its configuration names no server.

    Raises:
        CredentialsError: when the environment's variables make no sense.
    """
    target = experiment.pyroscope
    if target is None:
        return None
    return Forwarder(target=target, server=credentials.server(target.url, kind="PYROSCOPE"), seconds=_PAIR_S)


def forward(run: RunDirectory, target: Pyroscope, *, store: Store) -> int:
    """Send the windows of a stored run that `target` does not have, and let the run's report link to them.

    Returns:
        How many were sent.

    Raises:
        ForwardFailed: when the server did not take everything.
    """
    sender = Forwarder(target=target, server=credentials.server(target.url, kind="PYROSCOPE"), seconds=_COMMAND_PAIR_S)
    for pair in run.pairs():
        sender.pair(run, pair)
    _link(run, store)
    if sender.left:
        raise ForwardFailed(
            sender.summary(run.path.name),
            hint="A server refuses profiles older than its validation.reject-older-than (1 h where nobody changed it).",
        )
    return sender.sent


def _link(run: RunDirectory, store: Store) -> None:
    """Let the run's report link to what was sent; one that cannot be read is made anew by `pacecar judge`."""
    try:
        document = load_document(run.path)
        linked = replace(document, elsewhere=pyroscope_links_of(run, baseline_of(run, store)))
    except PacecarError:
        return
    publish(linked, run, (document_files, report_page))


def _deliveries(manifest: Manifest, pair: Pair, target: Pyroscope) -> list[Delivery]:
    return [
        Delivery(
            key=window.index,
            labels={
                "service_name": target.service,
                "run": manifest.run_id,
                "build": manifest.builds[window.side].label,
                "side": window.side.value,
                "pair": str(pair.record.number),
                "window": str(window.index),
            },
            profiles={profile.event: profile.content for profile in profiles},
        )
        for window, profiles in window_profiles(pair)
    ]


def _more(known: Forwarded, pair: int, windows: Sequence[Window]) -> Forwarded:
    starts = [window.start_ns for window in windows] + ([known.from_ns] if known.windows else [])
    ends = [window.end_ns for window in windows] + [known.until_ns]
    taken = {*known.windows.get(pair, ()), *(window.index for window in windows)}
    return replace(
        known, windows={**known.windows, pair: tuple(sorted(taken))}, from_ns=min(starts), until_ns=max(ends)
    )
