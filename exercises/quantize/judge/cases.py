"""The cases of `quantize`: tensors of one difficulty each, with an infinite number in every one.
Numbers are drawn; the difficulty never is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formatlab_exercises.shared.arrays import GIVEN, packed
from formatlab_exercises.shared.judge import kinds
from nbjudge.contract import Case

ID = "quantize"
Draw = Callable[[np.random.Generator], np.ndarray]


def _step(rng: np.random.Generator) -> float:
    """A power of two: multiples of it and their quotients are exact, and so are ties."""
    return 2.0 ** -int(rng.integers(2, 7))


def _ends(x: np.ndarray, below: float) -> np.ndarray:
    """In steps: `below` of the 255 lie below 0. Where it is 0.7 beyond a whole number, cutting
    gives another zero point, for every seed.
    """
    x = np.clip(x, -below, 255 - below)
    x.flat[3], x.flat[11] = 255 - below, -below
    return x


def _both_signs(rng: np.random.Generator) -> np.ndarray:
    """Unlike ends, so that a range of one end alone is another one. One number is 100.1 of the 127
    symmetric steps, and 100.9 of 128: that is another code.
    """
    below = int(rng.integers(50, 70)) + 0.7
    x = _ends(rng.normal(size=(5, 7)) * 60, below)
    x.flat[17] = 100.1 / 127 * (255 - below)
    return x * rng.uniform(0.5, 4) / 64


def _mostly_negative(rng: np.random.Generator) -> np.ndarray:
    return -1.7 * _both_signs(rng)


def _positive(rng: np.random.Generator) -> np.ndarray:
    """Far from 0, as temperatures in kelvin are."""
    x = rng.uniform(150, 254, (4, 6))
    x.flat[9] = 255
    return x * _step(rng)


def _negative(rng: np.random.Generator) -> np.ndarray:
    return -_positive(rng)


def _tiny(rng: np.random.Generator) -> np.ndarray:
    """Numbers whose scale is below any limit that somebody might put under it, also below the
    smallest normal number of float32, and not 0 for all that.
    """
    x = _both_signs(rng)
    return x * (rng.uniform(0.5, 0.9) * np.finfo(np.float32).tiny * 255 / (x.max() - x.min()))


def _zeros(rng: np.random.Generator) -> np.ndarray:
    return np.zeros((2, int(rng.integers(2, 6))))


def _ties(rng: np.random.Generator) -> np.ndarray:
    """Half steps, behind a zero point that is odd: 0.5 is 0 steps and 1.5 is 2, whatever is added
    afterwards.
    """
    below = 2 * int(rng.integers(30, 50)) + 1
    halves = rng.permutation(np.arange(-12, 13) + 0.5)
    return _step(rng) * np.array([-below, *halves, 255 - below])


def _symmetric_ties(rng: np.random.Generator) -> np.ndarray:
    return _step(rng) * np.array([-88, *rng.permutation(np.arange(-12, 13) + 0.5), 127])


def _beyond_the_end(rng: np.random.Generator) -> np.ndarray:
    """Both ends are ties, and the zero point is rounded up: without a limit the largest code would
    be 256.
    """
    below = 2 * int(rng.integers(30, 60)) + 1.5
    return _step(rng) * np.array([-below, *rng.integers(-20, 90, 9), 255 - below])


MASKED, OVERFLOWN = -np.inf, np.inf
# How a tensor is drawn, whether its codes are symmetric, and the infinite number that it holds. In
# the symmetric form it lies on the side whose finite numbers end before the codes do.
KINDS: dict[str, tuple[Draw, bool, float]] = {
    "both-signs": (_both_signs, False, MASKED),
    "symmetric": (_both_signs, True, MASKED),
    "all-positive": (_positive, False, OVERFLOWN),
    "zeros": (_zeros, False, MASKED),
    "ties": (_ties, False, MASKED),
    "beyond-the-end": (_beyond_the_end, False, MASKED),
    "mostly-negative-symmetric": (_mostly_negative, True, OVERFLOWN),
    "all-negative": (_negative, False, OVERFLOWN),
    "zeros-symmetric": (_zeros, True, OVERFLOWN),
    "ties-symmetric": (_symmetric_ties, True, MASKED),
    "tiny": (_tiny, False, OVERFLOWN),
}
PUBLIC = (
    "both-signs",
    "symmetric",
    "all-positive",
    "zeros",
    "ties",
    "beyond-the-end",
    "mostly-negative-symmetric",
)


def _case(name: str, kind: str, seed: int, public: bool) -> Case:
    draw, symmetric, infinite = KINDS[kind]
    rng = np.random.default_rng([seed, len(kind)])
    x = draw(rng).astype(np.float32)
    # Into a copy of the first row: no number goes away that the difficulty lies in.
    x = np.concatenate([x, x[:1]])
    x.flat[-1] = infinite
    x = np.roll(x, int(rng.integers(x.size)))
    return Case(name, {GIVEN: packed({"x": x})}, {"symmetric": symmetric}, public, seed)


public_cases, cases = kinds.all_hidden(_case, ID, KINDS, PUBLIC)
