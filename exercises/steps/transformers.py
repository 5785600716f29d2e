"""The steps of notebook 04b: outliers, scales, SmoothQuant, weights in blocks, and a gradient past a
rounding.
"""

import numpy as np
import torch

from formatlab.few_bits import factors, peaks
from formatlab_exercises.steps import Slip, Step, Steps, plain


def largest_of_tokens(x):
    return np.abs(x).max(axis=1)


def without_sign(x):
    return x.max(axis=0)


def widths(x):
    return x.max(axis=0) - x.min(axis=0)


def span(x, axis):
    low = np.minimum(x.min(axis=axis, keepdims=True), 0)
    high = np.maximum(x.max(axis=axis, keepdims=True), 0)
    return low, high


def without_zero(x, axis):
    return x.min(axis=axis, keepdims=True), x.max(axis=axis, keepdims=True)


def zero_at_one_end(x, axis):
    return np.minimum(x.min(axis=axis, keepdims=True), 0), x.max(axis=axis, keepdims=True)


def mirrored(x, axis):
    high = np.abs(x).max(axis=axis, keepdims=True)
    return -high, high


def one_dimension_less(x, axis):
    return np.minimum(x.min(axis=axis), 0), np.maximum(x.max(axis=axis), 0)


def all_to_the_weight(largest, heaviest, alpha):
    return largest ** (1 - alpha) / heaviest**alpha


def one_power(largest, heaviest, alpha):
    return (largest / heaviest) ** alpha


def multiplied(largest, heaviest, alpha):
    return largest**alpha * heaviest ** (1 - alpha)


def moved(x, w, f):
    return x / f, w * f[:, None]


def columns_of_the_weight(x, w, f):
    return x / f, w * np.resize(f, w.shape[1])


def other_way(x, w, f):
    return x * f, w / f[:, None]


def weight_alone(x, w, f):
    return x, w * f[:, None]


def in_blocks(w, block):
    parts = w.reshape(-1, block, w.shape[1])
    scales = np.abs(parts).max(axis=1) / 7
    return np.rint(parts / scales[:, None]).reshape(w.shape), scales


def by_eight(w, block):
    parts = w.reshape(-1, block, w.shape[1])
    scales = np.abs(parts).max(axis=1) / 8
    return np.rint(parts / scales[:, None]).reshape(w.shape), scales


def whole_columns(w, block):
    scales = np.repeat(np.abs(w).max(axis=0, keepdims=True) / 7, len(w) // block, axis=0)
    return np.rint(w / scales[:1]), scales


def one_for_a_block(w, block):
    parts = w.reshape(-1, block, w.shape[1])
    scales = np.abs(parts).max(axis=(1, 2)) / 7
    scales = np.repeat(scales[:, None], w.shape[1], axis=1)
    return np.rint(parts / scales[:, None]).reshape(w.shape), scales


def past_the_rounding(w, rounded):
    return w + (rounded - w).detach()


def rounded_alone(w, rounded):
    return rounded


def other_part_detached(w, rounded):
    return rounded + (w - rounded).detach()


def half_detached(w, rounded):
    return w + rounded - w.detach()


def without_gradient(w, rounded):
    return rounded.detach()


def values(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).round(2)


def with_an_outlier():
    x = values(0, 5, 4) + 0.3
    x[2, 1] = -9
    return x


def in_steps(*numbers):
    """A weight that takes gradients, and the same rounded to steps of a half."""
    w = torch.tensor(numbers, requires_grad=True)
    return w, torch.round(2 * w) / 2


def to_the_largest(*numbers):
    """As `in_steps`, with a step that depends on the weight itself, and so has a gradient."""
    w = torch.tensor(numbers, requires_grad=True)
    step = w.abs().max() / 3
    return w, torch.round(w / step) * step


def value_and_gradient(arguments, result):
    """What the result is, and how it changes with the weight."""
    if not isinstance(result, torch.Tensor):
        return plain(result)
    gradient = None
    if result.requires_grad:
        [gradient] = torch.autograd.grad(result.sum(), arguments[0], allow_unused=True)
    return plain([result.tolist(), 0.0 if gradient is None else gradient.tolist()])


step = Steps(
    "lab-7-01/04b-transformers",
    peaks=Step(
        "outliers",
        peaks,
        {
            "five tokens, four channels": lambda: (with_an_outlier(),),
            "three tokens": lambda: (values(1, 3, 6),),
        },
        (
            Slip(largest_of_tokens, "A row is a token. A channel is a column: go down the rows."),
            Slip(without_sign, "A large negative value widens the range, too. Take magnitudes."),
            Slip(widths, "That is each channel's width. The largest magnitude is asked for."),
        ),
    ),
    span=Step(
        "outliers",
        span,
        {
            "one for all": lambda: (with_an_outlier(), None),
            "one for each row": lambda: (values(2, 4, 3) + 1.5, 1),
            "one for each row, all negative": lambda: (values(2, 4, 3) - 5, 1),
            "one for each column": lambda: (with_an_outlier(), 0),
        },
        (
            Slip(without_zero, "Zero has to have a code: let the range hold it."),
            Slip(zero_at_one_end, "All values may be negative, too: then the high end is 0."),
            Slip(mirrored, "Unsigned codes have a zero point, so both ends are free."),
            Slip(
                one_dimension_less,
                "Keep the dimension (`keepdims=True`), so that the ends line up with x again.",
            ),
        ),
    ),
    factors=Step(
        "smoothquant",
        factors,
        {
            "alpha 0.5": lambda: (np.array([8.0, 1.0, 2.0]), np.array([0.5, 1.0, 0.25]), 0.5),
            "alpha 0.8": lambda: (np.array([30.0, 1.5]), np.array([0.4, 0.1]), 0.8),
        },
        (
            Slip(all_to_the_weight, "Alpha belongs to the activation, 1 - alpha to the weight."),
            Slip(one_power, "The weight's power is 1 - alpha."),
            Slip(multiplied, "Where the weight is large already, move less: divide by its power."),
        ),
    ),
    moved=Step(
        "smoothquant",
        moved,
        {
            "three channels, two outputs": lambda: (
                values(3, 4, 3),
                values(4, 3, 2),
                np.array([4.0, 0.5, 1.0]),
            ),
            "two channels, three outputs": lambda: (
                values(5, 2, 2),
                values(6, 2, 3),
                np.array([2.0, 8.0]),
            ),
        },
        (
            Slip(
                columns_of_the_weight,
                "Channel i of x meets row i of w. Multiply rows: `f[:, None]`.",
            ),
            Slip(other_way, "The activation has the outliers: divide x, and multiply w."),
            Slip(weight_alone, "Now the product has changed. Divide x by the same factors."),
        ),
    ),
    in_blocks=Step(
        "four-bits-in-a-session",
        in_blocks,
        {
            "two blocks of four": lambda: (values(7, 8, 3), 4),
            "three blocks of two": lambda: (values(8, 6, 2) * [[1.0, 9.0]], 2),
        },
        (
            Slip(by_eight, "Symmetric codes in 4 bits end at 7 on both sides."),
            Slip(whole_columns, "A column has one scale for each block, not one in all."),
            Slip(one_for_a_block, "Each column of a block has a scale of its own."),
        ),
    ),
    past_the_rounding=Step(
        "training-for-few-bits",
        past_the_rounding,
        {
            "four weights": lambda: in_steps(0.3, -0.8, 1.26, 0.0),
            "two weights": lambda: in_steps(-2.2, 0.6),
            "a step that depends on the weight": lambda: to_the_largest(0.8, -0.3, 0.5),
        },
        (
            Slip(
                rounded_alone,
                "The derivative of rounding is 0 nearly everywhere, so nothing is learned.",
            ),
            Slip(
                other_part_detached,
                "Its value is the unrounded weight. Add to `w` what rounding changes, detached.",
            ),
            Slip(
                half_detached,
                "`rounded` has a gradient of its own where its step depends on `w`. Detach it, too.",
            ),
            Slip(without_gradient, "Detached as a whole, it takes no gradient to the weight."),
        ),
        value_and_gradient,
    ),
)
