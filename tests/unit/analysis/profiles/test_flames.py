"""Flame graphs out of the profiles of many forks."""

from __future__ import annotations

import numpy as np
import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.flames import flame, flames
from pacecar.analysis.profiles.sampled import Forks, Sampled, unpaired
from pacecar.model.experiment import Side
from pacecar.model.frames import Flame
from pacecar.model.profiles import ProfileKind

RUN = "java.lang.Thread.run"
PRICE = f"{RUN}\nshop.Api.handle\nshop.Orders.price\njava.util.HashMap.get"
WRITE = f"{RUN}\nshop.Api.handle\njson.Mapper.write"
GONE = f"{RUN}\nshop.Legacy.audit"


def _forks(pairs):
    return [tuple(MeasuredFork.of(pair, side) for side in Side) for pair in pairs]


def _sampled(forks: Forks) -> Sampled:
    return Sampled.of(forks, application=("shop.",))


def _total(found: Flame, *path: str) -> tuple[float, float]:
    """Cost of both sides at the end of a path, everything below included."""
    nodes = found.nodes
    below = {int(node) for node in nodes.index if nodes["parent"][node] < 0}
    for name in path:
        below = {
            int(node)
            for node in nodes.index
            if nodes["parent"][node] in below and found.frames[nodes["frame"][node]] == name
        }
    whole = set(below)
    for node in nodes.index:
        if nodes["parent"][node] in whole:
            whole.add(int(node))
    return tuple(float(nodes.loc[sorted(whole), side].sum()) for side in ("baseline", "candidate"))  # type: ignore[return-value]


@pytest.fixture
def found(make_pairs, truth) -> Flame:
    pairs = make_pairs(
        4,
        baseline=truth(stacks_ms={PRICE: 1.0, WRITE: 2.0, GONE: 0.5}),
        candidate=truth(stacks_ms={PRICE: 1.0, WRITE: 4.0}),
    )
    made = flame(_sampled(_forks(pairs)), event=ProfileKind.CPU)
    assert made is not None
    return made


def test_every_frame_has_its_cost_on_both_sides(found: Flame) -> None:
    assert _total(found) == pytest.approx((3.5, 5.0), rel=0.05)
    assert _total(found, RUN, "shop.Api.handle") == pytest.approx((3.0, 5.0), rel=0.05)
    assert _total(found, RUN, "shop.Api.handle", "json.Mapper.write") == pytest.approx((2.0, 4.0), rel=0.05)
    assert _total(found, RUN, "shop.Legacy.audit") == pytest.approx((0.5, 0.0), rel=0.05)


def test_stacks_are_kept_apart_by_pool_and_endpoint(found: Flame) -> None:
    assert [(facet.pool, facet.endpoint, facet.state) for facet in found.facets] == [
        ("http-nio-exec", "shop.Api.handle", ""),
        ("http-nio-exec", "shop.Legacy.audit", ""),
    ]


def test_the_users_own_code_is_marked(found: Flame) -> None:
    own = [name for name, mine in zip(found.frames, found.application, strict=True) if mine]
    assert sorted(own) == ["shop.Api.handle", "shop.Legacy.audit", "shop.Orders.price"]


def test_callers_come_first_and_errors_are_known(found: Flame) -> None:
    nodes = found.nodes
    assert (nodes["parent"] < np.arange(len(nodes))).all()
    assert bool(np.diff(nodes["parent"]).min() >= 0)
    assert np.isfinite(nodes["error"]).all()


def test_what_is_cut_stays_with_its_caller(make_pairs, truth) -> None:
    pairs = make_pairs(2, candidate=truth(stacks_ms={PRICE: 1.0, WRITE: 4.0}))
    whole, cut = (flame(_sampled(_forks(pairs)), event=ProfileKind.CPU, most=most) for most in (100, 4))
    assert whole is not None
    assert cut is not None
    assert (len(cut.nodes), cut.omitted) == (4, len(whole.nodes) - 4)
    assert cut.nodes["candidate"].sum() == pytest.approx(whole.nodes["candidate"].sum())
    assert _total(cut, RUN, "shop.Api.handle") == pytest.approx(_total(whole, RUN, "shop.Api.handle"))


def test_forks_of_different_days_have_no_interval(make_pairs, truth) -> None:
    before = [MeasuredFork.of(p, Side.BASELINE) for p in make_pairs(2, baseline=truth(stacks_ms={PRICE: 1.0}))]
    after = [MeasuredFork.of(p, Side.CANDIDATE) for p in make_pairs(3, candidate=truth(stacks_ms={PRICE: 2.0}))]
    found = flame(_sampled(unpaired(before, after)), event=ProfileKind.CPU)
    assert found is not None
    assert _total(found, RUN) == pytest.approx((1.0, 2.0), rel=0.05)
    assert np.isinf(found.nodes["error"]).all()


def test_kinds_without_samples_are_left_out(make_pairs, truth) -> None:
    forks = _forks(make_pairs(2, candidate=truth(stacks_ms={PRICE: 1.0}, waits_ms={WRITE: 3.0})))
    assert [each.event for each in flames(_sampled(forks))] == ["cpu", "wall"]
    assert flames(Sampled.of(_forks(make_pairs(2)), application=())) == ()
