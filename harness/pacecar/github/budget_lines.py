"""Where a budget stands in `pacecar.toml`: the line that a metric is held against."""

from __future__ import annotations

from pathlib import Path

from pacecar.inputs.config import ConfigError
from pacecar.inputs.config.config_text import ConfigText, parsed, read_text


class BudgetLines:
    """The budgets of a configuration file, by line."""

    def __init__(self, path: Path) -> None:
        self._written = _parsed(path)

    def line(self, metric: str, endpoint: str, *, absolute: bool = False) -> int | None:
        """The line of the budget of `metric`: the endpoint's own, else the one for all; None where the default holds.

        Args:
            metric: such as `latency.p99`.
            endpoint: "" for the whole service.
            absolute: the largest value was broken, not the change.
        """
        if self._written is None:
            return None
        budgets = self._written.table.get("budgets", [])
        named = [(at, budget) for at, budget in enumerate(budgets) if budget.get("metric") == metric]
        for place in (endpoint or None, None):
            for at, budget in named:
                if budget.get("endpoint") == place:
                    key = "max" if absolute and "max" in budget else "worse" if "worse" in budget else "max"
                    return self._written.line(("budgets", at, key)) or None
        return None


def _parsed(path: Path) -> ConfigText | None:
    try:
        return parsed(read_text(path), path=path)
    except ConfigError:  # it has been edited since; then there is no line to point at
        return None
