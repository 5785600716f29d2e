"""The graphs of the exercise `layernorm` beside whose LayerNorms stands something similar, which
stays: each function's docstring says what.
"""

from __future__ import annotations

import numpy as np

from formatlab.models.builder import value
from formatlab.models.sketch import Sketch
from formatlab_exercises.layernorm.judge.case_parts import (
    Shapes,
    bend,
    centred,
    constant_last,
    decomposed,
    last_axis,
    mean,
    normalised,
    root,
    square,
    trunk,
    vector,
)
from formatlab_exercises.shared.judge.graph_cases import ANOTHER_DOMAIN


def unrelated_affine(s: Sketch) -> None:
    """Behind normalised values stand a product with an activation, and one with a single number:
    nconstant_last is the LayerNorm's scale.
    """
    x = s.linear(trunk(s))
    y = s.like(x, constant_last(s, "Mul", normalised(s, x), s.unary(x)))
    y = normalised(s, bend(s, y))
    y = s.like(
        x, constant_last(s, "Mul", y, s.constant(np.array(s.rng.uniform(1.5, 2.5), np.float32)))
    )
    s.output(s.linear(y))


def other_affine(s: Sketch) -> None:
    """Behind normalised values stand products and sums with constants that are no scale or bias: the
    value has another reader, no scale comes before the bias, or the constant has two dimensions.
    """
    x = s.linear(trunk(s))
    q = normalised(s, x)
    x = s.add(bend(s, s.like(x, constant_last(s, "Mul", q, vector(s, x, 1.0)))), bend(s, q))
    p = s.like(x, constant_last(s, "Mul", normalised(s, x), vector(s, x, 1.0)))
    x = s.add(bend(s, s.like(x, constant_last(s, "Add", p, vector(s, x)))), bend(s, p))
    x = bend(s, s.like(x, constant_last(s, "Add", normalised(s, x), vector(s, x))))
    row = (1.0 + 0.5 * s.rng.normal(size=(1, s.width[x]))).astype(np.float32)
    s.output(s.linear(s.like(x, constant_last(s, "Mul", normalised(s, x), s.constant(row)))))


def no_scale_or_bias(s: Sketch) -> None:
    """Behind normalised values stand products and sums that are no scale or bias: with an
    activation, a single number or a constant of two dimensions, without a scale before the bias, or
    beside another reader of the value.
    """
    unrelated_affine(s)
    other_affine(s)


def constants_of_other_shapes(s: Sketch) -> None:
    """Behind normalised values stand products and sums that are no scale or bias: with an
    activation, a single number or a constant of two dimensions, without a scale before the bias, or
    beside another reader of the value. The single number is a list of one as well.
    """
    no_scale_or_bias(s)
    x = s.linear(trunk(s))
    one = s.constant(np.array([s.rng.uniform(1.5, 2.5)], np.float32))
    s.output(s.linear(s.like(x, constant_last(s, "Mul", normalised(s, x), one))))


def rms_norm(s: Sketch) -> None:
    """An RMSNorm, which subtracts no mean, beside a LayerNorm."""
    x = trunk(s)
    y = s.like(x, s.node("Div", [x, root(s, mean(s, square(s, x), last_axis(s)))]))
    s.output(s.steps(s.like(x, constant_last(s, "Mul", y, vector(s, x, 1.0)))))


def four_dimensions(s: Sketch) -> None:
    """Values of four dimensions. One LayerNorm names the last axis 3, and not -1; another
    normalisation goes over the third axis instead of the columns, as an InstanceNorm does.
    """
    s.lead = ("batch", 2, "steps")
    x = trunk(s)
    s.output(s.unary(normalised(s, x, [2] if s.rng.random() < 0.5 else [-2])))
    s.output(s.unary(decomposed(s, s.unary(x), axes=[3])))


def two_axes(s: Sketch) -> None:
    """Mean and variance over the last two axes, in two orders, or over the first and the last: the
    first is a LayerNorm, the second is none.
    """
    x = s.unary(normalised(s, s.steps(s.input()), [-2, -1] if s.rng.random() < 0.5 else [1, 2]))
    first, second = [[-2, -1], [2, 1]][:: 1 if s.rng.random() < 0.5 else -1]
    d = s.like(x, centred(s, x, first))
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d), second))]))))
    s.output(s.unary(normalised(s, s.unary(x), [0, 2])))


def table_behind_two_axes(s: Sketch) -> None:
    """Mean and variance over the last two axes, in two orders, or over the first and the last: the
    first is a LayerNorm, the second is none. A constant that is as large as what two axes span is no
    scale.
    """
    two_axes(s)
    s.lead = ("batch", 3)
    x = s.steps(s.input())
    table = (1.0 + 0.5 * s.rng.normal(size=(3, s.width[x]))).astype(np.float32)
    y = normalised(s, x, [-2, -1])
    s.output(s.linear(s.like(x, constant_last(s, "Mul", y, s.constant(table)))))


def computed_epsilon(s: Sketch) -> None:
    """Beside a LayerNorm stands one whose epsilon a node computes: it is no constant. The epsilon of
    another one, and the exponent of a third, have more dimensions than the value, and so the result
    has.
    """
    x = trunk(s)
    axes = last_axis(s)
    # ONNX Runtime's own fusion takes 1e-5 wherever it finds no constant, so it is that.
    epsilon = s.node("Exp", [s.constant(np.array(np.log(1e-5), np.float32))])
    d = centred(s, x, axes)
    y = s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d), axes), epsilon)]))
    s.output(s.unary(s.like(x, constant_last(s, "Mul", y, vector(s, x, 1.0)))))
    for widens in ("epsilon", "exponent"):
        x = trunk(s)
        d = centred(s, x, [-1])
        ones = (1,) * (len(s.lead) + 2)
        if widens == "epsilon":
            variance = mean(s, square(s, d, "Mul"), [-1])
            epsilon = s.constant(np.full(ones, 1e-5, np.float32))
        else:
            power = s.node("Pow", [d, s.constant(np.full(ones, 2, np.float32))])
            variance, epsilon = mean(s, power, [-1]), s.constant(np.array(1e-5, np.float32))
        y = s.node("Div", [d, root(s, variance, epsilon)])
        flat = s.node("Reshape", [y, s.constant(np.array([-1]))])
        s.outputs.append(value(flat, f"numbers_with_{widens}"))


def named_width(s: Sketch) -> Shapes:
    """The width is a name. So the constants that are multiplied and added are not of shape [width]
    for certain: the LayerNorm goes, and they stay. Another one stays because it has two dimensions.
    """
    s.output(trunk(s))
    x, width = s.name("x"), int(s.rng.integers(3, 8))
    s.inputs.append(value(x, "batch", 3, "columns"))
    s.width[x] = width
    y = s.like(x, constant_last(s, "Mul", normalised(s, x, [-1]), vector(s, x, 1.0)))
    y = bend(s, s.like(x, constant_last(s, "Add", y, vector(s, x))))
    row = (1.0 + 0.5 * s.rng.normal(size=(1, width))).astype(np.float32)
    y = bend(s, s.like(x, constant_last(s, "Mul", normalised(s, y, [-1]), s.constant(row))))
    s.outputs.append(value(y, "batch", 3, width))
    return {x: [[size, 3, width] for size in (2, 5, 3)]}


def another_domain(s: Sketch) -> None:
    """Beside LayerNorms stand nodes of another domain whose operators are called as those of a
    LayerNorm are: LayerNormalization, Sqrt, and Mul where a scale would stand. Local functions say
    what they compute.
    """
    x = trunk(s)
    other = s.like(x, s.node("LayerNormalization", [x], domain=ANOTHER_DOMAIN))
    s.output(s.linear(other))
    x = trunk(s)
    axes = last_axis(s)
    d = centred(s, x, axes)
    epsilon = s.constant(np.array(1e-5, np.float32))
    total = constant_last(s, "Add", mean(s, square(s, d), axes), epsilon)
    y = s.node("Div", [d, s.node("Sqrt", [total], domain=ANOTHER_DOMAIN)])
    y = normalised(s, bend(s, s.like(x, y)))
    y = s.node("Mul", [y, vector(s, x, 1.0)], domain=ANOTHER_DOMAIN)
    s.output(s.linear(s.like(x, y)))


def relatives(s: Sketch) -> None:
    """Beside LayerNorms stand computations that only look like one: another mean is subtracted, or
    none, or the value from its mean, or another variance divides, or the operator is another
    domain's.
    """
    for build in (
        *(other_mean, negated, uncentred, other_variance, other_axes_of_mean),
        *(other_square, square_of_another, another_domain),
    ):
        build(s)


def other_mean(s: Sketch) -> None:
    """Beside a LayerNorm another value's mean is subtracted."""
    x = trunk(s)
    axes = last_axis(s)
    d = s.like(x, s.node("Sub", [x, mean(s, s.unary(x), axes)]))
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d), axes))]))))


def negated(s: Sketch) -> None:
    """Beside a LayerNorm stands its negative: the mean comes first in the Sub."""
    x = trunk(s)
    axes = last_axis(s)
    d = s.node("Sub", [mean(s, x, axes), x])
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d, "Mul"), axes))]))))


def uncentred(s: Sketch) -> None:
    """Beside a LayerNorm a value is divided by its deviation, and its mean is not subtracted."""
    x = trunk(s)
    axes = last_axis(s)
    s.output(
        s.unary(
            s.like(x, s.node("Div", [x, root(s, mean(s, square(s, centred(s, x, axes)), axes))]))
        )
    )


def other_variance(s: Sketch) -> None:
    """Beside a LayerNorm the mean goes over the columns and the variance over the steps."""
    x = trunk(s)
    d = centred(s, x, last_axis(s))
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d), [1]))]))))


def other_axes_of_mean(s: Sketch) -> None:
    """Beside a LayerNorm the mean goes over the steps and the variance over the columns."""
    x = trunk(s)
    d = centred(s, x, [1])
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, d), last_axis(s)))]))))


def square_of_another(s: Sketch) -> None:
    """Beside a LayerNorm a centred value is divided by the deviation of another one."""
    x = trunk(s)
    axes = last_axis(s)
    d, other = centred(s, x, axes), centred(s, bend(s, x), axes)
    s.output(s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, square(s, other), axes))]))))


def other_square(s: Sketch) -> None:
    """Beside a LayerNorm the centred value is divided by the root of another mean than that of its
    square: of its fourth power, of its product with another value.
    """
    x = trunk(s)
    for factors in ("fourth power", "first", "second"):
        axes = last_axis(s)
        d = s.like(x, centred(s, x, axes))
        if factors == "fourth power":
            product = s.node("Pow", [d, s.constant(np.array(4, np.float32))])
        else:
            other = s.node("Tanh", [d])
            product = s.node("Mul", [d, other] if factors == "first" else [other, d])
        x = s.unary(s.like(x, s.node("Div", [d, root(s, mean(s, product, axes))])))
    s.output(x)
