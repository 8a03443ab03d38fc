"""What `pacecar noise` says beside its table."""

from __future__ import annotations

import math

from pacecar.cli.study import room_of


def test_how_much_room_the_load_leaves() -> None:
    assert room_of(0.24) == "The service kept its cores busy for 24% of the time."
    assert room_of(0.36).endswith("p99 scatters less: try a quarter.")
    assert room_of(math.nan) == ""
