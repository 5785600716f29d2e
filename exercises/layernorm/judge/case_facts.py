"""What the checks of `layernorm` need to know about a model: its LayerNorms, fused or spelt out,
and what remains without them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
from onnx import ModelProto
from onnx_ir.passes.common import RemoveUnusedNodesPass

from formatlab import graphs, loading
from formatlab_exercises.shared.judge import constants
from formatlab_exercises.shared.judge.links import graph_of
from formatlab_exercises.shared.judge.models import liveness_of

# The most dimensions that NumPy gives an array.
LARGEST_RANK = 64


@dataclass(frozen=True)
class Norm:
    """A LayerNorm: what it writes, the node that reads its input; for one that is spelt out also
    its square, how many axes it has, and whether its means list them in one order.
    """

    result: ir.Value
    reader: ir.Node
    fused: bool
    square: str = ""
    axes: int = 1
    in_order: bool = True
    scalar: bool = True

    @property
    def source(self) -> ir.Value:
        """What the LayerNorm reads. Raises ValueError for a node without an input."""
        value = self.reader.inputs[0]
        if value is None:
            raise ValueError(f"the node {self.reader.name!r} ({self.reader.op_type}) reads nothing")
        return value

    @property
    def name(self) -> str:
        return self.result.name or ""

    @property
    def used(self) -> bool:
        return bool(self.result.uses()) or self.result.is_graph_output()


@dataclass(frozen=True, kw_only=True)
class Place:
    """What a finding says about a LayerNorm: `result` is the name that it writes, `square` the
    operator of its square; `in_order` tells that both means list their axes in one order, `scalar`
    that its exponent has no dimensions, `forks` that a Mul or an Add with a constant reads the result
    and is not the only reader, which an output is too, `read_inside` that a graph inside a node reads
    it.
    """

    result: str
    fused: bool
    square: str
    axes: int
    in_order: bool
    scalar: bool
    nested: bool
    is_output: bool
    forks: bool
    read_inside: bool


@dataclass(frozen=True)
class CaseFacts:
    """The case's model. `sources` gives for the output of each LayerNorm what it reads;
    `statistics` are Means and InvStdDevs in use. `widened` are the quotients of what would be a
    LayerNorm if its epsilon and its exponent had no more dimensions than x, `across` those of what
    would be one if its nodes were in one graph.
    """

    norms: tuple[Place, ...]
    sources: dict[str, str]
    statistics: frozenset[str]
    widened: frozenset[str]
    across: frozenset[str]
    live: Counter[str]
    remaining: Counter[str]


@lru_cache(maxsize=64)
def read(data: bytes) -> CaseFacts:
    """The facts of a case's `model.onnx`."""
    model = loading.parse(data)
    copy = _inferred(model)
    norms = find(copy)
    return CaseFacts(
        norms=places(model),
        sources={norm.name: norm.source.name or "" for norm in norms},
        statistics=frozenset(
            value.name
            for norm in norms
            if norm.fused
            for value in norm.reader.outputs[1:]
            if value.uses() and value.name
        ),
        widened=_almost(copy, largest_rank=LARGEST_RANK),
        across=_almost(copy, in_one_graph=False),
        live=liveness_of(data).live,
        remaining=_remaining(copy, norms),
    )


def _almost(model: ir.Model, **less: Any) -> frozenset[str]:
    """The quotients that are no LayerNorm's, and would be if less were asked of its parts."""
    return frozenset(
        node.outputs[0].name or ""
        for node in ir.traversal.RecursiveGraphIterator(model.graph)
        if node.op_type == "Div"
        and not graphs.domain(node.domain)
        and _parts(node) is None
        and _parts(node, **less) is not None
    )


def places(model: ModelProto) -> tuple[Place, ...]:
    """The LayerNorms of a model whose results serve an output."""
    copy = _inferred(model)
    RemoveUnusedNodesPass()(copy)
    found = [norm for norm in find(copy) if norm.used]
    return tuple(
        Place(
            result=norm.name,
            fused=norm.fused,
            square=norm.square,
            axes=norm.axes,
            in_order=norm.in_order,
            scalar=norm.scalar,
            nested=norm.reader.graph is not copy.graph,
            is_output=norm.result.is_graph_output(),
            forks=_forks(norm),
            read_inside=any(
                use.node.graph is not graph_of(norm.result) for use in norm.result.uses()
            ),
        )
        for norm in found
    )


def find(model: ir.Model) -> list[Norm]:
    """Every LayerNorm of a model with shapes, in topological order."""
    found = []
    for node in ir.traversal.RecursiveGraphIterator(model.graph):
        if graphs.domain(node.domain):
            continue
        if node.op_type == "LayerNormalization":
            found.append(Norm(node.outputs[0], node, fused=True))
        elif node.op_type == "Div" and (parts := _parts(node)) is not None:
            found.append(
                Norm(
                    _affine(node, parts.sub),
                    parts.sub,
                    fused=False,
                    square=parts.square.op_type,
                    axes=parts.axes,
                    in_order=_listed(parts.mean, parts.rank) == _listed(parts.variance, parts.rank),
                    scalar=_is_scalar(parts.square),
                )
            )
    return found


def _inferred(model: ModelProto) -> ir.Model:
    return ir.from_proto(onnx.shape_inference.infer_shapes(model))


def _remaining(model: ir.Model, norms: list[Norm]) -> Counter[str]:
    """The operators that stay when each LayerNorm passes its input on. `model` is used up."""
    for norm in norms:
        graph = graph_of(norm.result)
        for at, value in enumerate(graph.outputs):
            if value is norm.result:  # the source may be a value of a graph around it, or an output
                graph.append(stand_in := ir.node("Identity", [norm.source]))
                graph.outputs[at] = stand_in.outputs[0]
        norm.result.replace_all_uses_with(norm.source)
    return graphs.liveness(model).live


def _writer(value: ir.Value | None, operator: str) -> ir.Node | None:
    node = value.producer() if value is not None else None
    return (
        node
        if node is not None and node.op_type == operator and not graphs.domain(node.domain)
        else None
    )


def _constant(value: ir.Value | None) -> np.ndarray | None:
    """What an initializer or a Constant holds. An initializer that is a graph input is a default,
    and no constant.
    """
    if value is None or value.is_graph_input():
        return None
    node = value.producer()
    if node is not None and node.op_type == "Constant" and graphs.domain(node.domain) == "":
        return constants.value_of(ir.to_proto(node))
    return None if value.const_value is None or node is not None else value.const_value.numpy()


def _is_number(value: ir.Value | None, rank: int, number: float | None = None) -> bool:
    """Whether it is a constant of one element with no more dimensions than `rank`, and that number
    if one is given.
    """
    found = _constant(value)
    return (
        found is not None
        and found.size == 1
        and found.ndim <= rank
        and (number is None or found.item() == number)
    )


@dataclass(frozen=True)
class _Parts:
    """The nodes of a LayerNorm that is spelled out: `mean` writes m of x - m, `variance` the mean of
    the squares. `rank` is that of x, and `axes` of them, counted from the last, are normalised.
    """

    sub: ir.Node
    mean: ir.Node
    square: ir.Node
    variance: ir.Node
    rank: int
    axes: int


def _parts(
    div: ir.Node, *, largest_rank: int | None = None, in_one_graph: bool = True
) -> _Parts | None:
    """Those of the LayerNorm that ends, but for scale and bias, in `div` = (x - m) / Sqrt(v +
    epsilon); None where it is none. Epsilon and the exponent have as many dimensions as x at most,
    or `largest_rank`.
    """
    sub, root = _writer(div.inputs[0], "Sub"), _writer(div.inputs[1], "Sqrt")
    total = _writer(root.inputs[0], "Add") if root is not None else None
    if sub is None or total is None:
        return None
    mean, rank = _writer(sub.inputs[1], "ReduceMean"), _rank(sub.inputs[0])
    of_number = rank if largest_rank is None else largest_rank
    pairs = zip(total.inputs, reversed(total.inputs), strict=True)
    variance = next(
        (
            node
            for value, epsilon in pairs
            if (node := _writer(value, "ReduceMean")) is not None and _is_number(epsilon, of_number)
        ),
        None,
    )
    if mean is None or variance is None or mean.inputs[0] is not sub.inputs[0]:
        return None
    axes = _trailing(mean, rank)  # the squares have the rank of what is normalised
    square = _square(variance.inputs[0], sub.outputs[0], of_number)
    if axes is None or axes != _trailing(variance, rank) or square is None:
        return None
    nodes = (sub, mean, square, variance, total, root)
    if in_one_graph and any(node is None or node.graph is not div.graph for node in nodes):
        return None
    return _Parts(sub, mean, square, variance, rank, axes)


def _rank(value: ir.Value | None) -> int:
    """How many axes a value has; 0 where that is not known."""
    return 0 if value is None or value.shape is None else len(value.shape)


def _square(value: ir.Value | None, of: ir.Value, rank: int) -> ir.Node | None:
    """The node that writes `value`, if that is the square of `of`."""
    product, power = _writer(value, "Mul"), _writer(value, "Pow")
    if product is not None:
        return product if all(factor is of for factor in product.inputs) else None
    if power is None or power.inputs[0] is not of or not _is_number(power.inputs[1], rank, 2):
        return None
    return power


def _listed(mean: ir.Node, rank: int) -> list[int]:
    """The axes in the order in which they are written, counted from the front."""
    axes = _axes(mean)
    return [] if axes is None else [int(axis) % rank for axis in np.ravel(axes)]


def _is_scalar(square: ir.Node) -> bool:
    """Whether an exponent has no dimensions; true of a square without one."""
    if square.op_type == "Mul":
        return True
    exponent = _constant(square.inputs[1])
    return exponent is None or exponent.ndim == 0


def _axes(mean: ir.Node) -> np.ndarray | None:
    """The axes of a ReduceMean as they are written; None if they are not known."""
    attribute = mean.attributes.get("axes")
    if attribute is not None:
        return np.array(attribute.as_ints())
    return _constant(mean.inputs[1]) if len(mean.inputs) > 1 else None


def _trailing(mean: ir.Node, rank: int) -> int | None:
    """Over how many axes of `rank`, counted from the last, the ReduceMean goes; None if it goes over
    others.
    """
    axes = _axes(mean)
    keep = mean.attributes.get("keepdims")
    is_kept = keep is None or keep.as_int()
    if axes is None or np.size(axes) == 0 or rank == 0 or not is_kept:
        return None
    counted = sorted(int(axis) % rank for axis in np.ravel(axes))
    return len(counted) if counted == list(range(rank - len(counted), rank)) else None


def _affine(div: ir.Node, sub: ir.Node) -> ir.Value:
    """The LayerNorm's result: that of the Mul and the Add behind the Div that are its scale and
    bias.
    """
    result = div.outputs[0]
    for operator in ("Mul", "Add"):
        uses = result.uses()
        if len(uses) != 1 or result.is_graph_output():
            return result
        [(node, place)] = uses
        if (
            node.op_type != operator
            or graphs.domain(node.domain)
            or node.graph is not div.graph
            or not _per_column(node, place, sub.inputs[0])
        ):
            return result
        result = node.outputs[0]
    return result


def _per_column(node: ir.Node, place: int, source: ir.Value | None) -> bool:
    """Whether a node of two inputs reads a constant of one number for each column of `source`
    besides. Nobody knows that of a source without a shape.
    """
    if source is None or source.shape is None or not len(source.shape):
        return False
    other = _constant(node.inputs[1 - place])
    return other is not None and other.shape == (source.shape[-1],)


def _forks(norm: Norm) -> bool:
    uses = norm.result.uses()
    return len(uses) + norm.result.is_graph_output() > 1 and any(
        use.node.op_type in ("Mul", "Add")
        and not graphs.domain(use.node.domain)
        and _per_column(use.node, use.idx, norm.source)
        for use in uses
    )
