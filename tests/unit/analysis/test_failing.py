"""Scenarios that ask for what is not there."""

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.analysis.stored import compare_stored
from pacecar.reporting.document.warning_lines import warning_lines


@pytest.fixture
def warnings(make_pairs, truth):
    """Warnings of a comparison whose sides fail so often."""

    def of(baseline, candidate):
        pairs = make_pairs(2, baseline=truth(failing=baseline), candidate=truth(failing=candidate))
        return warning_lines(compare_pairs(pairs, Criteria()).cautions)

    return of


def test_what_fails_on_both_sides_is_said_with_what_the_generator_saw(warnings):
    found = [each for each in warnings(0.5, 0.4) if "failed on both sides" in each]
    (told,) = found
    assert told.startswith("Requests failed on both sides: ")
    assert told.count("(status.find.is(200), found 500)") == 2
    assert ". Correct their path, data or headers, or leave them out of the scenario" in told


def test_of_one_endpoint_it_is_said_in_the_singular(make_pairs, truth, plan):
    pairs = make_pairs(
        2, baseline=truth(failing=0.5), candidate=truth(failing=0.4), plan=plan(endpoints=[("GET /a", 1.0)])
    )
    (told,) = [each for each in warning_lines(compare_pairs(pairs, Criteria()).cautions) if "both sides" in each]
    assert "of the requests to GET /a failed on both sides (status.find.is(200), found 500). Correct its path" in told


@pytest.mark.parametrize("sides", [(0.0, 0.5), (0.5, 0.0), (0.01, 0.01)])
def test_what_one_side_does_or_hardly_any_request_is_a_result(warnings, sides):
    assert not [each for each in warnings(*sides) if "failed on both sides" in each]


def test_of_many_endpoints_a_few_are_named(make_pairs, truth, plan):
    many = plan(endpoints=[(f"GET /{name}", 0.1) for name in "abcdefghij"])
    pairs = make_pairs(2, baseline=truth(failing=1.0), candidate=truth(failing=1.0), plan=many)
    found = warning_lines(compare_pairs(pairs, Criteria()).cautions)
    (told,) = [each for each in found if "failed on both sides" in each]
    assert told.count("100% of those to GET /") == 3
    assert " and those to 7 more endpoints. Correct their path" in told


def test_against_a_stored_baseline_too(make_pairs, truth):
    pairs = make_pairs(2, baseline=truth(failing=1.0), candidate=truth(failing=1.0))
    found = warning_lines(compare_stored(pairs, pairs, Criteria()).cautions)
    assert any("Requests failed on both sides: 100% of those to" in each for each in found)
