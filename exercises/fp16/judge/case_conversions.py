"""The float32 graphs that `to_fp16` is asked to convert. A docstring says what is special about
each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from formatlab_exercises.fp16.judge.case_sketch import ROWS, Float32Sketch

LOWEST = float(np.finfo(np.float32).min)


def chain(s: Float32Sketch) -> None:
    """Linear steps and activations, one behind the other."""
    s.output(s.steps(s.linear(s.input())))


def large_divisor(s: Float32Sketch) -> None:
    """A number beyond the range of float16 divides a value."""
    x = s.steps(s.input())
    y = s.apply("Div", x, s.number(float(s.rng.uniform(1.0, 9.0) * 1e5)))
    y = s.apply("Mul", y, s.number(float(s.rng.uniform(1e4, 5e4))))
    s.output(s.steps(y))


def infinite_mask(s: Float32Sketch) -> None:
    """A mask whose numbers are minus infinity: float16 has that. The scores are small, so that a
    softmax does not make much of how they are rounded.
    """
    scores, value = s.scores(s.steps(s.input()))
    scores = s.node("Mul", [scores, s.number(float(s.rng.uniform(0.1, 0.2)))])
    mask = np.where(np.tril(np.ones((ROWS, ROWS), bool)), 0, -np.inf).astype(np.float32)
    weights = s.node(
        "Softmax", [s.node("Add", [scores, s.constant(mask, bool(s.rng.random() < 0.5))])], axis=-1
    )
    s.output(s.like(value, s.node("MatMul", [weights, value])))


def shared_large(s: Float32Sketch) -> None:
    """Two nodes read the number that does not fit, and both read the same value."""
    x = s.steps(s.input())
    large = s.number(float(s.rng.uniform(1.0, 9.0) * 1e6))
    quotient = s.apply("Div", x, large)
    near = s.node("Less", [x, large])
    zero = s.number(0.0)
    kept = s.like(x, s.node("Where", [near, x, zero]))
    s.output(s.apply("Add", kept, s.apply("Mul", quotient, s.number(3e4))))


def large_in_a_tensor(s: Float32Sketch) -> None:
    """One number of many does not fit, and the node that reads them writes an output of the graph."""
    x = s.steps(s.input())
    divisors = s.rng.uniform(1, 3, s.width[x]).astype(np.float32)
    divisors[int(s.rng.integers(s.width[x]))] = -3e38
    s.output(s.apply("Div", x, s.constant(divisors)))


def constant_nodes(s: Float32Sketch) -> None:
    """Constant nodes of every float form, one of them with a number that does not fit."""
    x = s.steps(s.input())
    width = s.width[x]
    y = s.apply("Mul", x, s.weight(width, as_node=True))
    y = s.apply("Add", y, s.node("Constant", [], value_float=float(s.rng.normal())))
    y = s.apply(
        "Mul",
        y,
        s.node("Constant", [], value_floats=[float(number) for number in s.rng.normal(size=width)]),
    )
    y = (
        s.apply("Min", y, s.number(float(s.rng.uniform(1, 9) * 1e7), as_node=True))
        if s.rng.random() < 0.5
        else y
    )
    # So large that the quotient is no subnormal number, where a last bit of y is a percent.
    y = s.apply("Mul", y, s.number(100))
    y = s.apply("Div", y, s.number(-float(s.rng.uniform(1, 9) * 1e5), as_node=True))
    y = s.apply("Mul", y, s.number(200))
    s.output(s.like(x, s.node("Reshape", [y, s.node("Constant", [], value_ints=[0, ROWS, width])])))


def constants_of_shape(s: Float32Sketch) -> None:
    """ConstantOfShape without a value is float32, with one it is of that tensor's type."""
    x = s.steps(s.input())
    shape = s.node("Shape", [x])
    zeros = s.node("ConstantOfShape", [shape])
    ones = s.node(
        "ConstantOfShape",
        [shape],
        value=numpy_helper.from_array(s.rng.normal(size=1).astype(np.float32)),
    )
    counts = s.node(
        "ConstantOfShape", [shape], value=numpy_helper.from_array(s.rng.integers(1, 5, 1))
    )
    y = s.apply("Add", s.apply("Mul", x, ones), zeros)
    s.output(s.apply("Mul", y, s.node("Cast", [counts], to=TensorProto.FLOAT)))


def embedding(s: Float32Sketch) -> None:
    """Integers, a table of floats, a Cast of an integer to float32, an integer and a Boolean
    output, and a number between float16's largest one and the first that becomes infinite.
    """
    s.inputs.append(helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", ROWS]))
    width = int(s.rng.integers(3, 8))
    rows = s.node("Gather", [s.weight(9, width), "ids"])
    s.width[rows] = width
    counted = s.node(
        "Cast", [s.node("Unsqueeze", ["ids", s.constant(np.array([2]))])], to=TensorProto.FLOAT
    )
    y = s.add(rows, s.apply("Mul", rows, counted))
    y = s.apply("Min", y, s.number(float(s.rng.uniform(65505, 65519))))
    s.output(s.steps(y))
    known = s.node("Equal", ["ids", s.constant(np.array(int(s.rng.integers(9))))])
    s.outputs.append(helper.make_tensor_value_info(known, TensorProto.BOOL, ["batch", ROWS]))
    doubled = s.node("Add", ["ids", "ids"])
    s.outputs.append(helper.make_tensor_value_info(doubled, TensorProto.INT64, ["batch", ROWS]))


def small_weights(s: Float32Sketch) -> None:
    """Weights among float16's subnormal numbers and below them."""
    x = s.input()
    width = s.width[x]
    # Whole numbers of the smallest step and an exact factor, so that here it makes no difference how
    # one rounds; and beside them, for each input and each output, numbers that become zero.
    whole = s.rng.integers(16, 41, (width, width)) * 2.0**-24
    rows, columns = s.rng.permutation(width), s.rng.permutation(width)
    below = np.add.outer(rows, columns) % 2 == 0
    weights = np.where(below, 10.0 ** s.rng.uniform(-9, -7.7, whole.shape), whole)
    signs = s.rng.choice([-1, 1], weights.shape)
    y = s.apply("MatMul", x, s.constant((weights * signs).astype(np.float32)))
    s.output(s.apply("Mul", y, s.number(float(np.float16(s.rng.uniform(2e4, 6e4))))))


def positions(s: Float32Sketch) -> None:
    """Range is not defined for float16."""
    x = s.steps(s.input())
    step = float(s.rng.choice([0.25, 0.5, 1, 2]))  # exact in float16, so that the count is
    rows = s.node(
        "Cast",
        [s.node("Gather", [s.node("Shape", [x]), s.constant(np.array(1))])],
        to=TensorProto.FLOAT,
    )
    stop = s.node("Mul", [rows, s.number(step)])
    counted = s.node(
        "Unsqueeze",
        [s.node("Range", [s.number(0.0), stop, s.number(step)]), s.constant(np.array([1]))],
    )
    s.output(s.step(s.apply("Add", x, counted)))


def resized(s: Float32Sketch) -> None:
    """The scales of Resize are float32 whatever it resizes."""
    x = s.steps(s.input())
    factor = int(s.rng.integers(2, 4))
    y = s.node("Resize", [x, "", s.constant(np.array([1, 1, factor], np.float32))], mode="nearest")
    s.width[y] = factor * s.width[x]
    s.output(s.steps(y))


def annotated(s: Float32Sketch) -> None:
    """The types of all values are written down, in value_info; several nodes read the graph input, and
    one reads an output of the graph.
    """
    s.inferred = True
    x = s.input()
    y = s.apply("Add", s.apply("Mul", x, s.apply("Sigmoid", x)), s.number(float(s.rng.normal())))
    s.output(y)
    s.output(s.steps(s.apply("Sub", y, x)))


def first_and_last(s: Float32Sketch) -> None:
    """A node that has to stay float32 reads the graph input, and another writes the output. The
    divisor is just too large, so that the quotients keep most of their bits: far below the smallest
    normal number float16 has few.
    """
    x = s.input()
    y = s.apply("Div", x, s.number(float(s.rng.uniform(0.7, 1) * 1e5)))
    y = s.steps(s.apply("Mul", y, s.number(5e4)))
    s.output(s.apply("Clip", y, s.number(LOWEST), s.number(float(s.rng.uniform(1, 4)))))


# One for each difficulty that the rules name.
PUBLIC: dict[str, Callable[[Float32Sketch], None]] = {
    "chain": chain,
    "large-divisor": large_divisor,
    "constant-nodes": constant_nodes,
    "range": positions,
    "float32-at-the-end": large_in_a_tensor,
    "float32-at-the-border": first_and_last,
    "infinities": infinite_mask,
    "just-in-range": embedding,
    "large-for-two": shared_large,
}
HIDDEN: dict[str, Callable[[Float32Sketch], None]] = {
    "infinite-mask": infinite_mask,
    "shared-large": shared_large,
    "large-in-a-tensor": large_in_a_tensor,
    "constants": constant_nodes,
    "constants-of-shape": constants_of_shape,
    "embedding": embedding,
    "small-weights": small_weights,
    "positions": positions,
    "resized": resized,
    "annotated": annotated,
    "first-and-last": first_and_last,
}
# Of both: a node reads a number that does not fit, or its operator does not take float16.
SOME_IN_FLOAT32 = frozenset(
    {
        *("large-for-two", "large-divisor", "constant-nodes", "range", "float32-at-the-end"),
        *("float32-at-the-border", "shared-large", "large-in-a-tensor"),
        *("constants", "positions", "resized", "first-and-last", "bert"),
    }
)
