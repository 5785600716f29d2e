"""Causes in float16 and in INT8, which no repair brings to four units: an island in float32, and a
scale that fits what it is given. What they bring is measured against parts like the wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from formatlab.diff.parts import Whole, reads
from formatlab.diff.places import MOVES, held
from formatlab.diff.words import quoted
from formatlab.numerics import Feeds
from formatlab.why.repairs import Region, Repair, array, bypass, find, put, set_attribute
from formatlab.why.values import MASKS

LARGEST = float(np.finfo(np.float16).max)
# Where ReLU6 ends.
SIX = 6.0
# Nodes that are in float32 together.
ISLAND = 12
# A scale and the one that integers and numbers imply.
SAME_SCALE = 0.02


def as_float32(model: ModelProto) -> ModelProto:
    """Return the model with float32 wherever it has float16: what it would compute without rounding
    its values.
    """
    new = ModelProto.FromString(model.SerializeToString())
    half = {TensorProto.FLOAT16, TensorProto.BFLOAT16}
    stack = [new.graph]
    while stack:
        graph = stack.pop()
        for tensor in graph.initializer:
            if tensor.data_type in half:
                value = numpy_helper.to_array(tensor).astype(np.float32)
                tensor.CopyFrom(numpy_helper.from_array(value, tensor.name))
        for value in [*graph.input, *graph.output, *graph.value_info]:
            if value.type.tensor_type.elem_type in half:
                value.type.tensor_type.elem_type = TensorProto.FLOAT
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.name in ("to", "dtype") and attribute.i in half:
                    attribute.i = TensorProto.FLOAT
                if attribute.HasField("t") and attribute.t.data_type in half:
                    value = numpy_helper.to_array(attribute.t).astype(np.float32)
                    attribute.t.CopyFrom(numpy_helper.from_array(value, attribute.t.name))
                if attribute.HasField("g"):
                    stack.append(attribute.g)
                stack.extend(attribute.graphs)
    return new


def as_float(model: ModelProto) -> ModelProto:
    """Return the model without Q/DQ pairs on what it computes: weights keep the numbers that their
    integers stand for, activations are not rounded.
    """
    new = ModelProto.FromString(model.SerializeToString())
    quantizers = {
        node.output[0]: node for node in new.graph.node if node.op_type == "QuantizeLinear"
    }
    stored = {tensor.name: tensor for tensor in new.graph.initializer}
    for node in new.graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in quantizers:
            first = quantizers[node.input[0]]
            operator, ends = _left_out(first, stored)
            for end in ends:
                if end not in stored:
                    value = np.array(float(end.rpartition("/")[2]), np.float32)
                    stored[end] = numpy_helper.from_array(value, end)
                    new.graph.initializer.append(stored[end])
            node.CopyFrom(
                helper.make_node(
                    operator, [first.input[0], *ends], list(node.output), name=node.name
                )
            )
    read = {name for node in new.graph.node for name in reads(node)}
    read |= {value.name for value in new.graph.output}
    kept = [
        NodeProto.FromString(node.SerializeToString())
        for node in new.graph.node
        if node.op_type != "QuantizeLinear" or node.output[0] in read
    ]
    del new.graph.node[:]
    new.graph.node.extend(kept)
    return new


def _left_out(node: NodeProto, stored: Mapping[str, TensorProto]) -> tuple[str, list[str]]:
    """(operator, its further inputs) of what a quantizer may have left out because the range of this
    QuantizeLinear does the same: a Relu where it begins at 0, a ReLU6 where it also ends at 6.
    """
    scale = stored.get(node.input[1])
    zero = stored.get(node.input[2]) if len(node.input) > 2 else None
    by = np.float32(1) if scale is None else array(scale)
    at = np.zeros((), np.uint8) if zero is None else array(zero)
    if scale is None or by.size != 1 or at.size != 1 or at.dtype.kind not in "iu":
        return "Identity", []
    limits = np.iinfo(at.dtype)
    if int(at.reshape(-1)[0]) != limits.min:
        return "Identity", []
    high = (limits.max - limits.min) * float(by.reshape(-1)[0])
    if abs(high - SIX) > 1e-3 * SIX:
        return "Relu", []
    return "Clip", ["formatlab/clip/0.0", f"formatlab/clip/{SIX}"]


def half_causes(
    region: Region, wide: Sequence[Mapping[str, np.ndarray]]
) -> Iterator[tuple[Repair, str]]:
    """(the repair, the value at which it ends): the first node whose result float16 cannot hold,
    with those behind it, in float32. `wide` are B's values as float32 computes them.
    """
    for name, node in region.nodes_b.items():
        for weight in node.input:
            tensor = region.b.stored.get(weight)
            if tensor is not None and tensor.data_type == TensorProto.FLOAT16:
                value = array(tensor).astype(np.float64)
                if np.isinf(value).any() and node.op_type not in ("Where", "Max", "Min"):
                    yield (
                        Repair(
                            kind="float16-overflow",
                            node=name,
                            text=f"the weight `{weight}` holds {int(np.isinf(value).sum())} infinities, as float16 ends at 65504",
                            edit=lambda _: None,
                        ),
                        "",
                    )
    for name, node in region.nodes_b.items():
        values = [each[name] for each in wide if name in each]
        if not values or values[0].dtype != np.float32 or all(map(_held, values)):
            continue
        largest = max(float(np.abs(each[np.isfinite(each)]).max(initial=0)) for each in values)
        is_large = largest > LARGEST
        island, ends = _island(region.b, node, wide)
        if not ends:
            continue
        shown = f"up to {largest:.3g}" if is_large else f"of {_typical(values):.1e}"
        why = (
            "float16 ends at 65504"
            if is_large
            else "float16 has no bits left below 6e-5 and is 0 below 6e-8"
        )
        yield (
            Repair(
                kind="float16-overflow" if is_large else "float16-underflow",
                node=name,
                text=f"{node.op_type} gives numbers {shown}, and {why}",
                edit=partial(widen, island=island),
                done=f"with {_shown(region.b, island)} in float32",
            ),
            ends[0],
        )


def _shown(model: Whole, island: list[str]) -> str:
    names = [model.writers[name].op_type for name in island]
    return f"{len(names)} nodes ({', '.join(names)})" if len(names) > 1 else names[0]


def _typical(values: list[np.ndarray]) -> float:
    return float(np.median(np.abs(np.concatenate([each.reshape(-1) for each in values]))))


def _held(value: np.ndarray) -> bool:
    with np.errstate(all="ignore"):
        return held(value, value.astype(np.float16))


def _island(
    model: Whole, first: NodeProto, wide: Sequence[Mapping[str, np.ndarray]]
) -> tuple[list[str], list[str]]:
    """(first outputs of the nodes, values that leave it): from the node on, until float16 holds what
    is given.
    """
    island: list[str] = []
    ends: list[str] = []
    queue = [first.output[0]]
    while queue:
        name = queue.pop(0)
        if name in island:
            continue
        if len(island) >= ISLAND:
            return island, []
        island.append(name)
        values = [each[name] for each in wide if name in each]
        if values and not all(map(_held, values)) and name not in model.outputs:
            queue += [node.output[0] for node in model.readers.get(name, [])]
        else:
            ends.append(name)
    order = model.places
    return sorted(island, key=lambda each: order[each]), ends


def widen(model: ModelProto, island: list[str]) -> None:
    """Let these nodes compute in float32, with Casts around them."""
    names = set(island)
    half = {each.name for each in model.graph.initializer if each.data_type == TensorProto.FLOAT16}
    nodes: list[NodeProto] = []
    inside = [node for node in model.graph.node if node.output and node.output[0] in names]
    inner = {name for node in inside for name in node.output}
    integers = _integer_ports()
    for node in model.graph.node:
        new = NodeProto.FromString(node.SerializeToString())
        if not (node.output and node.output[0] in names):
            nodes.append(new)
            continue
        for port, name in enumerate(node.input):
            if not name or (node.op_type, port) in integers:
                continue
            stored = next((each for each in model.graph.initializer if each.name == name), None)
            if stored is not None and name not in half:
                continue
            if name in inner:
                new.input[port] = f"{name}/float32"
                continue
            wide = f"{name}/float32 for {node.output[0]}/{port}"
            nodes.append(helper.make_node("Cast", [name], [wide], to=TensorProto.FLOAT))
            new.input[port] = wide
        new.output[:] = [name and f"{name}/float32" for name in node.output]
        nodes.append(new)
        for name in filter(None, node.output):
            nodes.append(
                helper.make_node("Cast", [f"{name}/float32"], [name], to=TensorProto.FLOAT16)
            )
    copies = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)


def _integer_ports() -> set[tuple[str, int]]:
    pairs = {(f"Reduce{name}", 1) for name in ("Mean", "Sum", "Max", "Min", "L2", "SumSquare")}
    return pairs | {("Reshape", 1), ("Unsqueeze", 1), ("Squeeze", 1), ("Gather", 1), ("Expand", 1)}


# INT8.


def range_causes(region: Region, given: list[Feeds]) -> Iterator[Repair]:
    """A scale and zero point that fit what a QuantizeLinear is given, and weights quantized again from
    A's. `given` are the values of the part's inputs.
    """
    yield from unequal_pairs(region)
    for name, node in region.nodes_b.items():
        if node.op_type == "QuantizeLinear":
            yield from _activation(region, name, node, given)
    for name, node in region.nodes_b.items():
        if node.op_type == "DequantizeLinear" and node.input[0] in region.b.stored:
            yield from _weight(region, name)


def _activation(region: Region, name: str, node: NodeProto, given: list[Feeds]) -> Iterator[Repair]:
    source = _through(region, node.input[0])
    stored = region.constant_b(node.input[0])  # a weight that the file quantizes itself
    values = [stored] if stored is not None else [each[source] for each in given if source in each]
    scale = region.b.stored.get(node.input[1])
    if not values or scale is None or array(scale).size != 1:
        return
    back = [
        each
        for each in region.nodes_b.values()
        if each.op_type == "DequantizeLinear" and each.input[0] == name
    ]
    zero_tensor = region.b.stored.get(node.input[2]) if len(node.input) > 2 else None
    zero = array(zero_tensor) if zero_tensor is not None else np.zeros((), np.uint8)
    numbers = np.concatenate([each.reshape(-1).astype(np.float64) for each in values])
    numbers = _activated(region, numbers)
    limits = np.iinfo(zero.dtype) if zero.dtype.kind in "iu" else None
    if limits is None:
        return
    old = float(array(scale).reshape(-1)[0])
    if back and (masked := _masked(numbers, old)):
        yield Repair(
            kind="range",
            node=name,
            text=f"QuantizeLinear has to reach to {masked:.3g}, a mask's number, so its step of {old:.3g} is larger than "
            "all that is not masked",
            edit=partial(_unquantized, source=node.input[0], nodes=back),
            done="with this value not quantized",
            is_structural=True,
        )
        return
    low = (limits.min - int(zero.reshape(-1)[0])) * old
    high = (limits.max - int(zero.reshape(-1)[0])) * old
    clipped = float(((numbers < low - old / 2) | (numbers > high + old / 2)).mean())
    if zero.dtype.kind == "i" and not zero.any():  # symmetric
        new_scale = float(np.abs(numbers).max()) / limits.max
        new_zero = np.zeros_like(zero)
    else:
        least = min(0.0, float(numbers.min()))
        most = max(0.0, float(numbers.max()))
        new_scale = (most - least) / (limits.max - limits.min)
        new_zero = np.array(
            limits.min + (round(-least / new_scale) if new_scale else 0), zero.dtype
        ).reshape(zero.shape)
    if not new_scale:
        return
    where = (
        f"its scale of {old:.3g} reaches from {low:.3g} to {high:.3g}, "
        f"and it is given numbers from {numbers.min():.3g} to {numbers.max():.3g}"
    )
    yield Repair(
        kind="range",
        node=name,
        text=f"QuantizeLinear cuts off {clipped:.1%} of what it is given: {where}"
        if clipped > 0.001
        else f"QuantizeLinear has the wrong step: {where}",
        edit=lambda model: _rescale(model, [node, *back], new_scale, new_zero),
        done=f"with the scale {new_scale:.3g}",
    )


def unequal_pairs(region: Region) -> Iterator[Repair]:
    """Return repairs for each DequantizeLinear that reads the integers of a QuantizeLinear by other numbers
    than they were written by.
    """
    for name, node in region.nodes_b.items():
        if node.op_type == "QuantizeLinear":
            yield from _unequal_pairs(region, name, node)


def _unequal_pairs(region: Region, name: str, node: NodeProto) -> Iterator[Repair]:
    for each in region.nodes_b.values():
        if each.op_type != "DequantizeLinear" or each.input[0] != name:
            continue
        apart = [
            what
            for port, what in ((1, "scale"), (2, "zero point"))
            if not _is_same_number(region, node, each, port)
        ]
        if apart:
            yield Repair(
                kind="range",
                node=each.output[0],
                text=f"a DequantizeLinear has another {' and '.join(apart)} than the QuantizeLinear before it",
                edit=partial(_same_scale, node=each, like=node),
                done=f"with the same {' and '.join(apart)}",
            )


def _is_same_number(region: Region, one: NodeProto, other: NodeProto, port: int) -> bool:
    """Are these inputs one value, or equal constants? A zero point that is left out is 0."""
    names = [node.input[port] if len(node.input) > port else "" for node in (one, other)]
    if names[0] == names[1]:
        return True
    first, second = (region.constant_b(name) if name else np.zeros(()) for name in names)
    if first is None or second is None:
        return False
    return np.array_equal(np.squeeze(first), np.squeeze(second))


def _masked(numbers: np.ndarray, step: float) -> float:
    """The largest number, where the step that reaches it is larger than all numbers that are no mask's."""
    with np.errstate(all="ignore"):
        size = np.abs(numbers)
    rest = size[size < MASKS]
    if not rest.size or rest.size == size.size or step <= 2 * rest.max():
        return 0.0
    return float(numbers[np.argmax(size)])


def _unquantized(model: ModelProto, source: str, nodes: list[NodeProto]) -> None:
    for node in nodes:
        bypass(model, node.output[0], source)


def _activated(region: Region, numbers: np.ndarray) -> np.ndarray:
    """What of the numbers A goes on with: quantizers leave out a Relu or Clip before a QuantizeLinear,
    because its range does the same.
    """
    for node in region.alone_a.values():
        if node.op_type not in ("Relu", "Clip") or node.input[0] not in region.place.part_a.inputs:
            continue
        ends = [region.constant_a(each) if each else None for each in node.input[1:3]]
        low, high = (*ends, None, None)[:2]
        if node.op_type == "Relu":
            low = np.zeros(())
        return np.clip(numbers, -np.inf if low is None else low, np.inf if high is None else high)
    return numbers


def _through(region: Region, name: str) -> str:
    """The value at which the part was cut, seen through nodes that only move numbers."""
    while name in region.nodes_b and region.nodes_b[name].op_type in MOVES:
        name = region.nodes_b[name].input[0]
    return name


def _rescale(model: ModelProto, nodes: list[NodeProto], scale: float, zero: np.ndarray) -> None:
    """Initializers may serve several nodes, so these get their own."""
    first = nodes[0].output[0]
    own = [f"{first}/scale", f"{first}/zero"]
    if all(each.name != own[0] for each in model.graph.initializer):
        model.graph.initializer.extend(
            [
                numpy_helper.from_array(np.array(scale, np.float32), own[0]),
                numpy_helper.from_array(zero, own[1]),
            ]
        )
    for node in nodes:
        mine = find(model, node.output[0])
        if mine is not None:
            mine.input[:] = [mine.input[0], *own]


def _same_scale(model: ModelProto, node: NodeProto, like: NodeProto) -> None:
    mine = find(model, node.output[0])
    if mine is not None:
        mine.input[:] = [mine.input[0], *like.input[1:]]


@dataclass(frozen=True, kw_only=True)
class Integers:
    """A weight of B that is stored as integers, and the one of A that they stand for. `codes` are without
    their zero point, `scale` and `implied` have the axes of `codes`: the scale in the file, and the one
    with which the integers come nearest to A's numbers, channel by channel.
    """

    name: str
    node: NodeProto
    codes: np.ndarray
    scale: np.ndarray
    implied: np.ndarray
    a: str
    numbers: np.ndarray

    @property
    def apart(self) -> np.ndarray:
        """How far the integers are from A's numbers, in steps."""
        with np.errstate(all="ignore"):
            return np.abs(self.codes * self.scale - self.numbers) / np.abs(self.scale)

    @property
    def fits(self) -> bool:
        """Rounding leaves a quarter of a step in the median, and learned rounding half of one."""
        return bool(np.median(self.apart) <= 1)


def integers(region: Region) -> Iterator[Integers]:
    """Return the weights of a part that are stored as integers, each beside each weight of A of its size."""
    for name, node in region.nodes_b.items():
        if node.op_type != "DequantizeLinear" or node.input[0] not in region.b.stored:
            continue
        stored = array(region.b.stored[node.input[0]])
        scale_tensor = region.b.stored.get(node.input[1])
        if scale_tensor is None or stored.dtype.kind not in "iu" or stored.dtype.itemsize > 1:
            continue
        axis = next((each.i for each in node.attribute if each.name == "axis"), 1) % stored.ndim
        zero_tensor = region.b.stored.get(node.input[2]) if len(node.input) > 2 else None
        zero = np.zeros(()) if zero_tensor is None else array(zero_tensor)
        scale = array(scale_tensor)
        if {scale.size, zero.size} - {1, stored.shape[axis]}:
            continue  # blocks
        by = [-1 if at == axis else 1 for at in range(stored.ndim)]
        codes = stored.astype(np.float64) - zero.astype(np.float64).reshape(by)
        others = tuple(at for at in range(stored.ndim) if at != axis)
        for other, value in _weights_of_a(region):
            if value.shape != stored.shape:
                continue
            numbers = value.astype(np.float64)
            with np.errstate(all="ignore"):
                implied = (codes * numbers).sum(others, keepdims=True) / (codes**2).sum(
                    others, keepdims=True
                )
            yield Integers(
                name=name,
                node=node,
                codes=codes,
                scale=scale.astype(np.float64).reshape(by),
                implied=implied,
                a=other,
                numbers=numbers,
            )


def _weight(region: Region, name: str) -> Iterator[Repair]:
    for each in integers(region):
        if each.name != name:
            continue
        if (order := _order_of_scales(each)) is not None:
            scale = array(region.b.stored[each.node.input[1]])
            yield Repair(
                kind="range",
                node=name,
                text=f"the scales {quoted(each.node.input[1])} are in another order than the channels of "
                f"{quoted(each.node.input[0])}, which stand for A's {quoted(each.a)}",
                edit=partial(_rescale_weight, name=name, scale=scale[order]),
                done="with each scale at its channel",
            )
        if (axis := _axis_that_fits(region, each)) is not None:
            yield Repair(
                kind="attribute",
                node=name,
                text=f"`axis` of DequantizeLinear counts the channels of {quoted(each.node.input[0])} along the wrong axis, "
                f"as A's {quoted(each.a)} shows",
                edit=partial(_with_axis, name=name, axis=axis),
                done=f"with the axis {axis}",
            )
        yield _requantized(region, name, each)


def _order_of_scales(weight: Integers) -> np.ndarray | None:
    """The order in which the scales fit their channels; None where they do already, or in no order."""
    has = weight.scale.reshape(-1)
    wants = weight.implied.reshape(-1)
    if has.size < 2 or not np.isfinite(wants).all():
        return None
    order = np.empty(has.size, np.int64)
    order[np.argsort(wants)] = np.argsort(has)
    apart = np.abs(has[order] - wants) / np.abs(wants)
    return order if apart.max() < SAME_SCALE and not weight.fits else None


def _axis_that_fits(region: Region, weight: Integers) -> int | None:
    """The axis along which the scales and zero points bring the integers to A's numbers, where the
    declared one does not.
    """
    if weight.fits or weight.scale.size < 2:
        return None
    scale = weight.scale.reshape(-1)
    zero = region.constant_b(weight.node.input[2]) if len(weight.node.input) > 2 else None
    stored = array(region.b.stored[weight.node.input[0]]).astype(np.float64)
    has = next(at for at, size in enumerate(weight.scale.shape) if size > 1)
    for axis, size in enumerate(stored.shape):
        if axis == has or size != scale.size:
            continue
        by = [-1 if at == axis else 1 for at in range(stored.ndim)]
        codes = stored - (0 if zero is None else zero.astype(np.float64).reshape(by))
        if replace(weight, codes=codes, scale=scale.reshape(by)).fits:
            return axis
    return None


def _with_axis(model: ModelProto, name: str, axis: int) -> None:
    node = find(model, name)
    if node is not None:
        set_attribute(node, "axis", helper.make_attribute("axis", axis))


def _rescale_weight(model: ModelProto, name: str, scale: np.ndarray) -> None:
    mine = find(model, name)
    if mine is not None:
        model.graph.initializer.append(
            numpy_helper.from_array(np.ascontiguousarray(scale), f"{name}/scale")
        )
        mine.input[1] = f"{name}/scale"


def _requantized(region: Region, name: str, weight: Integers) -> Repair:
    node = weight.node
    stored = array(region.b.stored[node.input[0]])
    scale = array(region.b.stored[node.input[1]])
    numbers = weight.numbers
    zero_tensor = region.b.stored.get(node.input[2]) if len(node.input) > 2 else None
    zero = array(zero_tensor) if zero_tensor is not None else np.zeros((), stored.dtype)
    limits = np.iinfo(stored.dtype)
    middle = 128 if stored.dtype.kind == "u" else 0
    others = tuple(at for at, size in enumerate(weight.scale.shape) if size == 1)
    size = np.abs(numbers)
    step = (size.max(axis=others, keepdims=True) if scale.size > 1 else size.max()) / 127
    with np.errstate(all="ignore"):
        new = np.rint(np.where(step > 0, numbers / step, 0)) + middle
    new = np.clip(new, limits.min, limits.max).astype(stored.dtype)
    apart = float(np.abs(weight.codes * weight.scale - numbers).max() / max(size.max(), 1e-30))

    def edit(model: ModelProto) -> None:
        put(model, node.input[0], new)
        own = [f"{name}/scale", f"{name}/zero"]
        steps = np.asarray(step, np.float32).reshape(scale.shape)
        zeros = np.full(zero.shape, middle, stored.dtype)
        model.graph.initializer.extend(
            [numpy_helper.from_array(steps, own[0]), numpy_helper.from_array(zeros, own[1])]
        )
        mine = find(model, name)
        if mine is not None:
            mine.input[:] = [mine.input[0], *own]

    return Repair(
        kind="range" if apart < 1 else "weight",
        node=name,
        text=f"the integers of `{node.input[0]}` stand for numbers that are off by {apart:.0%} of the largest of A's `{weight.a}`",
        edit=edit,
        done="quantized again from A's numbers",
    )


def _weights_of_a(region: Region) -> Iterator[tuple[str, np.ndarray]]:
    for node in region.nodes_a.values():
        for name in reads(node):
            if name in region.a.stored:
                value = array(region.a.stored[name])
                if value.dtype.kind == "f" and value.size > 1:
                    yield name, value
