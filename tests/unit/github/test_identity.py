from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.github.identity import LONGEST, WrongName, comparison_name, is_name, marker

CONFIG = Path("pacecar.toml")


def _name(
    workflow: str = "performance", job: str = "compare", *, given: str = "", matrix: Any = None, config: Path = CONFIG
) -> str:
    environ = {"GITHUB_WORKFLOW": workflow, "GITHUB_JOB": job}
    return comparison_name(environ, given=given, matrix=json.dumps(matrix), config=config)


def test_a_job_without_a_matrix_is_called_after_itself_and_its_workflow() -> None:
    assert _name() == "performance.compare"


def test_a_name_that_is_given_is_taken_as_it_is() -> None:
    assert _name(given="orders-jdk21", matrix={"java": 21}) == "orders-jdk21"


def test_all_that_makes_a_job_another_makes_another_name() -> None:
    names = [
        _name(),
        _name("a-b", "c"),
        _name("a", "b-c"),
        _name("a.b", "c"),
        _name("a", "b.c"),
        _name("A", "b.c"),
        _name("Performance"),
        _name("performance "),
        _name("Лейтенси"),
        _name(matrix={"java": 17}),
        _name(matrix={"java": 21}),
        _name(matrix={"java": "21"}),
        _name(matrix={"jdk": 21}),
        _name(matrix={"java": {"version": 21}}),
        _name(matrix={"java": [2, 1]}),
        _name(matrix={"java": "a b"}),
        _name(matrix={"java": "a/b"}),
        _name(matrix={"java": "x" * 200}),
        _name(matrix={"java": "x" * 201}),
        _name(matrix={"java": 21, "os": None}),
        _name(config=Path("services/orders/pacecar.toml")),
        _name(config=Path("services/cart/pacecar.toml")),
        _name(job="compare", matrix={"x": "services/cart/pacecar.toml"}),
        _name("", ""),
    ]
    assert len({*names}) == len(names)
    assert all(map(is_name, names)), names


def test_the_order_of_a_matrix_is_no_other_job() -> None:
    one, two = _name(matrix={"a": 1, "b": 2}), _name(matrix={"b": 2, "a": 1})
    assert one.rpartition("-")[2] == two.rpartition("-")[2]


def test_values_of_the_matrix_can_be_read_in_the_name() -> None:
    assert _name(matrix={"java": 21, "service": "Orders"}).startswith("performance.compare.21-orders-")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "text",
    [
        "../../etc",
        "a/b",
        "a b",
        "a--b",
        "-->",
        "a -->",
        "<b>",
        "a\n",
        "a\nb",
        "A",
        ".",
        "..",
        "-",
        "a.",
        ".a",
        "a`",
        "@a",
        "é",
        "a\x00",
        "$(id)",
        "%0A",
        "a::b",
        "a" * (LONGEST + 1),
    ],
)
def test_what_could_be_more_than_a_name_is_none(text: str) -> None:
    assert not is_name(text)
    with pytest.raises(WrongName, match="cannot name a comparison") as refused:
        _name(given=text)
    assert "\n" not in refused.value.message


@pytest.mark.hostile
@pytest.mark.parametrize("matrix", ["[]", '"a"', "7", "{", "[" * 90_000, "x" * 100_001, "\x00"])
def test_a_matrix_that_is_none_is_refused(matrix: str) -> None:
    with pytest.raises(WrongName, match="matrix is not a JSON object"):
        comparison_name({}, given="", matrix=matrix, config=CONFIG)


@pytest.mark.hostile
@given(
    job=st.text(),
    workflow=st.text(),
    values=st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists)),
)
def test_any_job_has_a_name(job: str, workflow: str, values: dict[str, Any]) -> None:
    name = _name(workflow, job, matrix=values)
    assert is_name(name)
    assert marker(name).count("-->") == 1
