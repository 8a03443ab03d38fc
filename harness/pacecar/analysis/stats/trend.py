"""Whether something rises: the slope of a robust line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Series = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def slope(*series: Series) -> float | None:
    """The median of the slopes between any two points of one series; None where no two differ in x.

    Theil-Sen (Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63, 1968): up to 29 % of the
    points may be anything.

    Args:
        series: x and y of points on parallel lines; how far these lie apart does not matter.
    """
    slopes = np.concatenate([_between(x, y) for x, y in series])
    return float(np.median(slopes)) if len(slopes) else None


def _between(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    first, second = np.triu_indices(len(x), k=1)
    run, rise = x[second] - x[first], y[second] - y[first]
    slopes: npt.NDArray[np.float64] = rise[run != 0] / run[run != 0]
    return slopes
