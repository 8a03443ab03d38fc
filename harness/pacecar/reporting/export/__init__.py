"""Profiles of a run for other tools: folded stacks, pprof."""

from __future__ import annotations

from pacecar.errors import UsageError


class ExportError(UsageError):
    """There is nothing of that kind to be exported."""
