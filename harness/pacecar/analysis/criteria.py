"""What a comparison is judged by, and what is known beside its pairs: the two shapes that every judging is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import MetricKey, Noise
from pacecar.model.experiment import Acceptance, Budget, Experiment, Query
from pacecar.model.recording import Pair
from pacecar.model.tiers import Tier


@dataclass(frozen=True, kw_only=True)
class Criteria:
    """What the user asked to be held, the same in every look at a run and in its final verdict.

    Attributes:
        budgets: largest tolerated worsenings; metrics without one fall back to the catalogue's.
        gate: the guaranteed metrics, see `roles.assign`; empty for the catalogue's.
        ignored: metrics that decide nothing, likewise.
        application: prefixes of the class names that are the user's own code.
        accepted: regressions that somebody lives with, so that they decide no look.
        queries: metrics that Prometheus was asked for.
        comparisons: how many comparisons share the level of one, as the steps of a bisection do.
        tier: what the run was to answer.
        weights: endpoint -> its share of what users ask; of endpoints of unknown share nothing.
    """

    budgets: Sequence[Budget] = ()
    gate: Sequence[str] = ()
    ignored: Sequence[str] = ()
    application: Sequence[str] = ()
    accepted: Sequence[Acceptance] = ()
    queries: Sequence[Query] = ()
    comparisons: int = 1
    tier: Tier = Tier.FULL
    weights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, experiment: Experiment) -> Criteria:
        """What `experiment` is judged by.

        The quick tier has half the level. In it nobody is asked for other metrics, and what the gate says of metrics
        that only the full tier measures is for the full tier.
        """
        tier = experiment.plan.tier
        return cls(
            budgets=experiment.budgets,
            gate=experiment.gate if tier is Tier.FULL else tuple(filter(_counted, experiment.gate)),
            ignored=experiment.ignored,
            application=experiment.target.application,
            accepted=experiment.accepted,
            queries=experiment.queries if tier is Tier.FULL else (),
            comparisons=experiment.comparisons * _SHARES[tier],
            tier=tier,
            weights={endpoint.name: endpoint.weight for endpoint in experiment.scenario.endpoints},
        )

    @property
    def tolerated(self) -> frozenset[MetricKey]:
        """Name and endpoint of what is accepted."""
        return frozenset(each.key for each in self.accepted)


#: In how many parts the level of a comparison is taken: who is answered at every push must be wronged less often.
_SHARES = {Tier.FULL: 1, Tier.QUICK: 2}


def _counted(entry: str) -> bool:
    """Whether an entry of the gate, such as `latency.p99 of GET /orders`, names a metric of the quick tier."""
    kind = METRICS.get(entry.partition(" ")[0])
    return kind is not None and Tier.QUICK in kind.tiers


@dataclass(frozen=True, kw_only=True)
class Context:
    """What is known of a run whose sides were measured side by side, beside its pairs.

    Attributes:
        history: noise of earlier runs of the same target and design on the same kind of machine.
        most: pairs of the whole plan, when the run is looked at as it goes on; None when the end is the only look.
        ended: the plan or its time came to an end, so that no look will follow; a run ends early only by a look that
            decided it.
        changed_classes: names of classes whose code differs between the builds. Their frames are believed sooner, and
            the cost of a stack without a frame of the application is theirs.
        profiled: of the quick tier, pairs that were profiled to see why; no verdict rests on them.
    """

    history: Sequence[Noise] = ()
    most: int | None = None
    ended: bool = False
    changed_classes: Sequence[str] = ()
    profiled: Sequence[Pair] = ()


@dataclass(frozen=True, kw_only=True)
class StoredContext:
    """What is known of a recording and of the baseline that it is held against, beside their forks.

    Attributes:
        machine_mismatch: why the two machines are not of one kind; None when they are.
        jvm_mismatch: which JVMs were used, where they differ: what they decide can then at most be `unchanged`, too.
        earlier: further recordings of the baseline; the spread of enough of them replaces an assumed drift.
    """

    machine_mismatch: str | None = None
    jvm_mismatch: str | None = None
    earlier: Sequence[Sequence[Pair]] = ()
