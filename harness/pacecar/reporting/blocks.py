"""Blocks of Markdown put one below the other, as many as there is room for: what matters most comes first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pacecar.reporting.markdown import Markdown

_NOTHING, _END = Markdown(""), Markdown("\n")


def fitted(blocks: Iterable[Sequence[Markdown]], *, limit: int, cut: Markdown) -> Markdown:
    """The blocks with an empty line between them; empty ones leave none.

    Args:
        blocks: the lines of each. The first one always stays.
        limit: most characters; a block that does not fit is left out, and those after it have their chance.
        cut: a line that says so.
    """
    text, left_out = _NOTHING, False
    for block in filter(None, blocks):
        added = Markdown.joined("\n", block) + _END
        # An empty line stands before the block, and one before `cut`.
        if text and len(text) + len(added) + len(cut) + 2 > limit:
            left_out = True
            continue
        text += (_END if text else _NOTHING) + added
    return text + (_END + cut if left_out else _NOTHING)
