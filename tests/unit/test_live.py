"""What somebody reads who waits for a run."""

import io

import pytest
from rich.console import Console

from pacecar.comparison import Look
from pacecar.live import Live
from pacecar.session.progress import Phase, Progress


@pytest.fixture
def told():
    """Lines that progress makes off a terminal."""
    file = io.StringIO()

    def tell(look):
        with Live(Console(file=file, force_terminal=False)) as live:
            live.tell(Progress(phase=Phase.LOAD, detail="", pair=2, pairs=6, look=look, remaining_s=60.0))
        return file.getvalue()

    return tell


def test_a_pair_that_does_not_count_is_told_while_it_matters(told):
    line = told(Look(estimate="cpu +3%", voided=("first", "other processes took 61% of the CPU.")))
    assert "cpu +3% · 2 pairs left out: other processes took 61% of the CPU · up to about 1 min" in line


def test_nothing_is_said_of_pairs_that_count(told):
    assert "left out" not in told(Look())
