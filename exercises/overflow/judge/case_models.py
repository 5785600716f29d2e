"""The float16 graphs in which `find_overflow` looks for overflows, with their feeds. A docstring
says what is special about each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import TensorProto, helper

from formatlab_exercises.overflow.judge.case_sketch import ROWS, Float16Sketch


def there_and_back(s: Float16Sketch) -> None:
    """x times 1000, then times 0.001: the float32 result is small."""
    x = s.steady(s.feed(80, 200))
    large = s.node("Mul", [x, s.half(1000)])
    s.result(s.node("Mul", [s.identity(large), s.half(1e-3)]))


def at_the_end(s: Float16Sketch) -> None:
    """The value that overflows is the output of the graph."""
    large = s.node("Mul", [s.steady(s.feed(80, 200)), s.half(1000)])
    s.outputs.append(
        helper.make_tensor_value_info(large, TensorProto.FLOAT16, ["batch", ROWS, "width"])
    )


def scores(s: Float16Sketch) -> None:
    """Queries times keys are beyond the range; scaling them afterwards is too late."""
    width = int(s.rng.integers(4, 9))
    x = s.feed(1, 2, width)
    query = s.node("Mul", [x, s.half(s.rng.uniform(150, 200, width))])
    key = s.node("Mul", [x, s.half(s.rng.uniform(150, 200, width))])
    product = s.node("MatMul", [query, s.node("Transpose", [key], perm=[0, 2, 1])])
    scaled = s.node("Mul", [product, s.half(width**-0.5 / 100)])
    weights = s.node("Softmax", [s.node("Add", [scaled, s.half(_mask(-1e4))])], axis=-1)
    s.result(s.node("MatMul", [weights, s.smooth(x)]))


def _mask(hidden: float = -np.inf) -> np.ndarray:
    return np.where(np.tril(np.ones((ROWS, ROWS), bool)), 0, hidden)


def calm_mask(s: Float16Sketch) -> None:
    """Masks of minus infinities, an initializer and a Constant, and nothing that overflows."""
    x = s.smooth(s.feed(-2, 2))
    for as_node in s.rng.permutation([False, True]):
        product = s.node("MatMul", [x, s.node("Transpose", [s.smooth(x)], perm=[0, 2, 1])])
        masked = s.node("Add", [product, s.half(_mask(), bool(as_node))])
        x = s.node("MatMul", [s.node("Softmax", [masked], axis=-1), s.smooth(x)])
    s.result(x)


def small_feeds(s: Float16Sketch) -> None:
    """A graph that overflows on other feeds than these."""
    x = s.identity(s.feed(0.1, 3))
    s.result(s.node("Mul", [s.identity(s.node("Mul", [x, s.half(1000)])), s.half(1e-3)]))


def silent_zero(s: Float16Sketch) -> None:
    """A root mean square: the squares overflow, and what comes out is zero, finite and wrong."""
    x = s.steady(s.feed(300, 500))
    square = s.node("Mul", [x, x])
    mean = s.node("ReduceMean", [square, s.constant(np.array([-1]))], keepdims=1)
    root = s.node("Sqrt", [mean])
    s.result(s.smooth(s.node("Div", [x, root])))


def two_branches(s: Float16Sketch) -> None:
    """Two values overflow independently, and both infinities reach the output."""
    x = s.feed(80, 180)
    names = s.unsorted(2)
    first = s.node("Mul", [s.identity(x), s.half(s.rng.uniform(1000, 2000))], names[0])
    second = s.node(
        "Add",
        [
            s.half(s.rng.uniform(5e4, 6e4)),
            s.node("Mul", [s.identity(x), s.half(s.rng.uniform(300, 320))]),
        ],
        names[1],
    )
    middle = [s.identity(first), s.smooth(s.node("Mul", [second, s.half(0.5)]))]
    s.rng.shuffle(middle)
    s.result(s.node("Sub", middle))


def twice(s: Float16Sketch) -> None:
    """What overflowed is finite again behind a Clip, and overflows once more."""
    x = s.identity(s.feed(80, 200))
    first, second = s.unsorted(2)
    once = s.node("Mul", [x, s.half(1000)], first)
    clipped = s.node("Clip", [s.identity(once), "", s.half(s.rng.uniform(400, 900))])
    again = s.node("Mul", [clipped, clipped], second)
    s.result(s.node("Mul", [again, s.half(1e-3)]))


def through_zero(s: Float16Sketch) -> None:
    """One divided by an infinity is zero, and its logarithm is no finite number."""
    x = s.identity(s.feed(80, 200))
    first, second = s.unsorted(2)
    large = s.node("Mul", [x, s.half(s.rng.uniform(900, 2000))], first)
    small = s.node("Reciprocal", [s.identity(large)])
    s.result(s.node("Neg", [s.node("Log", [small], second)]))


def lost_epsilon(s: Float16Sketch) -> None:
    """An epsilon of 1e-8 is zero in float16, and zero is divided by it: that is NaN."""
    x = s.feed(0.5, 2)
    centred = s.node("Sub", [x, s.identity(x)])
    variance = s.node(
        "ReduceMean", [s.node("Mul", [centred, centred]), s.constant(np.array([-1]))], keepdims=1
    )
    safe = s.node("Add", [s.node("Sqrt", [variance]), s.half(1e-8)])
    s.result(s.steady(s.node("Div", [s.identity(centred), safe])))


def no_epsilon(s: Float16Sketch) -> None:
    """Equal numbers are normalized with an epsilon of 0: one node writes zero times infinity, and
    the infinity as a second output.
    """
    name = s.feed(0.5, 2, wide=False)
    s.feeds[name][:] = s.feeds[name][:, :, :1]
    scale, bias = s.half(s.rng.uniform(0.5, 2, 4)), s.half(s.rng.uniform(-1, 1, 4))
    outputs = sorted(
        s.name() for _ in range(3)
    )  # the order of names is the business of other cases
    s.node("LayerNormalization", [s.steady(name), scale, bias], outputs, axis=-1, epsilon=0.0)
    half = s.node("Cast", [outputs[2]], to=TensorProto.FLOAT16)
    s.result(s.node("Neg", [half]), "batch", ROWS, 1)
    s.result(s.node("Neg", [outputs[0]]))


def one_number(s: Float16Sketch) -> None:
    """One number of a value overflows, and all its others are small."""
    name = s.feed(0.5, 2, wide=False)
    feed = s.feeds[name]
    # Neither in the first of the two that make the batch nor at its end.
    feed.flat[s.rng.integers(feed.size // 2, feed.size - 3)] = s.rng.uniform(120, 180)
    large = s.node("Mul", [s.steady(name), s.half(1000)])
    s.result(s.node("Mul", [s.identity(large), s.half(1e-3)]))


def island(s: Float16Sketch) -> None:
    """Part of the graph is float32 and holds large numbers; the Cast back is where they are lost."""
    x = s.node("Cast", [s.feed(80, 200)], to=TensorProto.FLOAT)
    large = s.node("Mul", [x, s.constant(np.array(s.rng.uniform(1e4, 1e6), np.float32))])
    back = s.node("Cast", [large], to=TensorProto.FLOAT16)
    s.result(s.node("Mul", [s.identity(back), s.half(1e-3)]))


def wide_zero(s: Float16Sketch) -> None:
    """Part of the graph is float32, and divides by zero there."""
    x = s.node("Cast", [s.feed(80, 200)], to=TensorProto.FLOAT)
    x = s.steady(x, np.float32)
    ratio = s.node("Div", [x, s.node("Sub", [x, s.identity(x)])])
    back = s.node("Cast", [s.identity(ratio)], to=TensorProto.FLOAT16)
    s.result(s.node("Reciprocal", [back]))


def infinite_feed(s: Float16Sketch) -> None:
    """The infinities come from outside, in a mask that is an input; another value overflows beside
    it.
    """
    x = s.feed(80, 200)
    mask = s.feed(-1, 0, wide=False)
    s.feeds[mask][:, :, 1:] = -np.inf
    masked = s.node("Add", [x, mask])
    large = s.node("Mul", [s.steady(x), s.half(2000)])
    s.result(s.node("Max", [s.node("Softmax", [masked], axis=-1), large]))


PUBLIC: dict[str, Callable[[Float16Sketch], None]] = {
    "there-and-back": there_and_back,
    "silent-zero": silent_zero,
    "calm-mask": calm_mask,
    "two-overflows": two_branches,
    "two-in-a-row": twice,
    "calm-feeds": small_feeds,
    "zero-by-zero": lost_epsilon,
    "one-number": one_number,
    "in-float32": wide_zero,
    "last-node": at_the_end,
    "past-a-zero": through_zero,
}
HIDDEN: dict[str, Callable[[Float16Sketch], None]] = {
    "there-and-back-new": there_and_back,
    "silent-zero-new": silent_zero,
    "scores": scores,
    "at-the-end": at_the_end,
    "calm-mask-new": calm_mask,
    "calm-feeds-new": small_feeds,
    "two-overflows-new": two_branches,
    "two-in-a-row-new": twice,
    "through-zero": through_zero,
    "lost-epsilon": lost_epsilon,
    "no-epsilon": no_epsilon,
    "island": island,
    "infinite-feed": infinite_feed,
    "one-of-many": one_number,
    "wide-zero": wide_zero,
}
