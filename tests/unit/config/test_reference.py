"""The reference page and the catalogue say what the code does."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel, create_model

from pacecar.comparison import Scale
from pacecar.config import schema
from pacecar.config.catalogue import KNOWN
from pacecar.judge.metrics import DEFINITIONS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "configuration.md").read_text()
ROWS = dict(re.findall(r"^\| `([\w.]+)` \| (.+?) \| .+ \|$", PAGE, re.MULTILINE))
KEYS = schema.every_key()


def test_every_key_is_documented_and_nothing_else():
    documented = {key for key in ROWS if "." in key and key not in KNOWN}
    assert documented == set(KEYS)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_defaults_are_documented_as_they_are(key):
    info, documented = KEYS[key], ROWS[key]
    if info.is_required():
        assert documented == "required"
    elif documented == "none":
        assert info.default is None
    else:
        written = tomllib.loads(f"value = {documented.strip('`')}")
        model: type[BaseModel] = create_model("Only", value=(info.annotation, info))
        assert model.model_validate(written, strict=True).value == info.default


def test_every_metric_is_documented():
    for metric in KNOWN:
        assert f"`{metric}`" in PAGE, metric


def test_the_metrics_that_may_be_named_are_those_that_are_judged():
    judged = {definition.name: (definition.unit, definition.per_endpoint) for definition in DEFINITIONS}
    assert {name: (metric.unit, metric.per_endpoint) for name, metric in KNOWN.items()} == judged


def test_what_is_compared_by_its_difference_is_promised_as_an_amount():
    by_difference = {each.name for each in DEFINITIONS if each.scale is Scale.DIFFERENCE}
    assert {name for name, known in KNOWN.items() if known.difference} == by_difference
