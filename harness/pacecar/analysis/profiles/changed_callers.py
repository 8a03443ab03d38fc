"""Which changed code calls the frames that are to blame, where their own code is as before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pacecar.analysis.profiles.merged import Merged
from pacecar.analysis.stats.arrays import Mask
from pacecar.analysis.stats.culprits import Culprit

#: The part of a frame's change that must have come from one caller.
_MOST = 0.5


def changed_callers(merged: Merged, culprits: Sequence[Culprit], touched: Mask) -> dict[int, str]:
    """Culprit's frame -> the deepest of its callers whose code differs, where most of the change came from there.

    A query that is asked more often is as it was; what asks it was changed, and that is what somebody has to look at.

    Args:
        merged: the profiles of all forks.
        culprits: frames to blame.
        touched: (frames,) whether the code of a frame differs between the builds.
    """
    if not touched.any():
        return {}
    tree = merged.tree
    nearest = tree.nearest(touched[tree.frame])
    own = (merged.candidate - merged.baseline).mean(axis=0)
    total = np.where(tree.outermost, tree.totals(own), 0.0)
    found: dict[int, str] = {}
    for culprit in culprits:
        called = (tree.frame == culprit.frame) & (nearest >= 0)
        if touched[culprit.frame] or not called.any():
            continue
        changes = (total if culprit.diffuse else own)[called] * np.sign(culprit.change)
        by_caller = np.bincount(tree.frame[nearest[called]], weights=changes)
        first = int(by_caller.argmax())
        if by_caller[first] > _MOST * abs(culprit.change):
            found[culprit.frame] = merged.names[first]
    return found
