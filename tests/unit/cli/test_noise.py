"""What `pacecar noise` says beside its table."""

from __future__ import annotations

import math
from dataclasses import replace

from pacecar.cli.noise import lacking, room_of
from support.documents import run


def test_how_much_room_the_load_leaves() -> None:
    assert room_of(0.24) == "The service kept its cores busy for 24% of the time."
    assert room_of(0.36) == "The service kept its cores busy for 36% of the time."
    assert room_of(0.41).endswith("p99 scatters less: pacecar size finds a load that fits.")
    assert room_of(math.nan) == ""


def test_what_the_figures_do_not_rest_on() -> None:
    whole = replace(run().document(), judgements=())
    document = replace(whole, pairs=tuple(replace(pair, voided=None) for pair in whole.pairs))
    assert lacking(document) == []

    first, *others = document.pairs
    left_out = replace(
        document, pairs=(replace(first, voided="the generator was late"), *others), pairs_judged=2, pairs_planned=8
    )
    assert lacking(left_out) == [
        "The figures rest on 2 of 8 pairs.",
        f"Pair {first.number} was left out: the generator was late.",
    ]


def test_metrics_without_a_figure_are_named() -> None:
    document = run().document()
    unknown = replace(
        document.judgements[0], name="latency.p99", endpoint="GET /orders", estimate=None, reason="not measurable: gone"
    )
    said = lacking(replace(document, pairs=(), judgements=(unknown,) * 7))
    assert said == ["No figure for GET /orders latency.p99: not measurable: gone."] * 5 + ["Nor for 2 more."]
