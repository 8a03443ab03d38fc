"""What a command line said about a run beside its configuration, as the run's manifest keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pacecar.model.experiment import Budget, Experiment, Plan


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What stands in place of the plan's own numbers; None leaves them.

    Attributes:
        pairs: as `Plan.pairs`.
        seed: as `Plan.seed`.
    """

    pairs: int | None = None
    seed: int | None = None

    def applied(self, plan: Plan) -> Plan:
        """`plan` with these numbers."""
        return replace(
            plan,
            pairs=plan.pairs if self.pairs is None else self.pairs,
            time_s=plan.time_s if self.pairs is None or not plan.time_by_default else None,
            seed=plan.seed if self.seed is None else self.seed,
        )


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a comparison is judged by in place of what its configuration says; None leaves that.

    Attributes:
        gate: as `Experiment.gate`.
        budgets: as `Experiment.budgets`.
        comparisons: as `Experiment.comparisons`.
    """

    gate: tuple[str, ...] | None = None
    budgets: tuple[Budget, ...] | None = None
    comparisons: int | None = None

    def applied(self, experiment: Experiment) -> Experiment:
        """`experiment`, judged by these terms."""
        return replace(
            experiment,
            gate=experiment.gate if self.gate is None else self.gate,
            budgets=experiment.budgets if self.budgets is None else self.budgets,
            comparisons=experiment.comparisons if self.comparisons is None else self.comparisons,
        )


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What was asked for on a command line.

    Attributes:
        config: where the configuration file lay, in full, on the machine that measured; None when no file was named.
        baseline: the build as it was typed; None for the configuration's.
        candidate: likewise.
        stored: the branch whose stored baseline the run is compared with; None where both sides ran side by side, and
            of a recording that is to be kept.
        plan: numbers in place of the plan's.
        settings: dotted key of the configuration -> value in place of the file's; without values that may be secrets.
            They stay text as typed, because what a key takes is known to `inputs.config` alone, which reads them again
            with the recorded file, whatever it calls a key by then.
        bisection: the search that the run is a step of; None when it is of none.
        terms: what such a step is judged by.
    """

    config: str | None = None
    baseline: str | None = None
    candidate: str | None = None
    stored: str | None = None
    plan: PlanOptions = field(default_factory=PlanOptions)
    settings: dict[str, str] = field(default_factory=dict)
    bisection: str | None = None
    terms: Terms = field(default_factory=Terms)
