"""Lines of keys in TOML text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.inputs.config.lines import key_lines, line_of

TEXT = '''\
# a comment with [brackets] = "and quotes
top = 1
dotted."quoted key".x = 2026-01-01 10:30:00.5
[table]
text = """
[not.a.table]
not = "a key" """""
literal = \'\'\'it's
[neither]\'\'\'
number = -1.5e3
list = [ # comment, with ]
  "a", [1, 2],

  { name = "inline", deep.er = [3] },
]
[[array]]
a = 1
[array.sub]
b = 2
[[array]]
a = "#"
  [[array.inner]]
  c = 'x'
[ "table" . 'other' ]
z = {}
'''


@pytest.mark.parametrize(
    ("location", "line"),
    [
        (("top",), 2),
        (("dotted", "quoted key", "x"), 3),
        (("table",), 4),
        (("table", "text"), 5),
        (("table", "literal"), 8),
        (("table", "number"), 10),
        (("table", "list"), 11),
        (("table", "list", 0), 12),
        (("table", "list", 1), 12),
        (("table", "list", 1, 1), 12),
        (("table", "list", 2, "name"), 14),
        (("table", "list", 2, "deep", "er", 0), 14),
        (("array", 0), 16),
        (("array", 0, "a"), 17),
        (("array", 0, "sub", "b"), 19),
        (("array", 1, "a"), 21),
        (("array", 1, "inner", 0, "c"), 23),
        (("table", "other", "z"), 25),
    ],
)
def test_keys_are_found_on_their_lines(location, line):
    assert key_lines(TEXT)[location] == line


def test_nothing_is_found_inside_strings_and_comments():
    tomllib.loads(TEXT)
    names = {location[-1] for location in key_lines(TEXT)}
    assert not names & {"not", "neither", "brackets", "a key"}


def test_what_is_missing_is_looked_for_around():
    lines = key_lines(TEXT)
    assert line_of(("array", 1, "gone", "deeper"), lines) == 20
    assert line_of(("gone",), lines) is None


@given(st.text(alphabet="[]{}=,.\"'\\#\n ab1", max_size=60))
def test_any_text_is_scanned_to_its_end(text):
    assert all(1 <= line <= text.count("\n") + 1 for line in key_lines(text).values())
