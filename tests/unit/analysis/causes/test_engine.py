"""Shares, strength, roots and what follows from them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pacecar.analysis.causes.engine import explained
from pacecar.analysis.causes.finder import CauseFinder
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking
from pacecar.model.causes import Cause, Scope, Strength
from pacecar.model.comparison import Estimate, Judgement, Metric, Role, Verdict
from pacecar.model.experiment import Side

REGRESSED = Judgement(
    metric=Metric(name="cpu"),
    verdict=Verdict.REGRESSED,
    reason="",
    role=Role.GUARANTEED,
    budget=None,
    estimate=Estimate(
        pairs=5,
        baseline=1.0,
        candidate=2.0,
        change=1.0,
        low=0.9,
        high=1.1,
        per_pair=(1.0,) * 5,
        p_value=0.001,
        smallest_visible=0.1,
    ),
)
ANYWHERE = Scope()
NOT_THERE = Family(name="nothing", read=lambda _: Lacking(reason="a crystal ball"), switch_on="ball.crystal")


@pytest.fixture
def quantities(make_pairs, truth) -> Quantities:
    """Five pairs in which CPU went from 1 to 2 ms per request, give or take a percent."""
    pairs = make_pairs(5, baseline=truth(cpu_ms=1.0), candidate=truth(cpu_ms=2.0))
    return Quantities(
        pairs=[(MeasuredFork.of(pair, Side.BASELINE), MeasuredFork.of(pair, Side.CANDIDATE)) for pair in pairs]
    )


def _kind(
    name: str,
    quantities: Quantities,
    *shares: float,
    layer: Layer = Layer.DEMAND,
    moves: str = "",
    follows_from: str = "",
    needs: Sequence[Family] = (),
    scope: Scope = ANYWHERE,
    proved: bool = True,
    most: float = float("inf"),
    on_top: bool = False,
) -> CauseKind:
    """A kind that claims these shares of the change in every pair, give or take five percent of it."""
    scatter = 0.05 * np.random.default_rng(3).standard_normal(5)
    whole = quantities.change("cpu", "")
    claims = [
        Claim(
            statement=f"{name} {share}",
            scope=scope,
            facts=(),
            each=(share + scatter) * whole,
            of="cpu",
            proved=proved,
            most=most,
        )
        for share in shares
    ]
    return CauseKind(
        name=name,
        title=name,
        layer=layer,
        explains=lambda judgement: judgement.metric.name == "cpu",
        needs=tuple(needs),
        claims=lambda *_: claims,
        moves=frozenset(moves.split()),
        follows_from=frozenset(follows_from.split()),
        on_top=on_top,
    )


def _causes(quantities: Quantities, *kinds: CauseKind) -> tuple[Cause, ...]:
    return CauseFinder(quantities, kinds=kinds).causes(REGRESSED)


def _tree(causes: Sequence[Cause]) -> list[tuple[str, list[str]]]:
    return [(cause.statement, [each.statement for each in cause.consequences]) for cause in causes]


@pytest.mark.parametrize(
    ("share", "strength"),
    [(0.9, Strength.CERTAIN), (0.65, Strength.CERTAIN), (0.45, Strength.LIKELY), (0.2, None), (-0.9, None)],
)
def test_how_sure_a_cause_is_by_the_least_share_it_may_have(
    quantities: Quantities, share: float, strength: Strength | None
) -> None:
    causes = _causes(quantities, _kind("a", quantities, share))
    assert [cause.strength for cause in causes] == ([strength] if strength else [])
    for cause in causes:
        assert cause.share is not None
        assert cause.share.low < cause.share.part < cause.share.high
        assert cause.share.part == pytest.approx(share, abs=0.05)


def test_what_did_not_pass_its_test_is_likely_at_best(quantities: Quantities) -> None:
    (cause,) = _causes(quantities, _kind("a", quantities, 0.9, proved=False))
    assert cause.strength is Strength.LIKELY


def test_what_follows_is_likely_only_from_a_quarter_on(quantities: Quantities) -> None:
    below = [
        _kind("a", quantities, 0.9, moves="cpu"),
        _kind("b", quantities, 0.4, layer=Layer.SYMPTOM, follows_from="cpu"),
        _kind("c", quantities, 0.25, layer=Layer.SYMPTOM, follows_from="cpu"),
    ]
    (root,) = _causes(quantities, *below)
    strengths = {each.name: each.strength for each in root.consequences}
    assert strengths == {"b": Strength.LIKELY, "c": None}


def test_more_than_can_be_is_something_else(quantities: Quantities) -> None:
    assert _causes(quantities, _kind("a", quantities, 3.0, most=2.0)) == ()
    assert len(_causes(quantities, _kind("a", quantities, 1.5, most=2.0))) == 1


def test_a_share_that_scatters_too_much_is_none(quantities: Quantities) -> None:
    whole = quantities.change("cpu", "")
    claim = Claim(statement="", scope=Scope(), facts=(), each=whole * np.array([3.0, -1.0, 2.0, -0.5, 0.5]), of="cpu")
    kind = _kind("a", quantities)
    assert _causes(quantities, kind) == ()
    wild = CauseKind(
        name="wild", title="", layer=Layer.DEMAND, explains=kind.explains, needs=(), claims=lambda *_: [claim]
    )
    assert _causes(quantities, wild) == ()


def test_a_small_part_is_told_below_its_root_and_nowhere_else(quantities: Quantities) -> None:
    hot = _kind("hot", quantities, 0.4, moves="cpu")
    starved = _kind("starved", quantities, 0.26, layer=Layer.CONTENTION, moves="waiting", follows_from="cpu")
    behind = _kind("behind", quantities, 0.25, layer=Layer.BEHIND, follows_from="waiting")
    assert _tree(_causes(quantities, hot, starved, behind)) == [("hot 0.4", ["starved 0.26", "behind 0.25"])]
    assert _causes(quantities, starved, behind) == ()
    assert _causes(quantities, hot, _kind("apart", quantities, 0.26, layer=Layer.CONTENTION))[0].consequences == ()
    tiny = _kind("tiny", quantities, 0.1, layer=Layer.CONTENTION, follows_from="cpu")
    assert _causes(quantities, hot, tiny)[0].consequences == ()


@pytest.mark.parametrize(("share", "told"), [(0.26, False), (0.7, True)])
def test_what_explains_nothing_alone_needs_more_than_a_small_part(
    quantities: Quantities, share: float, told: bool
) -> None:
    claim = Claim(statement="a setting", scope=ANYWHERE, facts=(), alone=False)
    setting = replace(_kind("setting", quantities, moves="heap"), claims=lambda *_: [claim])
    pauses = _kind("pauses", quantities, share, layer=Layer.CONTENTION, follows_from="heap")
    assert ("a setting" in [cause.statement for cause in _causes(quantities, setting, pauses)]) is told


@pytest.mark.parametrize(("on_top", "enough"), [(True, True), (False, False)])
def test_what_comes_on_top_of_a_root_is_explained_by_it(quantities: Quantities, on_top: bool, enough: bool) -> None:
    hot = _kind("hot", quantities, 0.4, moves="cpu")
    starved = _kind("starved", quantities, 0.26, layer=Layer.CONTENTION, follows_from="cpu", on_top=on_top)
    assert not explained(_causes(quantities, hot))
    assert explained(_causes(quantities, hot, starved)) is enough


def test_what_follows_goes_below_its_root(quantities: Quantities) -> None:
    kinds = (
        _kind("calls", quantities, 0.7, moves="waiting"),
        _kind("waits", quantities, 0.8, layer=Layer.CONTENTION, moves="queue", follows_from="waiting"),
        _kind("queue", quantities, 0.9, layer=Layer.SYMPTOM, follows_from="queue"),
        _kind("heap", quantities, 0.6, layer=Layer.SUPPLY, follows_from="something-else"),
    )
    assert _tree(_causes(quantities, *kinds)) == [("calls 0.7", ["waits 0.8", "queue 0.9"]), ("heap 0.6", [])]


def test_what_two_of_a_kind_account_for_follows_from_the_larger(quantities: Quantities) -> None:
    frames = _kind("frame", quantities, 0.45, 0.25, moves="cpu")
    waits = _kind("wait", quantities, 1.1, layer=Layer.SUPPLY, follows_from="cpu")
    assert _tree(_causes(quantities, waits, frames)) == [("frame 0.45", ["wait 1.1"])]
    assert [root for root, _ in _tree(_causes(quantities, waits, _kind("frame", quantities, 0.45, moves="cpu")))] == [
        "wait 1.1",
        "frame 0.45",
    ]
    # Others of another kind may be the same work, seen from elsewhere.
    one, other = (_kind(name, quantities, share, moves="cpu") for name, share in (("a", 0.45), ("b", 0.44)))
    assert [root for root, _ in _tree(_causes(quantities, waits, one, other))] == ["wait 1.1", "a 0.45", "b 0.44"]


@pytest.mark.parametrize(
    "change",
    [
        {"layer": Layer.DEMAND},  # not above
        {"follows_from": "pauses"},  # nothing that the other moves
        {"scope": Scope(endpoint="GET /b")},  # elsewhere
    ],
)
def test_what_does_not_follow_is_a_root_of_its_own(quantities: Quantities, change: dict[str, object]) -> None:
    calls = _kind("calls", quantities, 0.7, moves="waiting", scope=Scope(endpoint="GET /a"))
    given = {"layer": Layer.CONTENTION, "follows_from": "waiting", "scope": Scope(endpoint="GET /a")} | change
    waits = _kind("waits", quantities, 0.8, **given)  # type: ignore[arg-type]
    assert {statement for statement, _ in _tree(_causes(quantities, calls, waits))} == {"calls 0.7", "waits 0.8"}


def test_a_root_that_covers_less_than_half_is_none_of_it(quantities: Quantities) -> None:
    calls = _kind("calls", quantities, 0.4, moves="waiting")
    waits = _kind("waits", quantities, 0.95, layer=Layer.CONTENTION, follows_from="waiting")
    assert _tree(_causes(quantities, calls, waits)) == [("waits 0.95", []), ("calls 0.4", [])]


def test_the_order_of_kinds_and_claims_decides_nothing(quantities: Quantities) -> None:
    kinds = [
        _kind("a", quantities, 0.5, 0.9, moves="x"),
        _kind("b", quantities, 0.9, moves="x"),
        _kind("c", quantities, 0.6, 0.6, layer=Layer.SUPPLY, follows_from="x", moves="y"),
        _kind("d", quantities, 0.7, layer=Layer.SYMPTOM, follows_from="y x"),
    ]
    trees = [_tree(_causes(quantities, *order)) for order in itertools.permutations(kinds)]
    assert all(tree == trees[0] for tree in trees)
    assert trees[0][0][0] == "a 0.9", "of equals the first by name"


def test_what_was_not_looked_at_is_said_where_roots_leave_most_open(quantities: Quantities) -> None:
    blind = _kind("blind", quantities, 0.9, needs=(NOT_THERE,))
    half = CauseFinder(quantities, kinds=[blind, _kind("a", quantities, 0.4)]).findings([REGRESSED])
    (missing,) = half[0].not_looked
    assert (missing.name, missing.lacks, missing.switch_on) == ("blind", "a crystal ball", "ball.crystal")
    assert [cause.name for cause in half[0].causes] == ["a"]
    whole = CauseFinder(quantities, kinds=[blind, _kind("a", quantities, 0.9)]).findings([REGRESSED])
    assert whole[0].not_looked == ()


def test_of_forks_of_different_days_nothing_is_certain(quantities: Quantities) -> None:
    kind = _kind("a", quantities, 0.9)
    assert CauseFinder(Quantities(pairs=()), kinds=[kind]).causes(REGRESSED) == ()
