"""The graphs of the exercise `gemm` in which the bias decides what may be fused: each function's
docstring says what is special about it.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from formatlab.models.sketch import Sketch, batch_value
from formatlab_exercises.gemm.judge.case_parts import (
    Shapes,
    in_turn,
    linear,
    plus,
    product,
    steps,
    trunk,
    weight,
)


def bias_has_three_dimensions(s: Sketch) -> None:
    """The bias has three dimensions, of which the first are 1: so has the sum."""
    h = product(s, trunk(s))
    y = plus(s, h, weight(s, 1, 1, s.width[h]))
    s.lead = (1, "batch")
    s.output(steps(s, y))


def bias_shapes(s: Sketch) -> None:
    """The bias is a scalar, one number, a row, a row as a matrix, or a column."""
    x = s.input()
    rows = int(s.rng.integers(2, 6))
    s.lead = (rows,)
    fixed = s.input()
    for shape in s.rng.permutation(np.array(["scalar", "one", "matrix of one", "row"])):
        h = product(s, x)
        sizes = {"scalar": (), "one": (1,), "matrix of one": (1, 1), "row": (1, s.width[h])}
        x = s.unary(plus(s, h, weight(s, *sizes[str(shape)])))
    s.outputs.append(batch_value(x, s.width[x], lead=("batch",)))
    h = product(s, fixed)
    column = plus(s, h, weight(s, rows, 1))
    h = product(s, steps(s, column))
    s.output(s.unary(plus(s, h, weight(s, rows, s.width[h]))))


def no_columns_between(s: Sketch) -> None:
    """The factors meet in a dimension of 0, which is a number like any other: the product is all
    zeros, and has its shape.
    """
    s.output(trunk(s))
    x = s.name("x")
    s.inputs.append(batch_value(x, 0, lead=("batch",)))
    s.width[x] = 0
    s.output(steps(s, linear(s, x)))
    none = s.name("x")
    s.inputs.append(batch_value(none, 4, lead=(0,)))
    s.width[none], s.lead = 4, (0,)
    h = product(s, none)
    s.output(steps(s, plus(s, h, weight(s, 0, s.width[h]))))


def bias_adds_rows(s: Sketch) -> None:
    """The product has one row and the bias has several, and not as many as columns."""
    s.output(trunk(s))
    s.lead = (1,)
    h = product(s, steps(s, s.input()))
    rows = int(s.rng.integers(3, 7))
    rows += rows == s.width[h]
    y = plus(s, h, weight(s, rows, s.width[h]))
    s.lead = (rows,)
    s.output(steps(s, y))


def bias_adds_columns(s: Sketch) -> None:
    """The product has one column and the bias has several."""
    h = product(s, trunk(s), width=1)
    y = plus(s, h, weight(s, int(s.rng.integers(3, 7))))
    s.width[y] = s.weights[-1].dims[0]
    s.output(steps(s, y))


def rows_of_another_name(s: Sketch) -> Shapes:
    """The bias has as many rows as another named dimension says, which need not be that of the
    product.
    """
    s.output(trunk(s))
    s.lead = ("samples",)
    x = s.input()
    h = product(s, steps(s, x))
    s.lead = ("rows",)
    bias = s.name("bias")
    s.inputs.append(batch_value(bias, s.width[h], lead=s.lead))
    y = plus(s, h, bias)
    s.lead = ("result",)
    s.output(steps(s, y))
    k, n = s.width[x], s.width[h]
    return {x: [[1, k], [4, k], [6, k]], bias: [[5, n], [4, n], [1, n]]}


def sizes_are_unknown(s: Sketch) -> Shapes:
    """Two inputs state nothing of their first dimensions, which need not be the same number; to one
    of them a row is added besides.
    """
    s.output(trunk(s))
    s.lead = (None,)
    x = s.input()
    y, h = linear(s, x), product(s, x)
    bias = s.name("bias")
    s.inputs.append(batch_value(bias, s.width[h], lead=s.lead))
    s.lead = ("result",)
    s.output(s.unary(y))
    s.output(steps(s, plus(s, h, bias)))
    k, n = s.width[x], s.width[h]
    return {x: [[1, k], [4, k], [6, k]], bias: [[5, n], [4, n], [1, n]]}


def product_is_declared(s: Sketch) -> Shapes:
    """Two products are declared with another name for their rows than their first factor has. One
    bias has the rows of the factor, the other one those of the declaration.
    """
    s.output(trunk(s))
    s.lead = ("samples",)
    x = s.input()
    bias = s.unary(product(s, x))
    h = product(s, x, width=s.width[bias])
    s.declared.append(batch_value(h, s.width[h], lead=("rows",)))
    s.output(steps(s, plus(s, h, bias)))
    s.lead = ("rows",)
    h, bias = product(s, x), s.name("bias")
    s.declared.append(batch_value(h, s.width[h], lead=s.lead))
    s.inputs.append(batch_value(bias, s.width[h], lead=s.lead))
    s.output(steps(s, plus(s, h, bias)))
    return {
        x: [[rows, s.width[x]] for rows in (1, 4, 6)],
        bias: [[rows, s.width[h]] for rows in (1, 4, 6)],
    }


def names_are_made_up(s: Sketch) -> None:
    """How many rows are left is known at run time only, so that inference makes up a name for it."""
    s.output(trunk(s))
    count = s.name("count")
    s.inputs.append(helper.make_tensor_value_info(count, TensorProto.INT64, [1]))
    first, axis = s.constant(np.array([0])), s.constant(np.array([0]))
    x = s.input()
    left = s.like(x, s.node("Slice", [x, first, count, axis]))
    bias = s.unary(product(s, left))
    y = plus(s, product(s, left, width=s.width[bias]), bias)
    s.lead = ("rows",)
    s.output(steps(s, linear(s, y)))


def columns_of_another_name(s: Sketch) -> Shapes:
    """Weight and bias are graph inputs: one pair shares a named width, the other has two names for
    it.
    """
    x = trunk(s)
    k = s.width[x]
    shared, factor, bias = (s.name("matrix", "vector") for _ in range(3))
    row = s.name("vector")
    s.inputs += [
        helper.make_tensor_value_info(shared, TensorProto.FLOAT, [k, "width"]),
        helper.make_tensor_value_info(row, TensorProto.FLOAT, ["width"]),
        helper.make_tensor_value_info(factor, TensorProto.FLOAT, [k, "columns"]),
        helper.make_tensor_value_info(bias, TensorProto.FLOAT, ["entries"]),
    ]
    for matrix, vector, width in ((shared, row, "width"), (factor, bias, "wider")):
        y = s.node("Tanh", [s.node("Add", [s.node("MatMul", [x, matrix]), vector])])
        s.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, ["batch", width]))
    return {factor: [[k, 1], [k, 3], [k, 4]], bias: [[5], [3], [1]]}


def rows_for_columns(s: Sketch) -> Shapes:
    """The bias has as many columns as the product has rows."""
    s.output(trunk(s))
    s.lead = ("lines",)
    x, factor, bias = s.input(), s.name("matrix"), s.name("vector")
    k = s.width[x]
    s.inputs += [
        helper.make_tensor_value_info(factor, TensorProto.FLOAT, [k, "fields"]),
        helper.make_tensor_value_info(bias, TensorProto.FLOAT, s.lead),
    ]
    y = s.node("Tanh", [plus(s, s.like(x, s.node("MatMul", [x, factor])), bias)])
    s.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, ["lines", "longest"]))
    return {
        x: [[4, k], [3, k], [1, k]],
        factor: [[k, 1], [k, 3], [k, 5]],
        bias: [[4], [3], [1]],
    }


def bias_is_too_large(s: Sketch) -> Shapes:
    """The bias makes the result larger than the product: by rows, by columns, by a dimension."""
    return in_turn(s, bias_adds_rows, bias_adds_columns, bias_has_three_dimensions)


def names_do_not_fit(s: Sketch) -> Shapes:
    """The bias has a named dimension, which need not be that of the product, or is that of another
    place.
    """
    return in_turn(s, rows_of_another_name, columns_of_another_name, rows_for_columns)


def bias_is_computed(s: Sketch) -> None:
    """The bias is an activation (a residual connection), computed between the MatMul and the Add."""
    x = trunk(s)
    h = product(s, x, width=s.width[x])
    y = plus(s, h, steps(s, x))
    h = product(s, y, width=s.width[y])
    s.output(s.unary(plus(s, h, y)))


def added_to_itself(s: Sketch) -> None:
    """An Add reads the same product twice."""
    h = product(s, trunk(s))
    s.output(steps(s, s.add(h, h)))
