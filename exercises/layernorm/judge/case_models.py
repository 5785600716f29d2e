"""The small graphs of the exercise `layernorm`, one per edge case: each function's docstring says
what is special about its graph.

Every graph holds at least one LayerNorm that has to go.
"""

from __future__ import annotations

import numpy as np
from onnx import numpy_helper

from formatlab.models.sketch import Sketch
from formatlab_exercises.layernorm.judge import case_relatives
from formatlab_exercises.layernorm.judge.case_parts import (
    AFFINE,
    Build,
    bend,
    centred,
    constant_first,
    constant_last,
    decomposed,
    fused,
    last_axis,
    mean,
    norm,
    normalised,
    root,
    square,
    trunk,
    vector,
)


def _fused(s: Sketch) -> None:
    """LayerNormalization nodes in a row of steps: with and without a bias, the axis written in
    several ways.
    """
    x = s.steps(s.input())
    for bias, axis in zip(
        (True, False, True), s.rng.permutation(np.array([-1, None, 2])), strict=True
    ):
        x = s.steps(fused(s, x, bias=bias, axis=axis))
    # A residual block: another node reads what the LayerNorm reads.
    s.output(s.add(bend(s, fused(s, x)), x))


def _decomposed(s: Sketch) -> None:
    """LayerNorms spelt out as nodes, with scale and bias: the square is a Mul or a Pow, inputs
    change places.
    """
    x = s.steps(s.input())
    ops = s.rng.permutation(["Mul", "Mul", "Pow", "Pow", "Pow"])
    orders = (constant_last, constant_first, constant_last, constant_first, constant_last)
    for op, pair in zip(ops, orders, strict=True):
        x = s.unary(decomposed(s, x, affine="scale and bias", op=str(op), pair=pair))
    s.output(x)


def _affine_parts(s: Sketch) -> None:
    """LayerNorms spelt out as nodes: without scale and bias, with a scale alone, with both."""
    x = s.steps(s.input())
    for affine in s.rng.permutation(AFFINE):
        x = s.unary(decomposed(s, x, affine=str(affine)))
    s.output(s.linear(x))


def _residual(s: Sketch) -> None:
    """Residual blocks: other nodes read what a LayerNorm reads, and several read what it writes."""
    x = s.steps(s.input())
    for _ in range(s.rng.integers(2, 4)):
        x = s.add(x, s.unary(norm(s, x, is_fused=True)))
        y = norm(s, s.add(bend(s, x), x))
        x = s.add(bend(s, y), y)
    s.output(s.linear(x))


def _series(s: Sketch) -> None:
    """LayerNorms one after another, and others in residual blocks, where other nodes read what a
    LayerNorm reads, and several read what it writes.
    """
    x = s.steps(s.input())
    for at in range(int(s.rng.integers(2, 4))):
        x = norm(s, x, is_fused=at % 2 == 0)
    s.output(s.steps(x))
    _residual(s)


def _output(s: Sketch) -> None:
    """The LayerNorms write graph outputs, one of which has readers besides. A quotient, and its
    product with a scale, are outputs too: the Mul and the Add behind them are no scale and no bias.
    """
    h = trunk(s)
    y = s.output(norm(s, h))
    s.output(norm(s, s.unary(y)))
    s.output(s.unary(h))
    q = s.output(normalised(s, s.unary(h)))
    x = bend(s, s.like(q, constant_last(s, "Mul", q, vector(s, q, 1.0))))
    p = s.output(s.like(x, constant_last(s, "Mul", normalised(s, x), vector(s, x, 1.0))))
    s.output(bend(s, s.like(p, constant_last(s, "Add", p, vector(s, p)))))


def _inputs_and_outputs(s: Sketch) -> None:
    """The LayerNorms write graph outputs, one of which has readers besides, and read graph inputs, as
    does another node: once with nothing between input and output. A quotient, and its product with
    a scale, are outputs too.
    """
    _output(s)
    x = s.input()
    s.output(s.add(s.unary(norm(s, x)), s.unary(x)))
    s.output(norm(s, s.input()))


def _statistics(s: Sketch) -> None:
    """Other nodes read the outputs Mean and InvStdDev of a LayerNormalization."""
    x = trunk(s)
    average, inverse = s.name("mean"), s.name("deviation")
    y = s.add(s.unary(fused(s, x, statistics=(average, inverse))), average)
    if s.rng.random() < 0.5:
        y = s.like(y, s.node("Mul", [y, inverse]))
    s.output(y)


def _inner_readers(s: Sketch) -> None:
    """Other nodes read the centred value and the variance of a LayerNorm that is spelt out. The
    centred value of another one is an output of the graph.
    """
    x = trunk(s)
    axes = last_axis(s)
    d = s.like(x, centred(s, x, axes))
    variance = mean(s, square(s, d), axes)
    y = s.like(x, s.node("Div", [d, root(s, variance)]))
    y = s.like(x, constant_last(s, "Mul", y, vector(s, x, 1.0)))
    y = s.like(x, constant_last(s, "Add", y, vector(s, x)))
    z = s.add(s.unary(y), s.unary(d))
    s.output(s.like(z, s.node("Mul", [z, variance])))
    x = trunk(s)
    d = s.output(s.like(x, centred(s, x, axes)))
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d), axes))]))))


def _spelt_out(s: Sketch) -> None:
    """LayerNorms spelt out as nodes: with and without scale and bias, the square a Mul or a Pow, inputs
    change places. Two of them share scale, bias and epsilon, and another node reads one of these too.
    """
    x = s.steps(s.input())
    for affine, op in zip(
        s.rng.permutation(AFFINE), s.rng.permutation(["Mul", "Mul", "Pow"]), strict=True
    ):
        x = s.unary(decomposed(s, x, affine=str(affine), op=str(op), pair=constant_first))
    scale, bias, epsilon = vector(s, x, 1.0), vector(s, x), s.constant(np.array(1e-5, np.float32))
    for pair in (constant_last, constant_first):
        axes = last_axis(s)
        d = centred(s, x, axes)
        deviation = root(s, mean(s, square(s, d), axes), epsilon, pair)
        y = pair(s, "Mul", s.node("Div", [d, deviation]), scale)
        x = s.unary(s.like(x, pair(s, "Add", y, bias)))
    s.output(s.like(x, constant_last(s, "Add", x, scale if s.rng.random() < 0.5 else bias)))


def _numbers(s: Sketch) -> None:
    """The exponent and epsilon in every form of a constant: whole numbers too, Constants that hold
    one number or a list of one, shapes of one element.
    """
    x = s.steps(s.input())
    exponents = [
        {"value_float": 2.0},
        {"value_floats": [2.0]},
        {"value_int": 2},
        {"value_ints": [2]},
        {"value": numpy_helper.from_array(np.array([[2.0]], np.float64))},
        {"value": numpy_helper.from_array(np.array(2, np.int32))},
    ]
    epsilons = [{"value_float": 1e-5}, {"value_floats": [1e-5]}, {"value_float": 0.1}]
    for at in s.rng.permutation(len(exponents)):
        axes = last_axis(s)
        d = centred(s, x, axes)
        power = s.node("Pow", [d, s.node("Constant", [], **exponents[at])])
        epsilon = s.node("Constant", [], **epsilons[at % 3])
        y = s.like(x, s.node("Div", [d, root(s, mean(s, power, axes), epsilon)]))
        x = bend(s, s.like(x, constant_last(s, "Mul", y, vector(s, x, 1.0))))
    s.output(s.linear(x))


def _old_reduce_mean(s: Sketch) -> None:
    """Up to opset 17 the axes of ReduceMean are an attribute. All numbers are Constant nodes here, as
    older exporters write them.
    """
    s.opset, s.as_nodes = int(s.rng.integers(13, 18)), True
    _affine_parts(s)


def _older_exporters(s: Sketch) -> None:
    """Up to opset 17 the axes of ReduceMean are an attribute. All numbers are Constant nodes here, in
    every form that these have: whole numbers too, one number or a list of one.
    """
    _old_reduce_mean(s)
    _numbers(s)


PUBLIC: dict[str, Build] = {
    "fused": _fused,
    "decomposed": _decomposed,
    "residual": _residual,
    "mean-of-another": case_relatives.other_mean,
    "no-mean": case_relatives.rms_norm,
    "no-scale": case_relatives.no_scale_or_bias,
    "axes-in-an-attribute": _old_reduce_mean,
    "numbers-in-constants": _numbers,
    "computed-number": case_relatives.computed_epsilon,
    "width-by-name": case_relatives.named_width,
    "output": _output,
    "statistics-are-read": _statistics,
    "more-axes": case_relatives.two_axes,
    "another-domain": case_relatives.another_domain,
    "look-alikes": case_relatives.relatives,
}
HIDDEN: dict[str, Build] = {
    "operator": _fused,
    "spelt-out": _spelt_out,
    "numbers": _older_exporters,
    "computed-epsilon": case_relatives.computed_epsilon,
    "named-width": case_relatives.named_width,
    "series": _series,
    "graph-output": _inputs_and_outputs,
    "statistics": _statistics,
    "inner-readers": _inner_readers,
    "other-affine": case_relatives.constants_of_other_shapes,
    "rms-norm": case_relatives.rms_norm,
    "four-dimensions": case_relatives.four_dimensions,
    "two-axes": case_relatives.table_behind_two_axes,
    "relatives": case_relatives.relatives,
}
# The operator LayerNormalization came with opset 17, and ReduceMean's input axes with opset 18.
LEAST_OPSET = {
    "fused": 17,
    "statistics-are-read": 17,
    "operator": 17,
    "statistics": 17,
    "decomposed": 18,
    "residual": 18,
}
# The hidden cases from opset 18 on. The others are older, so that an answer that reads the axes in one
# place alone loses the same items whatever the seed, and no more for the one place than for the other.
AXES_ARE_AN_INPUT = frozenset({"operator", "spelt-out", "series", "graph-output", "inner-readers"})
