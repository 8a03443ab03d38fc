"""Pairs as the unit tests make them, for parts that want whole runs."""

from unit.conftest import make_pair, truth

__all__ = ["make_pair", "truth"]
