"""Which frames are blamed, on profiles whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pacecar.analysis.stats.attribution import attribute
from pacecar.analysis.stats.calltree import CallTree
from pacecar.analysis.stats.culprits import Attribution, NodeCosts

#: ms per sample: a fork's 1,000 ms of CPU are some 2,000 samples.
_SAMPLE = 0.5
_PAIRS = 6
Costs = Mapping[str, float]

#: Paths from the pool down, and ms of own cost in each of the forks' profiles.
PLAIN = {
    "http": 0,
    "http/App.run": 40,
    "http/App.run/Orders.list": 80,
    "http/App.run/Orders.list/Rows.read": 120,
    "http/App.run/Orders.list/Json.write": 150,
    "http/App.run/Orders.get": 60,
    "http/App.run/Orders.get/Rows.read": 70,
    "http/App.run/Orders.get/Json.write": 60,
    "http/App.run/Prices.price": 110,
    "http/App.run/Prices.price/Rules.parse": 100,
    "worker": 0,
    "worker/Mail.send": 90,
    "worker/Mail.send/Json.write.worker": 60,
    "worker/Mail.send/Text.fill": 60,
}


def _drawn(
    candidate: Costs, *, baseline: Costs = PLAIN, pairs: int = _PAIRS, slower: float = 1.0, seed: int = 1
) -> tuple[NodeCosts, list[str]]:
    """Both sides as overdispersed counts of samples, and the names of the frames."""
    random = np.random.default_rng(seed)
    paths = sorted({*baseline, *candidate}, key=lambda path: (path.count("/"), path))
    frames = sorted({path.rpartition("/")[2] for path in paths})
    tree = CallTree(
        parent=np.array([paths.index(path.rpartition("/")[0]) if "/" in path else -1 for path in paths]),
        frame=np.array([frames.index(path.rpartition("/")[2]) for path in paths]),
        frames=len(frames),
    )
    day = random.normal(0, 0.05, (pairs, 1))

    def side(costs: Costs, factor: float) -> np.ndarray:
        mean = np.array([costs.get(path, 0.0) for path in paths]) * factor * np.exp(day)
        forks = mean * np.exp(random.normal(0, 0.03, (pairs, len(paths))))
        return random.poisson(forks / _SAMPLE) * _SAMPLE

    before, after = side(baseline, 1.0), side(candidate, slower)
    poisson = _SAMPLE * (before + after).mean(axis=0)
    # What stands behind an @ tells apart frames of one name in two pools.
    names = [frame.partition("@")[0] for frame in frames]
    name = np.array([names.index(each) for each in names])
    return NodeCosts(tree=tree, baseline=before, candidate=after, poisson=poisson, name=name), frames


def _attributed(candidate: Costs, **options: Any) -> tuple[Attribution, Callable[[int], str]]:
    profiles, frames = _drawn(candidate, **options)
    return attribute(profiles), frames.__getitem__


def _blamed(candidate: Costs, **options: Any) -> list[str]:
    found, name = _attributed(candidate, **options)
    return [name(culprit.frame) for culprit in found.culprits]


@pytest.mark.parametrize("seed", range(8))
def test_nobody_is_blamed_for_identical_builds(seed: int) -> None:
    assert _blamed(PLAIN, seed=seed) == []


def test_the_frame_itself_is_blamed_and_none_of_its_callers() -> None:
    slower = {**PLAIN, "http/App.run/Orders.list/Json.write": 250}
    assert _blamed(slower) == ["Json.write"]


def test_a_frame_that_is_new_is_blamed() -> None:
    assert _blamed({**PLAIN, "http/App.run/Orders.list/Audit.note": 60}) == ["Audit.note"]


def test_a_frame_that_is_gone_is_named_with_what_it_saved() -> None:
    found, name = _attributed({path: cost for path, cost in PLAIN.items() if not path.endswith("Rules.parse")})
    assert name(found.culprits[0].frame) == "Rules.parse"
    assert found.culprits[0].high < 0
    assert found.moves == (), "its caller costs a little more by chance, which is not where it went"


def test_a_rename_is_told_as_such() -> None:
    renamed = {path.replace("Rules.parse", "Rules.read"): cost for path, cost in PLAIN.items()}
    found, name = _attributed(renamed)
    assert found.culprits == ()
    assert [(name(move.gone_from), name(move.gone_to)) for move in found.moves] == [("Rules.parse", "Rules.read")]
    assert abs(found.moves[0].net) < 20


def test_a_class_that_is_renamed_with_its_methods_blames_nobody() -> None:
    renamed = {
        path.replace("Prices.price", "Tariff.quote").replace("Rules.parse", "Tariff.read"): cost
        for path, cost in PLAIN.items()
    }
    found, name = _attributed(renamed, seed=2)
    assert [name(culprit.frame) for culprit in found.culprits] == []
    told = {(name(move.gone_from), name(move.gone_to)) for move in found.moves}
    assert told == {("Prices.price", "Tariff.quote"), ("Rules.parse", "Tariff.read")}


def test_a_cheap_method_renamed_with_what_it_calls_blames_nobody() -> None:
    """In these pairs the new name is beyond doubt and the old one, by itself, is not."""
    cheap = {
        **PLAIN,
        "http/App.run/Prices.price/Rules.parse": 14,
        "http/App.run/Prices.price/Rules.parse/Text.match": 6,
    }
    renamed = {path.replace("Rules.parse", "Tariff.read"): cost for path, cost in cheap.items()}
    found, name = _attributed(renamed, baseline=cheap, pairs=4, seed=128)
    assert [name(culprit.frame) for culprit in found.culprits] == []
    assert [(name(move.gone_from), name(move.gone_to)) for move in found.moves] == [("Rules.parse", "Tariff.read")]


def test_a_rename_that_made_it_slower_is_blamed_for_the_difference() -> None:
    renamed = {path.replace("Rules.parse", "Rules.read"): cost for path, cost in PLAIN.items()}
    found, name = _attributed({**renamed, "http/App.run/Prices.price/Rules.read": 180})
    assert [name(culprit.frame) for culprit in found.culprits] == ["Rules.read"]
    assert found.culprits[0].change == pytest.approx(80, abs=30)


@pytest.mark.parametrize("seed", range(6))
def test_a_body_that_moved_behind_a_helper_changed_nothing(seed: int) -> None:
    """Orders.list hands its work to a helper that calls it back: the same frames, two calls further down."""
    behind = "http/App.run/Orders.list/Gate.pass/Lambda.list/Orders.read"
    kept = {path: cost for path, cost in PLAIN.items() if not path.startswith("http/App.run/Orders.list/")}
    moved = {path.replace("http/App.run/Orders.list", behind): cost for path, cost in PLAIN.items() if path not in kept}
    candidate = {**kept, **moved, "http/App.run/Orders.list": 2, behind: 78}
    candidate |= {"http/App.run/Orders.list/Gate.pass": 0, "http/App.run/Orders.list/Gate.pass/Lambda.list": 0}
    found, name = _attributed(candidate, seed=seed)
    inside = {"Orders.list", "Gate.pass", "Lambda.list", "Orders.read", "Rows.read", "Json.write"}
    assert not inside & {name(culprit.frame) for culprit in found.culprits}
    assert ("Orders.list", "Orders.read") in [(name(move.gone_from), name(move.gone_to)) for move in found.moves]


@pytest.mark.parametrize("seed", [0, 2, 34, 43])
def test_what_is_called_after_a_method_that_moved_moved_with_it(seed: int) -> None:
    """A lambda bears the name of its method; the helper's lambda has the name that the method's own had before."""
    plain = {
        **PLAIN,
        "http/App.run/Orders.list/Lambda.list": 5,
        "http/App.run/Orders.list/Lambda.list/Row.with": 9,
    }
    behind = "http/App.run/Orders.list/Gate.pass/Lambda.list/Orders.read"
    body = {path: cost for path, cost in plain.items() if path.startswith("http/App.run/Orders.list/")}
    kept = {path: cost for path, cost in plain.items() if path not in body}
    moved = {
        path.replace("Lambda.list", "Lambda.read").replace("App.run/Orders.list", "@"): body[path] for path in body
    }
    candidate = {**kept, **{path.replace("http/@", behind): cost for path, cost in moved.items()}}
    candidate |= {"http/App.run/Orders.list": 0, behind: 80, "http/App.run/Orders.list/Gate.pass": 0}
    candidate |= {"http/App.run/Orders.list/Gate.pass/Lambda.list": 0}
    assert _blamed(candidate, baseline=plain, pairs=4, seed=seed) == []


def test_what_was_inlined_into_its_caller_moved() -> None:
    inlined = {**PLAIN, "http/App.run/Prices.price": 210, "http/App.run/Prices.price/Rules.parse": 0}
    found, name = _attributed(inlined)
    assert found.culprits == ()
    assert [(name(move.gone_from), name(move.gone_to)) for move in found.moves] == [("Rules.parse", "Prices.price")]


def test_what_was_inlined_into_several_callers_moved_to_all_of_them() -> None:
    paths = {"http/App.run/Orders.list/Rows.read": 0.0, "http/App.run/Orders.get/Rows.read": 0.0}
    inlined = {**PLAIN, **paths, "http/App.run/Orders.list": 200, "http/App.run/Orders.get": 130}
    found, name = _attributed(inlined)
    assert found.culprits == ()
    assert sorted((name(move.gone_from), name(move.gone_to)) for move in found.moves) == [
        ("Rows.read", "Orders.get"),
        ("Rows.read", "Orders.list"),
    ]


def test_two_neighbours_that_changed_against_each_other_did_not_move() -> None:
    traded = {**PLAIN, "http/App.run/Orders.list/Rows.read": 60, "http/App.run/Orders.list/Json.write": 210}
    assert sorted(_blamed(traded)) == ["Json.write", "Rows.read"]


def test_a_gain_in_one_pool_does_not_hide_a_cost_in_another() -> None:
    traded = {**PLAIN, "http/App.run/Prices.price/Rules.parse": 20, "worker/Mail.send/Text.fill": 140}
    assert sorted(_blamed(traded)) == ["Rules.parse", "Text.fill"]


@pytest.mark.parametrize("seed", range(4))
def test_work_that_moved_to_another_pool_counts_by_its_net(seed: int) -> None:
    there = "worker/Prices.price@worker/Rules.parse@worker"
    moved = {**PLAIN, "http/App.run/Prices.price/Rules.parse": 30, there.rpartition("/")[0]: 0, there: 70}
    assert _blamed(moved, seed=seed) == []
    found, name = _attributed({**moved, there: 170}, seed=seed)
    (culprit,) = found.culprits
    assert (name(culprit.frame), [name(each) for each in culprit.partners]) == ("Rules.parse@worker", ["Rules.parse"])
    assert culprit.change == pytest.approx(100, abs=30)


def test_what_stayed_as_it_was_is_not_blamed_where_most_became_slower() -> None:
    handlers = {f"http/Handler.{number}": 20.0 for number in range(40)}
    others = {f"worker/Job.{number}": 20.0 for number in range(6)} | {"http": 0.0, "worker": 0.0}
    for seed in range(4):
        slower = {path: cost * 1.3 for path, cost in handlers.items()} | others
        found, name = _attributed(slower, baseline=handlers | others, seed=seed)
        assert found.common == pytest.approx(np.log(1.3), abs=0.06)
        assert [name(each.frame) for each in found.culprits if each.change < 0] == []


def test_what_is_counted_no_machine_makes_more() -> None:
    profiles, frames = _drawn({path: 1.3 * cost for path, cost in PLAIN.items()}, pairs=12)
    found = attribute(replace(profiles, timed=False))
    assert found.common == 0
    assert {"Json.write", "Rows.read"} <= {frames[each.frame] for each in found.culprits}


def test_a_cost_spread_thin_is_blamed_on_the_frame_above_it() -> None:
    parts = {f"http/App.run/Orders.get/Step.{number}": 4.0 for number in range(20)}
    more = dict.fromkeys(parts, 6.5)
    found, name = _attributed({**PLAIN, **more}, baseline={**PLAIN, **parts}, pairs=12)
    assert [(name(culprit.frame), culprit.diffuse) for culprit in found.culprits] == [("Orders.get", True)]


def test_what_made_everything_slower_is_told_apart() -> None:
    found, _ = _attributed(PLAIN, slower=1.2)
    assert found.culprits == ()
    assert found.common == pytest.approx(np.log(1.2), abs=0.04)


def test_a_handful_of_samples_says_nothing_of_everything_and_hides_no_large_change() -> None:
    few = {path: cost / 60 for path, cost in PLAIN.items()}
    for seed in range(5):
        found, name = _attributed({**few, "http/App.run/Orders.pause": 40.0}, baseline=few, pairs=4, seed=seed)
        assert abs(found.common) < 0.02
        assert [name(culprit.frame) for culprit in found.culprits] == ["Orders.pause"]
        assert found.culprits[0].change == pytest.approx(40.0, rel=0.2)


def test_one_hot_frame_does_not_speak_for_everything() -> None:
    hot = "http/App.run/Prices.price/Rules.parse"
    cold = {path: cost / 8 for path, cost in PLAIN.items()} | {hot: 900.0}
    found, name = _attributed({**cold, hot: 1350.0}, baseline=cold)
    assert [name(culprit.frame) for culprit in found.culprits] == ["Rules.parse"]
    assert found.culprits[0].change == pytest.approx(450, rel=0.2)


def test_a_single_pair_blames_nobody() -> None:
    assert _blamed({**PLAIN, "http/App.run/Orders.list/Json.write": 500}, pairs=1) == []


def _times_blamed(frame: str, *, touched: str | None) -> int:
    """Of 40 comparisons in which `frame` costs a little more; `touched`: the one frame whose code differs."""
    found = 0
    for seed in range(40):
        profiles, frames = _drawn({**PLAIN, "worker/Mail.send/Text.fill": 71}, seed=seed)
        known = None if touched is None else np.array([each == touched for each in frames])
        found += frame in [frames[culprit.frame] for culprit in attribute(profiles, touched=known).culprits]
    return found


def test_a_frame_whose_code_differs_is_believed_sooner_and_one_that_such_code_calls() -> None:
    plainly = _times_blamed("Text.fill", touched=None)
    called = _times_blamed("Text.fill", touched="Mail.send")
    assert plainly < called <= _times_blamed("Text.fill", touched="Text.fill")


def test_a_frame_far_from_code_that_differs_is_believed_later() -> None:
    assert _times_blamed("Text.fill", touched="Prices.price") <= _times_blamed("Text.fill", touched=None)
