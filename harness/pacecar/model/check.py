"""What an examination says about one thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that a comparison needs, or is better with.

    Attributes:
        name: what was looked at.
        ok: whether it is as it should be.
        found: what was found, in a few words.
        remedy: what to do about a lack, a command where there is one; None when `ok`.
        required: without it nothing can be measured; otherwise it is a matter of quality or convenience.
    """

    name: str
    ok: bool
    found: str
    remedy: str | None = None
    required: bool = True
