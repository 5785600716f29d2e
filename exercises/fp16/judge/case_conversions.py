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
    weights = s.node("Softmax", [s.node("Add", [scores, s.constant(mask)])], axis=-1)
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


def large_beside_infinity(s: Float32Sketch) -> None:
    """Of a tensor's numbers one is infinite, as float16 can be, and another finite and too large."""
    x = s.steps(s.input())
    divisors = s.rng.uniform(1, 3, s.width[x]).astype(np.float32)
    large, infinite = s.rng.choice(s.width[x], 2, replace=False)
    divisors[large], divisors[infinite] = -3e38, np.inf
    s.output(s.apply("Div", x, s.constant(divisors)))


def large_given_out(s: Float32Sketch) -> None:
    """A tensor with a number that does not fit is an output as well."""
    x = s.steps(s.input())
    divisors = s.rng.uniform(1, 3, s.width[x]).astype(np.float32)
    divisors[s.rng.integers(s.width[x])] = s.rng.uniform(0.7, 1) * 1e5
    name = s.constant(divisors)
    s.output(s.steps(s.apply("Div", x, name)))
    s.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [s.width[x]]))


def large_constant(s: Float32Sketch) -> None:
    """A Constant node holds a number that does not fit."""
    # The factors are such that the quotient is no subnormal number, where a last bit is a percent.
    y = s.apply("Mul", s.steps(s.input()), s.number(100))
    y = s.apply("Div", y, s.number(-float(s.rng.uniform(1, 9) * 1e5), as_node=True))
    s.output(s.steps(s.apply("Mul", y, s.number(200))))


def constant_nodes(s: Float32Sketch) -> None:
    """Constant nodes of every form that holds floats, and one of integers."""
    x = s.steps(s.input())
    width = s.width[x]
    y = s.apply("Mul", x, s.weight(width, as_node=True))
    y = s.apply("Add", y, s.node("Constant", [], value_float=float(s.normal())))
    y = s.apply(
        "Mul",
        y,
        s.node("Constant", [], value_floats=[float(number) for number in s.normal(width)]),
    )
    s.output(s.like(x, s.node("Reshape", [y, s.node("Constant", [], value_ints=[0, ROWS, width])])))


def constants_of_shape(s: Float32Sketch) -> None:
    """ConstantOfShape without a value is float32, with one it is of that tensor's type."""
    x = s.steps(s.input())
    shape = s.node("Shape", [x])
    zeros = s.node("ConstantOfShape", [shape])
    ones = s.node(
        "ConstantOfShape",
        [shape],
        value=numpy_helper.from_array(s.normal(1)),
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
    y = s.apply("Add", s.apply("Mul", x, s.apply("Sigmoid", x)), s.number(float(s.normal())))
    s.output(y)
    s.output(s.steps(s.apply("Sub", y, x)))


def first_and_last(s: Float32Sketch) -> None:
    """A node that has to stay float32 reads the graph input, and another writes the output. The
    divisor is just too large, so that the quotients keep most of their bits: far below the smallest
    normal number float16 has few.
    """
    x = s.input()
    y = s.apply("Div", x, s.number(float(s.rng.uniform(0.7, 1) * 1e5)))
    y = s.linear(s.apply("Mul", y, s.number(5e4)))
    s.output(s.apply("Clip", y, s.number(LOWEST), s.number(float(s.rng.uniform(1, 4)))))


# What answers append to a name, or put before it, when they need another one.
SUFFIXES = ("half", "fp16", "float16", "f16", "h", "16", "cast", "inner", "narrow")
SUFFIXES_OF_WIDE = (
    "full",
    "raw",
    "fp32",
    "float32",
    "f32",
    "f",
    "32",
    "up",
    "down",
    "wide",
    "cast",
)


def taken_names(s: Float32Sketch) -> None:
    """An input, an initializer, values and an output that no node reads have names that a conversion
    may want to give.
    """
    x = s.input()
    other = s.input(f"{x}/half")
    s.inputs.reverse()
    width = int(s.rng.integers(3, 8))
    y = s.apply("Add", s.linear(x, width=width), s.linear(other, width=width))
    last = s.name()
    for name in [f"{other}/half", *(f"{x}_{each}" for each in SUFFIXES)]:
        y = s.apply("Neg", y, output=name)
    s.taken.add(f"{last}/half")
    bias = s.store(s.normal(width), f"{last}/half")
    s.output(s.apply("Add", y, bias, output=last))
    shared = s.name()
    s.taken.add(f"{shared}/half")
    s.output(s.apply("Neg", y, output=f"{shared}/half"))
    s.output(s.apply("Abs", y, output=shared))


def taken_names_of_float32(s: Float32Sketch) -> None:
    """Values have names that a conversion may want to give around a node that stays float32."""
    x = s.steps(s.input())
    divided = s.name()
    names = [f"{name}/{each}" for name in (x, divided) for each in ("full", "raw")]
    names += [f"{name}_{each}" for name in (x, divided) for each in SUFFIXES_OF_WIDE]
    y = x
    for name in names:
        y = s.apply("Neg", y, output=name)
    large = s.number(float(s.rng.uniform(0.7, 1) * 1e5))
    quotient = s.apply("Div", x, large, output=divided)
    s.output(s.step(s.add(y, s.apply("Mul", quotient, s.number(5e4)))))


def defaults(s: Float32Sketch) -> None:
    """Two initializers are inputs as well: the defaults of these inputs."""
    x = s.steps(s.input())
    y = x
    for op in ("Mul", "Add"):
        name = s.weight(s.width[x])
        s.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [s.width[x]]))
        y = s.apply(op, y, name)
    s.output(s.steps(y))


def given_out(s: Float32Sketch) -> None:
    """An initializer that a node reads is an output as well."""
    x = s.steps(s.input())
    weight = s.weight(s.width[x])
    s.output(s.steps(s.apply("Mul", x, weight)))
    s.outputs.append(helper.make_tensor_value_info(weight, TensorProto.FLOAT, [s.width[x]]))


def passed_on(s: Float32Sketch) -> None:
    """An input that a node reads is an output as well."""
    x = s.input()
    s.output(s.steps(s.linear(x)))
    s.output(x)


def unread(s: Float32Sketch) -> None:
    """No node reads one of the inputs."""
    s.input()
    s.output(s.steps(s.linear(s.input())))


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
    "names-are-taken": taken_names,
    "passed-through": passed_on,
    "unread-value": unread,
}
HIDDEN: dict[str, Callable[[Float32Sketch], None]] = {
    "chain-new": chain,
    "large-divisor-new": large_divisor,
    "infinite-mask": infinite_mask,
    "shared-large": shared_large,
    "large-in-a-tensor": large_in_a_tensor,
    "large-beside-infinity": large_beside_infinity,
    "large-given-out": large_given_out,
    "large-constant": large_constant,
    "constants": constant_nodes,
    "constants-of-shape": constants_of_shape,
    "embedding": embedding,
    "small-weights": small_weights,
    "positions": positions,
    "resized": resized,
    "annotated": annotated,
    "first-and-last": first_and_last,
    "taken-names": taken_names,
    "taken-names-of-float32": taken_names_of_float32,
    "defaults": defaults,
    "given-out": given_out,
    "passed-on": passed_on,
    "unread": unread,
}
