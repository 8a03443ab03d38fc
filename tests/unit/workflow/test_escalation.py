"""Whether the full tier follows the quick one: each thing that may call for it, and what goes before what."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.model.comparison import Role, Verdict
from pacecar.model.tiers import Escalation, Trigger
from pacecar.reporting.document import Document
from pacecar.workflow.escalation import Occasion, WrongLabel, decided, require_label
from support.documents import passed, run

EXAMPLE = run()
PASSED = replace(EXAMPLE, comparison=passed()).document()
REGRESSED = EXAMPLE.document()
SAME = replace(PASSED, mode="unmeasured")
PUSHED = Occasion(event="pull_request", full_label="pacecar-full")
NEVER = Escalation(on=(Trigger.NEVER,))


def _with(verdict: Verdict) -> Document:
    return replace(PASSED, verdict=verdict)


def _accepted() -> Document:
    until = "until 2027-01-01 by ada: it is worth it"
    judged = tuple(
        replace(each, accepted=until) if each.verdict is Verdict.REGRESSED and each.role is not Role.OBSERVED else each
        for each in REGRESSED.judgements
        if each.verdict is not Verdict.INCONCLUSIVE
    )
    return replace(REGRESSED, judgements=judged)


@pytest.mark.parametrize(
    ("quick", "full", "said"),
    [
        (REGRESSED, True, "The quick tier found a regression, which calls for the full one."),
        (_with(Verdict.INCONCLUSIVE), True, "The quick tier could not decide, which calls for the full one."),
        (_with(Verdict.INVALID), True, "The quick tier cannot be trusted, which calls for the full one."),
        (PASSED, False, "The quick tier passed, which does not call for the full one."),
        (_with(Verdict.IMPROVED), False, "The quick tier found an improvement, which does not call for the full one."),
        (_with(Verdict.UNCHANGED), False, "The quick tier passed, which does not call for the full one."),
        (
            _accepted(),
            False,
            "The quick tier found nothing but what is accepted, which does not call for the full one.",
        ),
        (SAME, False, "The builds are the same, so the full tier would measure nothing."),
    ],
)
def test_what_was_found_calls_for_it_or_not(quick: Document, full: bool, said: str) -> None:
    decision = decided(quick, changed=["shop.Orders"], occasion=PUSHED, rule=Escalation())
    assert (decision.full, decision.why) == (full, said)


@pytest.mark.parametrize("verdict", Verdict)
def test_the_rule_names_the_verdicts(verdict: Verdict) -> None:
    quick = _with(verdict)
    word = Trigger.PASSED if verdict is Verdict.UNCHANGED else Trigger(verdict.value)
    for call in Trigger:
        decision = decided(quick, changed=["A"], occasion=PUSHED, rule=Escalation(on=(call,)))
        assert decision.full == (call in (word, Trigger.ALWAYS))
    assert not decided(quick, changed=["A"], occasion=PUSHED, rule=Escalation(on=())).full


@pytest.mark.parametrize("quick", [PASSED, REGRESSED])
def test_a_label_and_the_clock_go_before_the_rule(quick: Document) -> None:
    for labels in (["pacecar-full"], ["bug", "Pacecar-FULL "]):
        decision = decided(quick, changed=[], occasion=replace(PUSHED, labels=labels), rule=NEVER)
        assert decision.full
        assert decision.why == f'The label "{labels[-1].strip()}" asks for the full tier.'
    for event, said in (("schedule", "A schedule"), ("workflow_dispatch", "This run was started by hand")):
        decision = decided(quick, changed=[], occasion=Occasion(event=event), rule=NEVER)
        assert decision.full
        assert decision.why.startswith(said)


@pytest.mark.parametrize("labels", [[], ["pacecar"], ["pacecar-full-text"], ["\u202epacecar-full"], ["", " "]])
def test_other_labels_ask_for_nothing(labels: list[str]) -> None:
    assert not decided(PASSED, changed=[], occasion=replace(PUSHED, labels=labels), rule=NEVER).full
    nothing = replace(PUSHED, labels=labels, full_label=None)
    assert not decided(PASSED, changed=[], occasion=nothing, rule=NEVER).full


def test_builds_that_are_the_same_call_for_nothing_whatever_is_asked() -> None:
    asked = Occasion(event="schedule", labels=["x"], full_label="x")
    always = Escalation(on=(Trigger.ALWAYS,))
    assert not decided(SAME, changed=[], occasion=asked, rule=always).full
    assert decided(PASSED, changed=[], occasion=PUSHED, rule=always).why.startswith("The full tier follows every")


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("shop.orders", "shop.orders.Cart", True),
        ("shop.orders", "shop.orders.cart.Line", True),
        ("shop.orders", "shop.ordersarchive.Cart", False),
        ("shop.orders.Cart", "shop.orders.Cart", True),
        ("shop.orders.Cart", "shop.orders.Cart$Line", True),
        ("shop.orders.Cart", "shop.orders.Carts", False),
        ("shop.*.Cache*", "shop.orders.CacheOfPrices", True),
        ("shop.*.Cache*", "shop.a.b.CacheOfPrices$Entry", True),
        ("shop.*.Cache*", "shop.orders.PriceCache", False),
        ("*", "Anything", True),
        ("Shop", "shop.Orders", False),
    ],
)
def test_a_pattern_is_a_class_a_package_or_what_stars_stand_for(pattern: str, name: str, matches: bool) -> None:
    rule = Escalation(on=(), classes=("none.such", pattern))
    decision = decided(PASSED, changed=["other.Thing", name], occasion=PUSHED, rule=rule)
    matched = ["other.Thing", name] if pattern == "*" else [name]
    more = " and 1 more" if pattern == "*" else ""
    said = f"The builds differ in {matched[0]}{more} (plan.escalate.classes)."
    assert (decision.full, decision.why == said) == (matches, matches)


def test_classes_that_are_not_known_rule_nothing_out() -> None:
    rule = Escalation(classes=("shop.orders",))
    assert "No changed class can be named" in decided(PASSED, changed=[], occasion=PUSHED, rule=rule).why
    assert not decided(PASSED, changed=[], occasion=PUSHED, rule=Escalation()).full


@pytest.mark.hostile
def test_thousands_of_long_names_and_patterns_of_stars_are_soon_decided() -> None:
    names = [f"{'a' * 5_000}.B{number}" for number in range(50)]
    rule = Escalation(on=(), classes=tuple(f"{'*a' * 40}{number}" for number in range(20)))
    decision = decided(PASSED, changed=[*names, "a" * 60_000], occasion=PUSHED, rule=rule)
    assert not decision.full
    long = decided(PASSED, changed=["a" * 60_000], occasion=PUSHED, rule=Escalation(classes=("a*",)))
    assert len(long.why) < 200


@pytest.mark.parametrize(
    "label", ["pacecar-full", " run: full ", "volle Prüfung", "\N{ROCKET} full", "a,b;c|d`e<f>", ""]
)
def test_a_label_may_be_nearly_anything(label: str) -> None:
    assert require_label(label) == (label.strip() or None)


@pytest.mark.parametrize("label", ["a\nb", "a\x00", "x" * 101, "a\u2028b", "\x1b[31mred"])
def test_what_is_no_label_is_a_sentence(label: str) -> None:
    with pytest.raises(WrongLabel, match="cannot be the label that asks for the full tier") as refused:
        require_label(label)
    assert refused.value.message.isprintable()
    assert refused.value.hint


@given(labels=st.lists(st.text(max_size=60)), verdict=st.sampled_from(list(Verdict)), classes=st.lists(st.text()))
def test_whatever_comes_is_decided_in_a_sentence(labels: list[str], verdict: Verdict, classes: list[str]) -> None:
    for event, rule in itertools.product(("pull_request", "push"), (NEVER, Escalation(classes=("a*",)))):
        occasion = Occasion(event=event, labels=labels, full_label="pacecar-full")
        assert decided(_with(verdict), changed=classes, occasion=occasion, rule=rule).why.endswith(".")
