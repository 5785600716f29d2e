"""What mending did to the layers that needed it, in steps of the scale that they had.

No case leaves this to luck. A scale twice as wide moves a weight by one of its old steps at most,
and one four times as wide moves some by two. Half of the codes are odd, so that halving them is a
tie. Rounded to even, as many of those go up as down, but for 1 / sqrt(their number), which is 0.07
in the smallest layer of the cases; rounded in one way, all of them do.
Outputs would show less: a net of ten outputs tells right from wrong by 1 dB or by 10, by its draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from formatlab_exercises.shared.judge.stored import Weight, weights
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case

# How near to halfway, in steps, is halfway: scales are float32. And how many ties tell a way.
TIE, FEWEST = 1e-3, 100


@dataclass(frozen=True)
class Mended:
    """A layer that saturated, before and after."""

    before: Weight
    after: Weight

    @property
    def is_laid_out_alike(self) -> bool:
        """Whether number i of the one stands for number i of the other, in codes that it can be
        read from.
        """
        codes, scale = self.after.bias or (np.zeros(1), np.ones(1))
        return _layout(self.before) == _layout(self.after) and scale.size in (1, codes.size)

    @property
    def has_its_scale(self) -> bool:
        return np.array_equal(self.before.scale, self.after.scale)

    @property
    def has_its_bias_codes(self) -> bool:
        if self.before.bias is None or self.after.bias is None:
            return self.before.bias is self.after.bias
        return np.array_equal(self.before.bias[0], self.after.bias[0])

    @property
    def is_cut_off(self) -> bool:
        """Whether its codes are the old ones, cut off at the ends of the new ones."""
        codes = self.after.codes
        return np.array_equal(np.clip(self.before.codes, codes.min(), codes.max()), codes)

    @property
    def factor(self) -> float:
        """How many times as wide its steps are, in the middle of its channels."""
        return float(np.median(self.after.scale / self.before.scale))

    @cached_property
    def errors(self) -> np.ndarray:
        old, new = (
            (each.codes - each.zero[:, None].astype(float)) * each.scale[:, None]
            for each in (self.before, self.after)
        )
        return (new - old) / self.before.scale[:, None]

    @property
    def furthest(self) -> float:
        return float(np.abs(self.errors).max())

    @property
    def furthest_bias(self) -> float:
        if self.before.bias is None or self.after.bias is None:
            return 0.0
        (old, step), (new, other) = self.before.bias, self.after.bias
        return float(np.abs(new * (other / step) - old).max())

    @cached_property
    def ties(self) -> np.ndarray:
        """Which weights lay halfway between two of the new codes; none of them where they are few."""
        width = (self.after.scale / self.before.scale)[:, None]
        found = np.abs(np.abs(self.errors / width) - 0.5) < TIE
        return found & (found.sum() >= FEWEST)

    @property
    def upwards(self) -> float:
        """Which way the ties went: 1 if all went up, -1 if all went down, 0 if as many up as down."""
        return _mean(np.sign(self.errors[self.ties]))

    @property
    def inwards(self) -> float:
        """The same for those that went towards 0, and away from it."""
        return _mean(-np.sign(self.errors * np.sign(self.before.codes))[self.ties])


def mended(case: Case, answer: Answer) -> Iterator[Mended]:
    """The layers that had to change and are quantized still."""
    before, after = weights(case.files[MODEL]), weights(answer.files[MODEL])
    for name, weight in before.items():
        if weight.saturates and name in after:
            yield Mended(weight, after[name])


def _layout(weight: Weight) -> tuple:
    return weight.codes.shape, weight.axis, weight.bias and weight.bias[0].shape


def _mean(signs: np.ndarray) -> float:
    return float(signs.mean()) if signs.size else 0.0
