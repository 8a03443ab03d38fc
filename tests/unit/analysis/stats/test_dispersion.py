"""How much counts of samples scatter: few sums of the samples of many frames."""

from __future__ import annotations

import numpy as np
import pytest

from pacecar.analysis.stats import dispersion
from pacecar.analysis.stats.dispersion import Differences

#: ms per sample.
_SAMPLE = 0.5
_PAIRS = 4
_FRAMES = 60
#: By which the cost of all frames of a key differs from fork to fork beyond their samples, in logarithm.
_FORK = 0.06


def _drawn(seed: int, *, dearer: float = 0.0, scatter: float = _FORK) -> tuple[Differences, Differences]:
    """Sixty frames of 20 ms each, and what they add up to by three keys, of which the first is `dearer` by a part."""
    random = np.random.default_rng(seed)
    factor = np.where(np.arange(_FRAMES) % 3 == 0, 1 + dearer, 1.0)
    before, after = (_forks(20 * each, scatter, random) for each in (np.ones(_FRAMES), factor))
    frames = _differences(before, after)
    return frames, _differences(_by_key(before), _by_key(after), kin=frames)


def _forks(mean: np.ndarray, scatter: float, random: np.random.Generator) -> np.ndarray:
    luck = np.tile(random.normal(0, scatter, (_PAIRS, 3)), _FRAMES // 3)
    return np.asarray(random.poisson(mean * np.exp(luck) / _SAMPLE) * _SAMPLE)


def _by_key(frames: np.ndarray) -> np.ndarray:
    return np.asarray(frames.reshape(_PAIRS, -1, 3).sum(axis=1))


def _differences(before: np.ndarray, after: np.ndarray, kin: Differences | None = None) -> Differences:
    return Differences(
        each=after - before,
        level=(before + after).mean(axis=0) / 2,
        poisson=_SAMPLE * (before + after).mean(axis=0),
        kin=kin,
    )


def _sums(seed: int, *, dearer: float = 0.0, scatter: float = _FORK, with_kin: bool = True) -> dispersion.Tested:
    frames, sums = _drawn(seed, dearer=dearer, scatter=scatter)
    if not with_kin:
        sums = sums.chosen(np.ones(3, dtype=bool))
    return dispersion.tested(sums, whole=float(frames.level.sum()))


def test_frames_say_how_much_few_sums_of_their_samples_scatter() -> None:
    found = [_sums(seed, dearer=0.5).p_values[0] for seed in range(100)]
    alone = [_sums(seed, dearer=0.5, with_kin=False).p_values[0] for seed in range(100)]
    assert np.mean(np.array(found) < 0.001) > 0.9
    assert np.mean(np.array(alone) < 0.001) < 0.5


@pytest.mark.parametrize("scatter", [0.0, 0.06, 0.1])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_sums_of_what_did_not_change_move_no_more_often_than_chance_allows(level: float, scatter: float) -> None:
    p_values = np.array([_sums(seed, scatter=scatter).p_values for seed in range(700)])
    assert np.mean(p_values < level) < 1.3 * level
