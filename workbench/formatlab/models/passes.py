"""A small pipeline of graph passes, right ones and planted wrong ones, for finding out which of
them changes what a model computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import onnx_ir as ir
from onnx import ModelProto, parser
from onnx_ir.passes import common

from formatlab.models import make_model


class Pass(NamedTuple):
    """A pass by its name; calling it gives a new model and leaves the argument as it was."""

    name: str
    edit: Callable[[ir.Model], object]

    def __call__(self, model: ModelProto) -> ModelProto:
        # A copy, because onnx-ir keeps the tensors of the model that it reads, and some passes name
        # them anew.
        edited = ir.from_proto(ModelProto.FromString(model.SerializeToString()))
        self.edit(edited)
        return ir.to_proto(edited)


def subject() -> ModelProto:
    """A model on which every pass finds something: the mean over the batch of sigmoid(6x) +
    sigmoid(6x), [N, 3, 4] to [3, 4].
    """
    return make_model(
        parser.parse_graph("""
        subject (float[N, 3, 4] x) => (float[3, 4] y) <float two = {2}, float three = {3}> {
            i = Identity (x)
            t = Transpose <perm = [1, 2, 0]> (i)
            u = Transpose <perm = [0, 2, 1]> (t)
            a = Mul (u, two)
            b = Mul (a, three)
            back = Transpose <perm = [1, 0, 2]> (b)
            p = Sigmoid (back)
            q = Sigmoid (back)
            s = Add (p, q)
            zero = Constant <value = int64[1] {0}> ()
            total = ReduceSum <keepdims = 0> (s, zero)
            shape = Shape (i)
            first = Constant <value = int64 {0}> ()
            n = Gather (shape, first)
            count = Cast <to = 1> (n)
            unused = Neg (total)
            y = Div (total, count)
        }""")
    )


def pipeline(wrong: str | None = None) -> list[Pass]:
    """The passes in their order. `wrong` names the one in whose place a wrong one stands:
    `fuse_transposes`, `merge_scales`, `fold_shapes`.

    A wrong pass is right on many models and inputs, as those in the field are. Raises KeyError for
    another name.
    """
    edits: dict[str, Callable[[ir.Model], object]] = {
        "eliminate_identity": common.IdentityEliminationPass(),
        "lift_constants": common.LiftConstantsToInitializersPass(
            lift_all_constants=True, size_limit=0
        ),
        "fuse_transposes": _fuse_transposes,
        "eliminate_common_subexpressions": common.CommonSubexpressionEliminationPass(),
        "merge_scales": _merge_scales,
        "fold_shapes": _fold_shapes,
        "deduplicate_initializers": common.DeduplicateInitializersPass(),
        "remove_unused": common.RemoveUnusedNodesPass(),
    }
    if wrong is not None:
        edits[wrong] = WRONG[wrong]
    return [Pass(name, edit) for name, edit in edits.items()]


def _fuse_transposes(model: ir.Model) -> None:
    """Transpose(Transpose(x, first), second) is one Transpose: axis i of the result is axis
    first[second[i]] of x.
    """
    _compose_transposes(model, lambda first, second: [first[axis] for axis in second])


def _fuse_transposes_wrong(model: ir.Model) -> None:
    """The permutations composed the other way round, which is the same for two that commute."""
    _compose_transposes(model, lambda first, second: [second[axis] for axis in first])


def _compose_transposes(
    model: ir.Model, compose: Callable[[list[int], list[int]], list[int]]
) -> None:
    for before, after in _pairs(model, "Transpose"):
        perm = compose(*(list(node.attributes["perm"].as_ints()) for node in (before, after)))
        after.attributes["perm"] = ir.AttrInt64s("perm", perm)
        after.replace_input_with(0, before.inputs[0])


def _merge_scales(model: ir.Model) -> None:
    """(x * a) * b is x * (a * b), for constants a and b that are single numbers."""
    _merge(model, np.multiply)


def _merge_scales_wrong(model: ir.Model) -> None:
    """The sum of the factors in place of their product: right for 2 and 2."""
    _merge(model, np.add)


def _merge(model: ir.Model, combine: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
    for before, after in _pairs(model, "Mul"):
        first, second = (_read(node, 1) for node in (before, after))
        one, other = (value.const_value for value in (first, second))
        if one is not None and other is not None and one.size == other.size == 1:
            merged = _initializer(
                model, f"{second.name}_merged", combine(one.numpy(), other.numpy())
            )
            after.replace_input_with(0, before.inputs[0])
            after.replace_input_with(1, merged)


def _fold_shapes(model: ir.Model) -> None:
    """Shape(x) is a constant where every dimension of x is a number."""
    for node in _nodes(model, "Shape"):
        shape = _read(node, 0).shape
        if shape is not None and shape.is_static():
            _replace(model, node, np.array(shape.numpy(), np.int64))


def _fold_shapes_wrong(model: ir.Model) -> None:
    """A dimension that has a name counts as 1, which it is for a single example."""
    for node in _nodes(model, "Shape"):
        shape = _read(node, 0).shape
        if shape is not None:
            _replace(
                model,
                node,
                np.array([dim if isinstance(dim, int) else 1 for dim in shape], np.int64),
            )


WRONG = {
    "fuse_transposes": _fuse_transposes_wrong,
    "merge_scales": _merge_scales_wrong,
    "fold_shapes": _fold_shapes_wrong,
}


def _read(node: ir.Node, place: int) -> ir.Value:
    """An input that the operator requires."""
    value = node.inputs[place]
    assert value is not None  # or the checker would have refused the model
    return value


def _nodes(model: ir.Model, operator: str) -> Iterator[ir.Node]:
    return (node for node in list(model.graph) if node.op_type == operator)


def _pairs(model: ir.Model, operator: str) -> Iterator[tuple[ir.Node, ir.Node]]:
    """Nodes of one operator of which the second reads the first's output, and nobody else does."""
    for after in _nodes(model, operator):
        before = _read(after, 0).producer()
        if before is not None and before.op_type == operator and len(before.outputs[0].uses()) == 1:
            yield before, after


def _replace(model: ir.Model, node: ir.Node, value: np.ndarray) -> None:
    ir.convenience.replace_all_uses_with(
        node.outputs[0], _initializer(model, f"{node.outputs[0].name}_folded", value)
    )


def _initializer(model: ir.Model, name: str, value: np.ndarray) -> ir.Value:
    tensor = ir.tensor(value, name=name)
    made = ir.Value(
        name=name, const_value=tensor, shape=ir.Shape(value.shape), type=ir.TensorType(tensor.dtype)
    )
    model.graph.register_initializer(made)
    return made
