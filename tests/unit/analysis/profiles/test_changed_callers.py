"""Which changed code calls a frame that is to blame."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pacecar.analysis.causes.sentences import of_frame
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.changes import frame_changes
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.model.causes import Fact, Scope
from pacecar.model.experiment import Side
from pacecar.model.frames import FrameChange

RUN = "java.lang.Thread.run\n"
ONE = f"{RUN}shop.People.show\nshop.Dao.find"
ALL = f"{RUN}shop.People.list\nshop.Dao.all"
ALL_FOR_ONE = f"{RUN}shop.People.show\nshop.Lookup.known\nshop.Dao.all"
OTHER = f"{RUN}shop.Stock.check"
BEFORE = {ONE: 0.20, ALL: 0.50, OTHER: 2.00}
AFTER = {ALL_FOR_ONE: 0.60, ALL: 0.50, OTHER: 2.00}


@pytest.fixture
def all_of(make_pairs, truth) -> Callable[..., FrameChange]:
    """`shop.Dao.all` as it changed, with other costs and these classes changed."""

    def changed(*classes: str, after: dict[str, float] = AFTER) -> FrameChange:
        pairs = make_pairs(4, baseline=truth(stacks_ms=BEFORE), candidate=truth(stacks_ms=after))
        forks = [(MeasuredFork.of(pair, Side.BASELINE), MeasuredFork.of(pair, Side.CANDIDATE)) for pair in pairs]
        sampled = Sampled.of(forks, application=("shop.",))
        frames = frame_changes(sampled, application=("shop.",), changed_classes=classes)
        found = next(frame for frame in frames if frame.frame == "shop.Dao.all")
        assert found.blamed
        return found

    return changed


def test_the_deepest_changed_caller_is_named(all_of: Callable[..., FrameChange]) -> None:
    assert all_of("shop.People", "shop.Lookup").changed_caller == "shop.Lookup.known"
    assert all_of("shop.People").changed_caller == "shop.People.show"


def test_code_that_changed_itself_needs_no_caller(all_of: Callable[..., FrameChange]) -> None:
    assert all_of("shop.Dao", "shop.Lookup").changed_caller is None


def test_without_changed_code_on_the_way_nobody_is_named(all_of: Callable[..., FrameChange]) -> None:
    assert all_of("shop.Stock").changed_caller is None
    assert all_of().changed_caller is None


def test_whoever_calls_it_as_before_is_not_named(all_of: Callable[..., FrameChange]) -> None:
    slower = {ONE: 0.20, ALL: 1.10, OTHER: 2.00, ALL_FOR_ONE: 0.02}
    assert all_of("shop.Lookup", after=slower).changed_caller is None


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ({"shop.Lookup"}, "; called from shop.Lookup.known, whose code differs between the builds."),
        ({"shop.People"}, ", most for shop.People.show, whose code differs between the builds."),
        ({"shop.Dao"}, "; its code differs between the builds."),
        (set(), ", most for shop.People.show."),
    ],
)
def test_the_sentence(classes: set[str], said: str, all_of: Callable[..., FrameChange]) -> None:
    frame = all_of(*classes)
    fact = Fact(
        quantity="CPU time",
        unit="ms",
        scope=Scope(frame=frame.frame),
        baseline=frame.self_baseline,
        candidate=frame.self_candidate,
        change=frame.self_change,
        low=frame.low,
        high=frame.high,
        pairs=4,
    )
    assert of_frame(frame, fact, "").endswith(said)
