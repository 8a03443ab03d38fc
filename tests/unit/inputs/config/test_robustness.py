"""Whatever a file holds, it loads or is refused in a sentence."""

import tomllib
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pacecar.inputs import config
from support.checkout import CHECKOUT

SAMPLE = (CHECKOUT / "pacecar.toml").read_text()
PIECES = [
    "[",
    "]",
    "{",
    "}",
    '"',
    "'''",
    "=",
    "\n",
    ".",
    "0",
    "-",
    "inf",
    "\\",
    "\0",
    "é",
    "${",
    "a" * 300,
    "[[plan]]\n",
]
VALUES = st.recursive(
    st.one_of(
        st.integers(),
        st.floats(),
        st.booleans(),
        st.text(max_size=20),
        st.dates(),
        st.sampled_from(["1 s", "5 %", "10 MiB", "1/s"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=5,
)


def loads_or_refuses(text):
    try:
        loaded = config.parse(text, Path("pacecar.toml"))
    except config.ConfigError as error:
        message = error.message
    else:
        message = loaded.target.name
    assert message.isprintable()
    assert len(message) < 500


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_text_with_a_piece_cut_out_put_in_or_moved(data):
    text = SAMPLE
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        piece = data.draw(st.one_of(st.sampled_from(PIECES), st.just(text[end : end + 30]), st.text(max_size=5)))
        text = text[:start] + piece + text[end:]
    loads_or_refuses(text)


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_place_of_any_other(data):
    lines = SAMPLE.splitlines()
    number = data.draw(st.sampled_from([n for n, line in enumerate(lines) if " = " in line and line[0].isalpha()]))
    key = lines[number].partition(" = ")[0]
    lines[number] = f"{key} = {toml(data.draw(VALUES))}"
    loads_or_refuses("\n".join(lines))


@given(st.text(max_size=300))
@example("a=" * 50)
@example("[a.a]\n[a]\na.b=1")
@example("x = " + "{y = " * 400)
def test_any_text(text):
    loads_or_refuses(text)


def toml(value):
    """`value` as a TOML expression."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08x}" for letter in value if not 0xD800 <= ord(letter) < 0xE000) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(inner)}" for key, inner in value.items()) + "}"
    return str(value)


@given(VALUES)
def test_the_mutations_are_toml(value):
    assert "value" in tomllib.loads(f"value = {toml(value)}")
