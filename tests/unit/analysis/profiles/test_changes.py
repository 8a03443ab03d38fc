"""Which frames changed."""

from __future__ import annotations

import math

import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.changes import MOST_CHANGED, MOST_COSTLY, described_frames, frame_changes
from pacecar.analysis.profiles.sampled import Sampled, unpaired
from pacecar.model.experiment import Side
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Pair

PRICE = "java.lang.Thread.run\nshop.Orders.price\njava.util.HashMap.get"
STOCK = "java.lang.Thread.run\nshop.Stock.check"
GONE = "java.lang.Thread.run\nshop.Legacy.audit"
IDLE = "java.lang.Thread.run\njdk.Selector.poll"
BASELINE = {PRICE: 0.20, STOCK: 2.00, GONE: 0.30, IDLE: 5.0}
CANDIDATE = {PRICE: 0.60, STOCK: 2.00, IDLE: 7.0}


def _forks(pairs: list[Pair]) -> list[tuple[MeasuredFork, MeasuredFork]]:
    return [(MeasuredFork.of(pair, Side.BASELINE), MeasuredFork.of(pair, Side.CANDIDATE)) for pair in pairs]


def _sampled(pairs: list[Pair], *, application: tuple[str, ...] = ("shop.",)) -> Sampled:
    return Sampled.of(_forks(pairs), application=application)


@pytest.fixture
def frames(make_pairs, truth) -> tuple[FrameChange, ...]:
    pairs = make_pairs(4, baseline=truth(stacks_ms=BASELINE), candidate=truth(stacks_ms=CANDIDATE))
    return frame_changes(_sampled(pairs), application=("shop.",))


def _named(frames: tuple[FrameChange, ...], name: str) -> FrameChange:
    return next(frame for frame in frames if frame.frame == name)


def test_ranking_is_by_blame_then_application_first(frames: tuple[FrameChange, ...]) -> None:
    assert [(frame.frame, frame.blamed) for frame in frames] == [
        ("jdk.Selector.poll", True),  # the largest change of all, though not the user's code
        ("shop.Orders.price", True),
        ("shop.Legacy.audit", True),
        ("shop.Stock.check", False),  # noise of a frame ten times as hot
    ]


def test_a_change_and_its_interval(frames: tuple[FrameChange, ...]) -> None:
    price = _named(frames, "shop.Orders.price")
    assert price.self_baseline == pytest.approx(0.2, rel=0.1)
    assert price.self_candidate == pytest.approx(0.6, rel=0.1)
    assert price.self_change == pytest.approx(price.self_candidate - price.self_baseline)
    assert 0 < price.low < price.self_change < price.high
    assert price.pool == "http-nio-exec"
    assert price.endpoints == ("shop.Orders.price",)
    assert price.below[0] == ("java.util.HashMap.get", pytest.approx(price.self_change))


def test_an_unchanged_frames_interval_holds_zero(frames: tuple[FrameChange, ...]) -> None:
    stock = _named(frames, "shop.Stock.check")
    assert stock.low < 0 < stock.high


def test_a_frame_that_is_gone_stays_visible(frames: tuple[FrameChange, ...]) -> None:
    audit = _named(frames, "shop.Legacy.audit")
    assert audit.self_candidate == 0
    assert audit.self_change == pytest.approx(-0.3, rel=0.1)
    assert audit.high < 0


def test_one_pair_claims_nothing(make_pairs, truth) -> None:
    pairs = make_pairs(1, baseline=truth(stacks_ms=BASELINE), candidate=truth(stacks_ms=CANDIDATE))
    frames = frame_changes(_sampled(pairs), application=("shop.",))
    assert {(frame.low, frame.high) for frame in frames} == {(-math.inf, math.inf)}
    assert not any(frame.blamed for frame in frames)
    assert frames[0].frame == "shop.Orders.price", "the largest estimate leads"


def test_forks_that_were_not_paired_are_described(make_pairs, truth) -> None:
    before = [fork for fork, _ in _forks(make_pairs(2, baseline=truth(stacks_ms=BASELINE)))]
    after = [fork for _, fork in _forks(make_pairs(3, candidate=truth(stacks_ms=CANDIDATE)))]
    frames = described_frames(Sampled.of(unpaired(before, after), application=("shop.",)), application=("shop.",))
    assert all(frame.descriptive and frame.low == -math.inf for frame in frames)
    assert _named(frames, "shop.Orders.price").self_change == pytest.approx(0.4, rel=0.1)


def test_pairs_without_a_profile_on_one_side_are_left_out(make_pair, truth) -> None:
    whole = make_pair(1, baseline=truth(stacks_ms=BASELINE), candidate=truth(stacks_ms=CANDIDATE))
    half = make_pair(2, baseline=truth(stacks_ms=BASELINE))
    assert frame_changes(_sampled([half]), application=("shop.",)) == ()
    both = frame_changes(_sampled([whole, half]), application=("shop.",))
    assert both == frame_changes(_sampled([whole]), application=("shop.",)) != ()


def test_without_prefixes_every_cost_belongs_to_its_leaf(make_pairs, truth) -> None:
    pairs = make_pairs(2, baseline=truth(stacks_ms=BASELINE), candidate=truth(stacks_ms=CANDIDATE))
    frames = frame_changes(_sampled(pairs, application=()), application=())
    assert not any(frame.application for frame in frames)
    assert "java.util.HashMap.get" in {frame.frame for frame in frames}


def test_each_kind_of_profile_has_its_own_list(make_pairs, truth) -> None:
    waits = {"java.lang.Thread.run\nshop.Remote.call\njava.net.Socket.read": 2.0}
    longer = {path: 2 * cost for path, cost in waits.items()}
    pairs = make_pairs(
        4,
        baseline=truth(stacks_ms=BASELINE, waits_ms=waits),
        candidate=truth(stacks_ms=CANDIDATE, waits_ms=longer),
    )
    frames = frame_changes(_sampled(pairs), application=("shop.",))
    remote = _named(frames, "shop.Remote.call")
    assert (remote.event, remote.blamed) == ("wall", True)
    assert {frame.event for frame in frames} == {"cpu", "wall"}
    assert [frame.event for frame in frames] == sorted(frame.event for frame in frames), "one kind after the other"
    before, after = (list(side) for side in zip(*_forks(pairs), strict=True))
    assert {
        frame.event
        for frame in described_frames(
            Sampled.of(unpaired(before, after), application=("shop.",)), application=("shop.",)
        )
    } == {"cpu", "wall"}


def test_the_table_is_cut_but_keeps_what_changed_and_what_is_costly(make_pairs, truth) -> None:
    cold = {f"java.lang.Thread.run\nshop.Cold.m{number}": 0.02 for number in range(400)}
    pairs = make_pairs(4, baseline=truth(stacks_ms=cold | BASELINE), candidate=truth(stacks_ms=cold | CANDIDATE))
    frames = frame_changes(_sampled(pairs), application=("shop.",))
    assert len(frames) == MOST_CHANGED + MOST_COSTLY
    assert {"shop.Orders.price", "shop.Legacy.audit", "shop.Stock.check", "jdk.Selector.poll"} <= {
        frame.frame for frame in frames
    }


def test_what_the_profiler_did_not_see_is_shown_but_not_to_blame(make_pairs, truth) -> None:
    unseen = {"[interrupted]": 0.02}
    more = {"[interrupted]": 2.0}
    pairs = make_pairs(4, baseline=truth(stacks_ms=BASELINE | unseen), candidate=truth(stacks_ms=BASELINE | more))
    note = _named(frame_changes(_sampled(pairs), application=("shop.",)), "[interrupted]")
    assert note.low > 0
    assert not note.blamed


@pytest.mark.parametrize(("unseen_ms", "blamed"), [(2.4, False), (1.5, True)], ids=["all of it", "a part of it"])
@pytest.mark.parametrize("more", [True, False], ids=["less seen", "more seen"])
def test_a_frame_whose_samples_were_not_seen_is_not_to_blame(make_pairs, truth, unseen_ms, blamed, more) -> None:
    before = BASELINE | {"[interrupted]": 1.0}
    after = BASELINE | {"[interrupted]": unseen_ms, STOCK: 0.6}
    sides = (before, after) if more else (after, before)
    pairs = make_pairs(4, baseline=truth(stacks_ms=sides[0]), candidate=truth(stacks_ms=sides[1]))
    assert _named(frame_changes(_sampled(pairs), application=("shop.",)), "shop.Stock.check").blamed is blamed


def test_nothing_is_said_to_have_moved_to_where_the_profiler_did_not_see_it(make_pairs, truth) -> None:
    path = "java.lang.Thread.run\n{}"
    before, unseen, seen = (path.format(name) for name in ("shop.Orders.sum", "[interrupted]", "shop.Orders.total"))
    told = []
    for after in (unseen, seen):
        pairs = make_pairs(
            4, baseline=truth(stacks_ms=BASELINE | {before: 1.0}), candidate=truth(stacks_ms=BASELINE | {after: 1.0})
        )
        told.append(_named(frame_changes(_sampled(pairs), application=("shop.",)), "shop.Orders.sum").gone_to)
    assert told == [None, "shop.Orders.total"]


def test_a_class_whose_code_differs_is_marked(make_pairs, truth) -> None:
    pairs = make_pairs(4, baseline=truth(stacks_ms=BASELINE), candidate=truth(stacks_ms=CANDIDATE))
    frames = frame_changes(_sampled(pairs), application=("shop.",), changed_classes=["shop.Orders"])
    assert [frame.frame for frame in frames if frame.touched] == ["shop.Orders.price"]


def test_the_cost_of_a_changed_library_is_its_own_where_no_code_of_the_application_is(make_pairs, truth) -> None:
    entry = "web.Server.run\nlib.Page.write\nlib.Buffer.grow\njava.util.Arrays.copyOf"
    other = "web.Server.run\nlib.Other.read\njava.util.Arrays.copyOf"
    called = "web.Server.run\nshop.Orders.price\nlib.Page.write\njava.util.Arrays.copyOf"
    costs = [{entry: cost, other: 0.3, called: 0.2} for cost in (0.5, 0.2)]
    pairs = make_pairs(4, baseline=truth(stacks_ms=costs[0]), candidate=truth(stacks_ms=costs[1]))

    def named(changed: list[str]) -> dict[str, FrameChange]:
        sampled = Sampled.of(_forks(pairs), application=("shop.",), changed_classes=changed)
        found = frame_changes(sampled, application=("shop.",), changed_classes=changed)
        return {frame.frame: frame for frame in found if frame.event is ProfileKind.CPU}

    before = named([])
    assert before["java.util.Arrays.copyOf"].self_baseline == pytest.approx(0.8, rel=0.1)
    assert "lib.Page.write" not in before
    after = named(["lib.Page"])
    assert after["lib.Page.write"].blamed
    assert after["lib.Page.write"].self_change == pytest.approx(-0.3, rel=0.2)
    assert after["lib.Page.write"].below[0][0] == "java.util.Arrays.copyOf"
    assert after["java.util.Arrays.copyOf"].self_baseline == pytest.approx(0.3, rel=0.1), "of the library as it was"
    assert after["shop.Orders.price"].self_baseline == pytest.approx(0.2, rel=0.1), "its caller's, whoever it calls"


def test_a_rename_is_told_and_blames_nobody(make_pairs, truth) -> None:
    renamed = {**BASELINE, PRICE.replace("Orders.price", "Orders.cost"): 0.20}
    del renamed[PRICE]
    pairs = make_pairs(5, baseline=truth(stacks_ms=BASELINE), candidate=truth(stacks_ms=renamed))
    frames = frame_changes(_sampled(pairs), application=("shop.",))
    assert _named(frames, "shop.Orders.price").gone_to == "shop.Orders.cost"
    assert _named(frames, "shop.Orders.cost").come_from == "shop.Orders.price"
    assert not any(frame.blamed for frame in frames)


def test_a_pool_that_was_renamed_is_one_place(make_pairs, truth) -> None:
    """Requests on virtual threads: all that the server's threads did, their carriers do."""
    costs = {PRICE: 0.4, STOCK: 2.0, GONE: 0.6}
    carriers = dict.fromkeys(costs, "ForkJoinPool-1-worker-1")
    pairs = make_pairs(
        4, baseline=truth(stacks_ms=costs), candidate=truth(stacks_ms=costs | {PRICE: 1.0}, pools=carriers)
    )
    frames = frame_changes(_sampled(pairs), application=("shop.",))
    (price,) = [frame for frame in frames if frame.blamed]
    assert (price.frame, price.pool) == ("shop.Orders.price", "ForkJoinPool-worker")
    assert price.self_change == pytest.approx(0.6, rel=0.2)


def test_pools_with_other_work_are_not_one(make_pairs, truth) -> None:
    pairs = make_pairs(
        4,
        baseline=truth(stacks_ms={PRICE: 0.5, STOCK: 1.0}, pools={PRICE: "old-1"}),
        candidate=truth(stacks_ms={GONE: 0.5, STOCK: 1.0}, pools={GONE: "new-1"}),
    )
    found = {(frame.frame, frame.pool) for frame in frame_changes(_sampled(pairs), application=("shop.",))}
    assert {("shop.Orders.price", "old"), ("shop.Legacy.audit", "new")} <= found


def test_a_rename_that_made_it_slower_is_told_by_the_difference(make_pairs, truth) -> None:
    other = PRICE.replace("price", "quote")
    pairs = make_pairs(
        4, baseline=truth(stacks_ms={PRICE: 1.0, STOCK: 2.0}), candidate=truth(stacks_ms={other: 1.5, STOCK: 2.0})
    )
    quote = _named(frame_changes(_sampled(pairs), application=("shop.",)), "shop.Orders.quote")
    assert (quote.blamed, quote.come_from, quote.together_with) == (
        True,
        "shop.Orders.price",
        (("http-nio-exec", "shop.Orders.price"),),
    )
    assert quote.self_baseline == pytest.approx(1.0, rel=0.1)
    assert 0 < quote.low < quote.self_change == pytest.approx(0.5, rel=0.2)
