"""What it costs to write a metrics page that grew."""

from __future__ import annotations

import pytest

from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from support.asked import causes_of
from support.evidence import changed, with_page

RUN = "java.lang.Thread.run"
WRITE = f"{RUN}\nio.micrometer.prometheus.PrometheusMeterRegistry.scrape\njava.io.StringWriter.write"
STOCK = f"{RUN}\nshop.Stock.check"
PRICE = f"{RUN}\nshop.Orders.price"
BEFORE = {WRITE: 0.4, STOCK: 2.0, PRICE: 0.4}


def _pairs(make_pairs, truth, *, uris: int, later: dict[str, float]) -> list[Pair]:
    after = BEFORE | later
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=sum(BEFORE.values()), stacks_ms=BEFORE),
        candidate=truth(cpu_ms=sum(after.values()), stacks_ms=after),
    )
    return changed(pairs, {Side.BASELINE: with_page(http=20), Side.CANDIDATE: with_page(http=uris)})


def test_a_page_that_grew_is_the_root_of_what_it_costs_to_write(make_pairs, truth) -> None:
    (root,) = causes_of(_pairs(make_pairs, truth, uris=200, later={WRITE: 2.4}), "cpu")
    assert (root.name, root.scope.series, root.scope.label) == ("growing-page", "http", "uri")
    assert "from 20 to 200 series; its label uri from 20 to 200 values; writing the page went from 0." in root.statement
    assert [each.name for each in root.consequences] == ["hot-frame"]


@pytest.mark.parametrize("uris", [20, 24], ids=["as long as before", "hardly longer"])
def test_a_page_that_costs_more_than_it_grew_by_is_a_hot_frame(make_pairs, truth, uris: int) -> None:
    (root,) = causes_of(_pairs(make_pairs, truth, uris=uris, later={WRITE: 2.4}), "cpu")
    assert (root.name, root.scope.frame) == ("hot-frame", "java.io.StringWriter.write")


@pytest.mark.parametrize("write_ms", [0.4, 1.4], ids=["writing costs as much", "writing costs more, too"])
def test_a_frame_elsewhere_does_not_follow_from_a_page_that_grew(make_pairs, truth, write_ms: float) -> None:
    causes = causes_of(_pairs(make_pairs, truth, uris=200, later={WRITE: write_ms, PRICE: 2.4}), "cpu")
    assert ("hot-frame", "shop.Orders.price") in {(cause.name, cause.scope.frame) for cause in causes}
    assert ("growing-page" in {cause.name for cause in causes}) is (write_ms > 1)
