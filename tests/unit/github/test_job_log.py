from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.github.job_log import HarmlessStream, command, harmless

_OBEYED = re.compile(r"^\s*::|##\[", re.MULTILINE)


def test_a_command_is_one_line_that_ends_where_it_should() -> None:
    line = command("error", "50%\nof\r::set-output::x", {"file": "a,b:c.java", "line": 3, "endLine": None})
    assert line == "::error file=a%2Cb%3Ac.java,line=3::50%25%0Aof%0D::set-output::x"


@given(text=st.text(alphabet=":#[] \n\taé"))
def test_nothing_that_is_harmless_is_obeyed(text: str) -> None:
    assert not _OBEYED.search(harmless(text))


@given(pieces=st.lists(st.text(alphabet=":#[ \na", max_size=4), max_size=8))
def test_commands_in_pieces_are_broken_up(pieces: list[str]) -> None:
    taken = io.BytesIO()
    stream = HarmlessStream(taken, encoding="utf-8", newline="\n")
    for piece in pieces:
        stream.write(piece)
    stream.flush()
    written = taken.getvalue().decode()
    assert not _OBEYED.search(written)
    assert written.replace("\N{WORD JOINER}", "") == "".join(pieces)


_CHILD = """
import sys
from pacecar.github.job_log import let_nothing_through, nothing_obeyed, issue
let_nothing_through()
with nothing_obeyed():
    print("::set-output name=verdict::improved")
    print("##[add-mask]a", file=sys.stderr)
print("::error::of a build", file=sys.stderr)
issue("::notice::ours")
"""


@pytest.mark.parametrize("apart", [True, False])
def test_between_the_tokens_stands_all_that_is_printed_within(apart: bool) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _CHILD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if apart else subprocess.STDOUT,
        text=True,
        check=True,
    )
    lines = ended.stdout.splitlines()
    token = lines[0].removeprefix("::stop-commands::")
    assert re.fullmatch(r"[0-9a-f]{32}", token)
    end = lines.index(f"::{token}::")
    assert {line.replace("\N{WORD JOINER}", "") for line in lines[1:end]} == {
        "::set-output name=verdict::improved",
        "##[add-mask]a",
        "",
    }
    obeyed = [line for line in (ended.stdout + (ended.stderr or "")).splitlines() if _OBEYED.search(line)]
    assert obeyed == [lines[0], f"::{token}::", "::notice::ours"]


_ENDS = ["\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]


@pytest.mark.hostile
@pytest.mark.parametrize("end", _ENDS)
@pytest.mark.parametrize("space", ["", " ", "\t", "\u3000"])
def test_no_line_is_obeyed_wherever_a_runner_may_end_it(end: str, space: str) -> None:
    shown = harmless(f"100 %{end}{space}::add-mask::e{end}{space}::error::x")
    assert not any(line.lstrip().startswith("::") for line in re.split("[\r\n\v\f\x1c\x85\u2028\u2029]", shown))


@pytest.mark.hostile
def test_a_log_of_empty_lines_is_read_in_a_line_of_time() -> None:
    # Were each line looked at to the end of all, these would be ten thousand million steps.
    text = "\n" * 100_000 + " " * 100_000
    assert harmless(text) == text


@pytest.mark.hostile
@pytest.mark.parametrize("text", ["a\x1b[2Jb", "a\u202eb", "a\x9bb", "a\u2028::error::b"])
def test_a_command_shows_its_texts_and_nothing_else(text: str) -> None:
    line = command("warning", text, {"title": text})
    assert all(each.isprintable() for each in line)
    assert line.count("::warning ") == 1
