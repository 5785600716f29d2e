"""Which pairs of codes somebody looked at who changed a safe layer, or left one that saturates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formatlab_exercises.saturation.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.stored import MOST, Weight
from nbjudge.findings import Misconception


def why_changed(layers: Sequence[Weight]) -> Misconception:
    """What is wrong with changing these: none saturates. The layer that the fewest mistakes would
    change tells which of them it was.
    """
    ways = [_way_of(layer) for layer in layers]
    order = (
        Mistakes.unsigned_too,
        Mistakes.all_layers,
        Mistakes.one_weight,
        Mistakes.other_outputs,
        Mistakes.other_axis,
        Mistakes.signs_dropped,
    )
    return next((one for one in order if one in ways), Mistakes.just_fitting)


def _way_of(layer: Weight) -> Misconception:
    if layer.codes.dtype == np.uint8:
        return Mistakes.unsigned_too
    rows = layer.codes.astype(int)
    if _reach(rows) == MOST:
        return Mistakes.just_fitting
    if np.abs(rows).max() <= MOST // 2:
        return Mistakes.all_layers
    if _reach(np.abs(rows)) > MOST:
        return Mistakes.signs_dropped
    if _reach(rows.reshape(1, -1)) <= MOST:
        return Mistakes.one_weight
    return Mistakes.other_axis if _reach(rows.T) > MOST else Mistakes.other_outputs


def why_left(layers: Sequence[Weight]) -> Misconception:
    """What was overlooked in these: each saturates."""
    rows = [layer.codes.astype(int) for layer in layers]
    if all(_reach(each) == MOST + 1 for each in rows):
        return Mistakes.just_leaving
    if all(_reach(each[:1]) <= MOST for each in rows):
        return Mistakes.first_output
    if all(_largest(each) <= MOST for each in rows) or all(
        _largest(-each) <= MOST for each in rows
    ):
        return Mistakes.one_end
    beside = [np.abs(each[:, :-1:2] + each[:, 1::2]).max() for each in rows]
    return Mistakes.neighbours if max(beside) <= MOST else Mistakes.some_layers


def _reach(rows: np.ndarray) -> int:
    """The furthest from 0 that two codes of a row add up to."""
    return max(_largest(rows), _largest(-rows))


def _largest(rows: np.ndarray) -> int:
    return int(np.sort(rows, axis=1)[:, -2:].sum(axis=1).max())
