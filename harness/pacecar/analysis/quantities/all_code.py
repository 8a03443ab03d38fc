"""By how much code all over the service takes more CPU time, which is taken out before single frames are blamed."""

from __future__ import annotations

import math

from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.profiles.sampled import NONE
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.rows import by_frame, chosen, lacking
from pacecar.analysis.stats.common_change import common_change, common_effect
from pacecar.model.causes import AllCode
from pacecar.model.profiles import ProfileKind

#: A change of this size, as a fraction, sends nobody to look at the whole JVM.
_NEGLIGIBLE = 0.05


def all_code(quantities: Quantities) -> AllCode | None:
    """None where that is not known, or not certain to be more than negligible."""
    sampled = quantities.sampled
    if sampled is None or lacking(quantities, ProfileKind.CPU) is not None or len(quantities.pairs) < 2:
        return None
    rows = chosen(quantities, sampled, ProfileKind.CPU, endpoint=ALL, states=(NONE,))
    effect = common_effect(common_change(*by_frame(quantities, sampled, rows, endpoint=ALL)))
    change, low, high = (math.expm1(each) for each in (effect.mean, *effect.interval()))
    if low <= _NEGLIGIBLE and high >= -_NEGLIGIBLE:
        return None
    return AllCode(change=change, low=low, high=high)
