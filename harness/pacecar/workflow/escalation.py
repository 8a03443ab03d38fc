"""Whether the full tier is called for once the quick one has answered, and why: decided from what is known then."""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pacecar.errors import UsageError
from pacecar.model.comparison import Verdict
from pacecar.model.tiers import Escalation, Trigger
from pacecar.reporting.document import Document
from pacecar.reporting.tiers import finding_phrase

#: The longest label that GitHub takes has fifty characters; other servers may take longer ones.
_LONGEST_LABEL = 100
#: Categories of Unicode that are in no label: control characters, lone surrogates, ends of lines.
_NO_LINE = ("Cc", "Cs", "Zl", "Zp")
#: Characters of a class's name in a sentence; a jar may name its classes as it likes.
_LONGEST_CLASS = 100
#: Events by which somebody, or the clock, asks for a whole answer.
_WHOLE = {"schedule": "A schedule started this run", "workflow_dispatch": "This run was started by hand"}


class WrongLabel(UsageError):
    """What is to ask for the full tier cannot be a label."""


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """What a job runs for.

    Attributes:
        event: name of the event that started it, such as `pull_request`.
        labels: of the pull request, as somebody wrote them; empty without one.
        full_label: the one that asks for the full tier; None where none does.
    """

    event: str
    labels: Collection[str] = ()
    full_label: str | None = None


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Whether the full tier runs, and why, in a sentence."""

    full: bool
    why: str


def require_label(label: str | None) -> str | None:
    """`label`, which asks for the full tier, with the space around it left out; None where that leaves nothing.

    Raises:
        WrongLabel: when no pull request can have such a label.
    """
    found = (label or "").strip()
    if len(found) > _LONGEST_LABEL or any(unicodedata.category(each) in _NO_LINE for each in found):
        raise WrongLabel(
            f"{found[:_LONGEST_LABEL]!r} cannot be the label that asks for the full tier.",
            hint=f"A label is one line of at most {_LONGEST_LABEL} characters, such as: pacecar-full",
        )
    return found or None


def decided(quick: Document, *, changed: Sequence[str], occasion: Occasion, rule: Escalation) -> Decision:
    """Whether the full tier runs after the quick one.

    A person and the clock go before the rule. What is accepted calls for nothing, and of builds that are the same there
    is no more to be known.

    Args:
        quick: what the quick tier has found.
        changed: names of classes that differ between the builds; empty also where they are not known.
        occasion: what the job runs for.
        rule: what else calls for the full tier.
    """
    if not quick.measured:
        return Decision(full=False, why="The builds are the same, so the full tier would measure nothing.")
    asked = _asked(occasion)
    if asked:
        return Decision(full=True, why=asked)
    if Trigger.ALWAYS in rule.on:
        return Decision(full=True, why="The full tier follows every quick one (plan.escalate).")
    if _call(quick.standing) in rule.on:
        return Decision(full=True, why=f"The quick tier {finding_phrase(quick)}, which calls for the full one.")
    return _by_classes(changed, rule) or Decision(
        full=False, why=f"The quick tier {finding_phrase(quick)}, which does not call for the full one."
    )


def _asked(occasion: Occasion) -> str:
    """Who asks for the full tier whatever was found, in a sentence; "" when nobody does."""
    wanted = (occasion.full_label or "").casefold()
    label = next((label for label in occasion.labels if wanted and label.strip().casefold() == wanted), None)
    if label is not None:
        return f'The label "{label.strip()}" asks for the full tier.'
    started = _WHOLE.get(occasion.event)
    return f"{started}, so the full tier follows." if started else ""


def _by_classes(changed: Sequence[str], rule: Escalation) -> Decision | None:
    """What the changed classes call for; None where they call for nothing."""
    if not rule.classes:
        return None
    if not changed:
        return Decision(
            full=True, why="No changed class can be named, so plan.escalate.classes cannot rule the full tier out."
        )
    matching = [name for name in changed if any(_matches(name, pattern) for pattern in rule.classes)]
    if not matching:
        return None
    more = f" and {len(matching) - 1} more" if len(matching) > 1 else ""
    return Decision(
        full=True, why=f"The builds differ in {matching[0][:_LONGEST_CLASS]}{more} (plan.escalate.classes)."
    )


def _matches(name: str, pattern: str) -> bool:
    """Whether `pattern` is the class `name`, a package around it, or a class that it is nested in."""
    return any(fnmatch.fnmatchcase(name, f"{pattern}{below}") for below in ("", ".*", "$*"))


def _call(verdict: Verdict) -> Trigger:
    return Trigger.PASSED if verdict is Verdict.UNCHANGED else Trigger(verdict.value)
