"""Likely causes: judged metrics and what was recorded beside them in, findings with the causes that explain them out.

Each kind of cause is a module of its own in `kinds`; whatever lies there is asked (`registry`).
"""

from pacecar.analysis.causes.engine import explained
from pacecar.analysis.causes.finder import CauseFinder
from pacecar.analysis.causes.ledger import ledgers

__all__ = ["CauseFinder", "explained", "ledgers"]
