"""The reference page says what the code does, and the catalogue of metrics what is read."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from pydantic import create_model

from pacecar.analysis.metrics.counted import COUNTED
from pacecar.analysis.metrics.readers import READERS, kinds
from pacecar.inputs.config import schema
from pacecar.inputs.config.fields import AS_WRITTEN
from pacecar.model.catalogue import METRICS
from pacecar.model.tiers import Tier
from support.checkout import CHECKOUT

PAGE = (CHECKOUT / "docs" / "reference" / "configuration.md").read_text()
ROWS = dict(re.findall(r"^\| `([\w.]+)` \| (.+?) \| .+ \|$", PAGE, re.MULTILINE))
KEYS = schema.every_key()


def test_every_key_is_documented_and_nothing_else():
    documented = {key for key in ROWS if "." in key and key not in METRICS}
    assert documented == set(KEYS)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_defaults_are_documented_as_they_are(key):
    info, documented = KEYS[key], ROWS[key]
    annotation: Any = info.annotation
    if info.is_required():
        assert documented == "required"
    elif documented == "none":
        assert info.default is None
    else:
        written = tomllib.loads(f"value = {documented.strip('`')}")
        model: Any = create_model("Only", __config__=AS_WRITTEN, value=(annotation, info))
        assert model.model_validate(written).value == info.default


@pytest.mark.parametrize("metric", sorted(METRICS))
def test_every_metric_is_documented(metric):
    assert f"`{metric}`" in PAGE


def test_every_metric_of_the_catalogue_is_read_and_no_other():
    assert READERS.keys() == {kind.name for kind in kinds(())}
    assert READERS.keys() | COUNTED.keys() == METRICS.keys()
    assert {kind.name for kind in kinds((), Tier.QUICK)} <= COUNTED.keys()
