"""TOML whose shape costs more than its size."""

from __future__ import annotations

import contextlib
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.inputs.config.config_text import ConfigError, parsed
from pacecar.system.foreign import toml

HOSTILE = {
    "a dotted key": "a" + ".a" * 100_000 + " = 1",
    "a dotted key with blanks": "a" + " . a" * 60_000 + " = 1",
    "a dotted key of quoted parts": '"a"' + '."a"' * 60_000 + " = 1",
    "a dotted key of literal parts": "'a'" + ".'a'" * 60_000 + " = 1",
    "a dotted header": "[a" + ".a" * 100_000 + "]",
    "a dotted header of a list": "[[a" + ".a" * 100_000 + "]]",
    "a dotted key in a table": "x = {a" + ".a" * 100_000 + " = 1}",
    "a dotted key after a text": 'x = "a.b"\ny' + ".a" * 100_000 + " = 1",
    "a dotted key after an open text": 'x = "a\ny' + ".a" * 100_000 + " = 1",
    "lists in lists": "x = " + "[" * 100_000,
    "closed lists in lists": "x = " + "[" * 1000 + "]" * 1000,
    "tables in tables": "x = " + "{a = " * 50_000,
    "lists in tables": "x = " + "[{a = " * 40_000,
    "one long key": "a" * 250_000 + " = 1",
    "one long number": "x = " + "9" * 250_000,
    "too much of it": "# " + "x" * 300_000,
    "many dotted floats": "x = [" + "1" + ".1" * 100_000 + "]",
}
#: Regular expressions and parsers have gone through these again and again.
SLOW = {
    "open texts": '"""' * 80_000,
    "open literals": "'''" * 80_000,
    "escapes": '"\\' * 100_000,
    "quotes": '"' * 250_000,
    "an open text of quotes": 'x = """' + '""a' * 80_000,
    "headers": "[[a]]\n" * 40_000,
    "blanks": "x =" + " " * 250_000,
    "returns": "\r" * 250_000,
    "comments": "#\n" * 100_000,
    "folded lines": 'x = """' + "\\\n  " * 60_000 + '"""',
}


@pytest.mark.hostile
@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_before_it_is_parsed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("was parsed"))
    with pytest.raises(toml.Unshapely):
        toml.loads(HOSTILE[name])
    with pytest.raises(ConfigError) as caught:
        parsed(HOSTILE[name], path=Path("pacecar.toml"))
    assert len(caught.value.message) < 200


@pytest.mark.hostile
@pytest.mark.parametrize("name", SLOW)
def test_it_is_read_or_refused(name: str) -> None:
    with contextlib.suppress(ValueError):
        toml.loads(SLOW[name])


_KEYS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8)
_VALUES = st.recursive(
    st.integers(-(10**9), 10**9) | st.booleans() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)


def written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value if not "\ud800" <= letter <= "\udfff") + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {written(each)}" for key, each in value.items()) + "}"
    return str(value)


@given(st.dictionaries(_KEYS, _VALUES, max_size=6))
def test_what_a_person_writes_is_read_as_before(table: dict[str, object]) -> None:
    text = "\n".join(f"{key} = {written(value)}" for key, value in table.items())
    assert toml.loads(text) == tomllib.loads(text)


@given(st.text(alphabet="ab.=[]{}\"'\\#\n ,1", max_size=80))
def test_any_text_is_read_as_before_or_refused(text: str) -> None:
    try:
        expected = tomllib.loads(text)
    except ValueError:
        expected = None
    try:
        found = toml.loads(text)
    except toml.Unshapely:
        return
    except ValueError:
        found = None
    assert found == expected
