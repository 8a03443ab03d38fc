"""What somebody reads who waits for a run."""

import io

import pytest
from rich.console import Console

from pacecar.cli.live import Live
from pacecar.measurement.session.progress import Phase, Progress
from pacecar.model.comparison import Look


@pytest.fixture
def told():
    """Lines that progress makes off a terminal."""
    file = io.StringIO()

    def tell(look):
        with Live(Console(file=file, force_terminal=False)) as live:
            live.progress(Progress(phase=Phase.LOAD, detail="", pair=2, pairs=6, look=look, remaining_s=60.0))
        return file.getvalue()

    return tell


def test_a_pair_that_does_not_count_is_told_while_it_matters(told):
    line = told(Look(estimate="cpu +3%", voided=("first", "other processes used 61% of the CPU.")))
    assert "cpu +3% · 2 pairs left out: other processes used 61% of the CPU · up to about 1 min" in line


def test_nothing_is_said_of_pairs_that_count(told):
    assert "left out" not in told(Look())


@pytest.mark.hostile
@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("said", ["[red]x[/blue]", "[/]", "[bold", "[link=https://evil.example]x", "a\x1b[2Jb\rc\x9b"])
def test_what_a_service_said_is_no_markup_and_moves_no_cursor(said, terminal):
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=200, _environ={})
    with Live(console) as live:
        look = Look(estimate=said, voided=(said,), waits_for=(said,))
        live.progress(Progress(phase=Phase.LOAD, detail=said, pair=2, pairs=6, look=look, remaining_s=60.0))
        if live._status is not None:  # drawn once, so that markup would have to be read
            console.print(live._status)
    assert "\x1b[2J" not in file.getvalue()
    assert "\x9b" not in file.getvalue()
    assert said.partition("\x1b")[0] in file.getvalue()
