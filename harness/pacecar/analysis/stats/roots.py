"""Where a function crosses zero."""

from __future__ import annotations

from collections.abc import Callable

#: Relative width to which a root is enclosed, and most evaluations of the function on the way.
_WIDTH = 4e-16
_MOST = 200


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """The x between `low` and `high` at which a continuous function changes its sign.

    Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without using
    derivatives", Advances in Engineering Software 28, 1997. As `scipy.optimize.brentq`, without the 20 MB and the third
    of a second that importing scipy.optimize takes.

    Args:
        function: of opposite signs at both ends.
        low: one end.
        high: the other.

    Raises:
        ValueError: when both ends have the same sign.
    """
    new, old = low, high
    at_new, at_old = function(new), function(old)
    if at_new * at_old > 0:
        raise ValueError("the function has the same sign at both ends")
    share = 0.5
    for _ in range(_MOST):
        tried = new + share * (old - new)
        at_tried = function(tried)
        # `new` becomes the end that was just tried, `old` the one across zero, `left` the one that is given up.
        if (at_tried > 0) == (at_new > 0):
            left, at_left = new, at_new
        else:
            left, at_left, old, at_old = old, at_old, new, at_new
        new, at_new = tried, at_tried
        best, at_best = (new, at_new) if abs(at_new) < abs(at_old) else (old, at_old)
        width = _WIDTH * abs(best) + 5e-324
        if at_best == 0 or width > 0.5 * abs(old - new):
            return best
        share = min(
            max(_share(new, old, left, at_new, at_old, at_left), width / abs(old - new)), 1 - width / abs(old - new)
        )
    return best


def _share(new: float, old: float, left: float, at_new: float, at_old: float, at_left: float) -> float:
    """How far from `new` to `old` is tried next: by a parabola where that is safe, else half of the way."""
    x = (new - old) / (left - old)
    y = (at_new - at_old) / (at_left - at_old)
    if not (y**2 < x and (1 - y) ** 2 < 1 - x):
        return 0.5
    near = at_new / (at_old - at_new) * at_left / (at_old - at_left)
    return near + (left - new) / (old - new) * at_new / (at_left - at_new) * at_old / (at_left - at_old)
