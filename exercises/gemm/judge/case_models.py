"""The small graphs of the exercise `gemm`, one per edge case: each function's docstring says what
is special about its graph.

Every graph holds at least one pair that may be fused. A function returns the shapes of inputs that
the model leaves open, if any.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from formatlab.models.sketch import Sketch, batch_value
from formatlab_exercises.gemm.judge import case_biases
from formatlab_exercises.gemm.judge.case_parts import (
    Build,
    Shapes,
    in_turn,
    linear,
    plus,
    product,
    steps,
    trunk,
    weight,
)
from formatlab_exercises.shared.judge.graph_cases import ANOTHER_DOMAIN


def _mlp(s: Sketch) -> None:
    """x @ W + b, activation, several times, for a batch of any size and for one of a fixed size:
    every pair may be fused.
    """
    for batch in ("batch", int(s.rng.integers(2, 6))):
        s.lead = (batch,)
        x = s.input()
        for _ in range(s.rng.integers(2, 4)):
            x = s.unary(linear(s, x))
        s.output(s.unary(linear(s, x)))


def _side_by_side(s: Sketch) -> None:
    """Two layers side by side: both products are computed before both sums."""
    x, y = s.input(), s.input()
    for _ in range(2):
        products = [product(s, x), product(s, y)]
        sums = [plus(s, h, weight(s, s.width[h])) for h in products]
        x, y = (s.unary(value) for value in sums)
    s.output(x)
    s.output(y)


def _bias_first(s: Sketch) -> None:
    """Some Adds read the bias first and the product second: b + x @ W."""
    x = s.input()
    for bias_first in (True, False, True):
        x = s.unary(linear(s, x, bias_first=bias_first))
    s.output(x)


def _two_readers(s: Sketch) -> None:
    """One product has another reader besides its Add."""
    h = product(s, trunk(s))
    s.output(s.add(steps(s, plus(s, h, weight(s, s.width[h]))), steps(s, h)))


def _three_dimensions(s: Sketch) -> None:
    """One input has two dimensions, the other has three, and each has its pairs."""
    s.output(s.unary(linear(s, trunk(s))))
    s.lead = ("batch", "steps")
    s.output(s.unary(linear(s, steps(s, linear(s, s.input())))))


def _weights_are_three_dimensional(s: Sketch) -> None:
    """The first factor has two dimensions and the second three, so that the product has three."""
    x = trunk(s)
    heads, width = (int(n) for n in s.rng.integers(2, 6, 2))
    h = s.node("MatMul", [x, weight(s, heads, s.width[x], width)])
    s.width[h] = width
    y = plus(s, h, weight(s, width))
    s.lead = (heads, "batch")
    s.output(steps(s, y))


def _vectors(s: Sketch) -> None:
    """A factor has one dimension, so that the product has one too."""
    x = trunk(s)
    s.output(s.unary(linear(s, x)))
    y = s.node(
        "Tanh", [s.node("Add", [s.node("MatMul", [x, weight(s, s.width[x])]), weight(s, 1)])]
    )
    s.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, ["batch"]))


def _vector_and_stack(s: Sketch) -> None:
    """One factor has three dimensions and the other one has one, so that the product has two."""
    s.output(trunk(s))
    s.lead = ("batch", "steps")
    x = s.input()
    of_rows = s.node("Add", [s.node("MatMul", [x, weight(s, s.width[x])]), weight(s, 1)])
    y = s.node("Tanh", [of_rows])
    s.outputs.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, s.lead))
    heads, inner, width = (int(n) for n in s.rng.integers(2, 6, 3))
    vector = s.name("vector")
    s.inputs.append(helper.make_tensor_value_info(vector, TensorProto.FLOAT, [inner]))
    stack = s.node("MatMul", [vector, weight(s, heads, inner, width)])
    s.lead, s.width[stack] = (heads,), width
    s.output(steps(s, plus(s, stack, weight(s, width))))


def _factors_of_other_ranks(s: Sketch) -> Shapes:
    """A factor has one dimension or three: the first one, or the second one."""
    return in_turn(s, _vectors, _weights_are_three_dimensional, _three_dimensions)


def _unknown_rank(s: Sketch) -> Shapes:
    """How many dimensions a factor has, or a bias, is known at run time only: it went through a
    Squeeze without axes.
    """
    s.output(trunk(s))
    s.lead = ("samples", "perhaps_one")
    x = s.input()
    squeezed = s.like(x, s.node("Squeeze", [x]))
    h = product(s, squeezed)
    y = s.unary(plus(s, h, weight(s, s.width[h])))
    flat = s.node("Reshape", [y, s.constant(np.array([-1]))])
    s.outputs.append(helper.make_tensor_value_info(flat, TensorProto.FLOAT, ["count"]))
    s.lead = ("entries",)
    other = s.input()
    h, bias = product(s, other), s.name("bias")
    s.inputs.append(batch_value(bias, s.width[h], lead=("perhaps_one", "rows")))
    y = s.unary(plus(s, h, s.node("Squeeze", [bias])))
    flat = s.node("Reshape", [y, s.constant(np.array([-1]))])
    s.outputs.append(helper.make_tensor_value_info(flat, TensorProto.FLOAT, ["numbers"]))
    return {
        x: [[3, 1, s.width[x]], [2, 4, s.width[x]], [5, 1, s.width[x]]],
        other: [[5, s.width[other]], [4, s.width[other]], [4, s.width[other]]],
        bias: [[1, 1, s.width[h]], [4, 1, s.width[h]], [3, 4, s.width[h]]],
    }


def _shape_is_inferred(s: Sketch) -> None:
    """Two dimensions, but of values that nodes compute: a transposed weight, a flattened image, a
    bias that is cut out.
    """
    s.lead = ("batch", 2)
    x = s.input()
    flat = s.node("Flatten", [x], axis=1)
    s.lead, s.width[flat] = ("batch",), 2 * s.width[x]
    y = steps(s, linear(s, flat))
    turned = s.node("Transpose", [weight(s, 5, s.width[y])], perm=[1, 0])
    h = s.node("MatMul", [y, turned])
    s.width[h] = 5
    cut = s.node("Squeeze", [weight(s, 1, 5), s.constant(np.array([0]))])
    s.output(s.unary(plus(s, h, cut)))


def _constants(s: Sketch) -> None:
    """Weights and biases are initializers or Constant nodes."""
    x = s.input()
    for as_node in s.rng.permutation([True, False, True]):
        h = product(s, x, as_node=bool(as_node))
        x = s.unary(plus(s, h, weight(s, s.width[h], as_node=not as_node)))
    s.output(s.unary(linear(s, x)))


def _all_are_inputs(s: Sketch) -> None:
    """Weight and bias are graph inputs."""
    x = trunk(s)
    width = int(s.rng.integers(3, 7))
    factor, bias = s.name("matrix"), s.name("vector")
    s.inputs.append(helper.make_tensor_value_info(factor, TensorProto.FLOAT, [s.width[x], width]))
    s.inputs.append(helper.make_tensor_value_info(bias, TensorProto.FLOAT, [width]))
    h = s.node("MatMul", [x, factor])
    s.width[h] = width
    s.output(s.unary(plus(s, h, bias)))


def _weight_on_the_left(s: Sketch) -> None:
    """The constant is the first factor: W @ x + b. No shape fits x @ W."""
    s.output(trunk(s))
    rows = int(s.rng.integers(2, 6))
    s.lead = (rows,)
    x = s.input()
    new_rows = s.width[x] + 1
    h = s.like(x, s.node("MatMul", [weight(s, new_rows, rows), x]))
    y = plus(s, h, weight(s, new_rows, s.width[h]))
    s.lead = (new_rows,)
    s.output(steps(s, y))


def _two_products(s: Sketch) -> None:
    """Both inputs of an Add are products. In two more such Adds one of them has another reader, once
    the first one and once the second.
    """
    x = trunk(s)
    width = int(s.rng.integers(3, 6))
    y = s.unary(plus(s, product(s, x, width), product(s, x, width)))
    for is_first in s.rng.permutation([True, False]):
        shared, own = product(s, y, width), product(s, y, width)
        total = s.add(shared, own) if is_first else s.add(own, shared)
        y = s.add(total, s.unary(shared))
    s.output(y)


def _shared_constants(s: Sketch) -> None:
    """Two pairs share weight and bias, and another node reads the bias too."""
    x = s.input()
    factor, bias = weight(s, s.width[x], s.width[x]), weight(s, s.width[x])
    for _ in range(2):
        x = steps(s, plus(s, s.like(x, s.node("MatMul", [x, factor])), bias))
    s.output(s.like(x, s.node("Mul", [x, bias])))


def _from_anywhere(s: Sketch) -> Shapes:
    """Factors and biases come from anywhere: initializers, which may have other readers, Constant
    nodes, graph inputs, and nodes that compute them.
    """
    return in_turn(
        s,
        _constants,
        _all_are_inputs,
        _shared_constants,
        _shape_is_inferred,
        case_biases.bias_is_computed,
    )


def _product_is_output(s: Sketch) -> None:
    """The product is a graph output besides."""
    h = product(s, trunk(s))
    s.output(s.unary(plus(s, h, weight(s, s.width[h]))))
    s.output(h)


def _sum_is_output(s: Sketch) -> None:
    """Sums are graph outputs, one of which is a factor besides."""
    y = s.output(linear(s, trunk(s)))
    s.output(linear(s, s.unary(linear(s, y))))


def _integers(s: Sketch) -> None:
    """One pair has numbers of type double, one half-precision numbers, two have integers."""
    for kind in (
        TensorProto.DOUBLE,
        TensorProto.FLOAT16,
        *map(int, s.rng.permutation([TensorProto.INT32, TensorProto.INT64])),
    ):
        dtype = helper.tensor_dtype_to_np_dtype(kind)
        x, width = s.name("x"), int(s.rng.integers(3, 6))
        s.inputs.append(batch_value(x, 4, kind, s.lead))
        s.width[x] = 4
        h = s.node("MatMul", [x, s.constant((3 * s.rng.normal(size=(4, width))).astype(dtype))])
        s.width[h] = width
        total = plus(s, h, s.constant((3 * s.rng.normal(size=width)).astype(dtype)))
        s.output(s.like(h, s.node("Neg", [total])), kind)


def _another_domain(s: Sketch) -> None:
    """A MatMul or an Add is of another domain, where a local function says what it computes."""
    x = trunk(s)
    width = int(s.rng.integers(3, 9))
    h = s.node("MatMul", [x, weight(s, s.width[x], width)], domain=ANOTHER_DOMAIN)
    s.width[h] = width
    h = product(s, steps(s, plus(s, h, weight(s, width))))
    added = s.node("Add", [h, weight(s, s.width[h])], domain=ANOTHER_DOMAIN)
    s.output(steps(s, linear(s, steps(s, s.like(h, added)))))


def _lookalikes(s: Sketch) -> None:
    """Sub or Sum instead of Add, a node between product and Add, an Add behind a Gemm that is there
    already, a MatMul and an Add of another domain.
    """
    _another_domain(s)
    x = trunk(s)
    h = product(s, x)
    h = product(s, s.like(h, s.node("Sub", [h, weight(s, s.width[h])])))
    y = s.like(h, s.node("Sum", [h, weight(s, s.width[h])]))
    h = product(s, y)
    y = plus(s, s.unary(h), weight(s, s.width[h]))
    g = s.node("Gemm", [y, weight(s, s.width[y], 5), weight(s, 5)], alpha=0.5)
    s.width[g] = 5
    s.output(s.unary(linear(s, plus(s, g, weight(s, 5)))))


PUBLIC: dict[str, Build] = {
    "chain": _mlp,
    "two-readers": _two_readers,
    "three-dimensions": _three_dimensions,
    "one-and-three": _vector_and_stack,
    "no-rank": _unknown_rank,
    "wider-bias": case_biases.bias_adds_rows,
    "longer-bias": case_biases.bias_adds_columns,
    "other-name": case_biases.rows_of_another_name,
    "no-name": case_biases.sizes_are_unknown,
    "late-bias": case_biases.bias_is_computed,
    "shape-is-inferred": _shape_is_inferred,
    "in-turns": _side_by_side,
    "bias-first": _bias_first,
    "output": _product_is_output,
    "sums-of-products": _two_products,
    "twice": case_biases.added_to_itself,
    "rows-as-columns": case_biases.rows_for_columns,
    "whole-numbers": _integers,
    "one-dimension": _vectors,
    "three-in-the-bias": case_biases.bias_has_three_dimensions,
    "name-made-up": case_biases.names_are_made_up,
    "other-than-declared": case_biases.product_is_declared,
    "dimension-of-zero": case_biases.no_columns_between,
    "another-domain": _another_domain,
}
HIDDEN: dict[str, Build] = {
    "chain-new": _mlp,
    "two-readers-new": _two_readers,
    "bias-in-front": _bias_first,
    "side-by-side": _side_by_side,
    "other-ranks": _factors_of_other_ranks,
    "vector-and-stack": _vector_and_stack,
    "bias-shapes": case_biases.bias_shapes,
    "bias-too-large": case_biases.bias_is_too_large,
    "no-rows": case_biases.no_columns_between,
    "other-names": case_biases.names_do_not_fit,
    "made-up-names": case_biases.names_are_made_up,
    "unknown-sizes": case_biases.sizes_are_unknown,
    "declared-product": case_biases.product_is_declared,
    "unknown-rank": _unknown_rank,
    "from-anywhere": _from_anywhere,
    "weight-on-the-left": _weight_on_the_left,
    "two-products": _two_products,
    "sum-is-output": _sum_is_output,
    "added-to-itself": case_biases.added_to_itself,
    "integers": _integers,
    "lookalikes": _lookalikes,
}
