"""Wrong functions that pass the public cases of a lab, for the reader to break.

Each is the reader's own function with one mistake, which shows on few inputs. The reader writes an
input, and sees what both functions make of it. Nothing is graded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto

Quantize = Callable[[np.ndarray, bool], tuple]
Remove = Callable[[ModelProto], ModelProto]
OLDEST, NEWEST = 7, 20


class Illegal(ValueError):
    """The function need not be right on this input. The text says why."""


def break_quantize(own: Quantize, **inputs: tuple[Any, bool]) -> None:
    """Print what the reader's function and each wrong one give for (tensor, symmetric)."""
    _show(own, QUANTIZE, inputs, _tensor, _codes)


def break_dropout(own: Remove, **inputs: ModelProto) -> None:
    """Print what the reader's function and each wrong one give for a model."""
    _show(own, DROPOUT, inputs, _model, _nodes)


def _show(
    own: Callable,
    wrong: Mapping[str, Callable],
    inputs: Mapping[str, Any],
    legal: Callable[[Any], tuple],
    told: Callable[[Any], str],
) -> None:
    for name, make in wrong.items():
        given = inputs.get(name, ...)
        if given is ...:
            print(f"{name}: no input yet")
            continue
        try:
            arguments = legal(given)
        except Illegal as error:
            print(f"{name}: this input is not allowed, because {error}")
            continue
        right = _told(own, arguments, told)
        found = _told(make(own), arguments, told)
        print(f"{name}: {'the same, so look further' if right == found else 'broken'}")
        print(f"    yours:      {right}")
        print(f"    {name + ':':<11} {found}")


def _told(function: Callable, arguments: tuple, told: Callable[[Any], str]) -> str:
    try:
        return told(function(*arguments))
    except Exception as error:  # the reader's own function, or a model that it damaged
        return f"{type(error).__name__}: {error}".splitlines()[0]


def _tensor(given: tuple[Any, bool]) -> tuple[np.ndarray, bool]:
    """Raises Illegal."""
    if not isinstance(given, tuple) or len(given) != 2:
        raise Illegal("it has to be a pair: a tensor, and True or False for symmetric")
    x = np.array(given[0], np.float32)
    if np.isnan(x).any():
        raise Illegal("a tensor holds no NaN")
    if not np.isfinite(x).any():
        raise Illegal("at least one of its numbers has to be finite")
    return x, bool(given[1])


def _codes(result: tuple) -> str:
    codes, scale, zero = result
    return f"codes {codes.tolist()}, scale {float(scale):g}, zero point {int(zero)}"


def _parameters(x: np.ndarray, low: float, high: float) -> tuple:
    """Asymmetric codes for a range that need not hold 0."""
    scale = np.float32((high - low) / 255 or 1)
    zero = int(np.clip(np.rint(-low / scale), 0, 255))
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), scale, zero


def _first_range(own: Quantize) -> Quantize:
    def quantize(x: np.ndarray, symmetric: bool) -> tuple:
        finite = x[np.isfinite(x)]
        if symmetric or finite.max() >= 0:
            return own(x, symmetric)
        return _parameters(x, float(finite.min()), float(finite.max()))

    return quantize


def _tiny(own: Quantize) -> Quantize:
    def quantize(x: np.ndarray, symmetric: bool) -> tuple:
        codes, scale, zero = own(x, symmetric)
        if not np.isclose(scale, 0):
            return codes, scale, zero
        ends = (-127, 127) if symmetric else (0, 255)
        return np.clip(np.rint(x) + zero, *ends).astype(codes.dtype), np.float32(1), zero

    return quantize


def _zeros(own: Quantize) -> Quantize:
    def quantize(x: np.ndarray, symmetric: bool) -> tuple:
        codes, scale, zero = own(x, symmetric)
        is_empty = symmetric and not x[np.isfinite(x)].any()
        return codes, np.float32(0) if is_empty else scale, zero

    return quantize


QUANTIZE: Mapping[str, Callable[[Quantize], Quantize]] = {
    "first": _first_range,
    "second": _tiny,
    "third": _zeros,
}


def _model(model: ModelProto) -> tuple[ModelProto]:
    """Raises Illegal."""
    if not isinstance(model, ModelProto):
        raise Illegal("it has to be an onnx.ModelProto, as make_model returns it")
    version = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 0)
    if not OLDEST <= version <= NEWEST:
        raise Illegal(f"its opset is {version}, and the task is about {OLDEST} to {NEWEST}")
    _check(model)
    return (model,)


def _check(model: ModelProto) -> None:
    """Raises Illegal."""
    try:
        onnx.checker.check_model(model, full_check=True)
        ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:  # the checker and ONNX Runtime have many of their own
        raise Illegal(f"it is not valid: {str(error).splitlines()[0]}") from None


def _nodes(model: ModelProto) -> str:
    try:
        _check(model)
    except Illegal as error:
        return f"a model, and {error}"
    return _graph(model.graph)


def _graph(graph: GraphProto) -> str:
    nodes = "; ".join(
        f"{node.op_type}({', '.join(node.input)})"
        f"{''.join(f' {{{_graph(each)}}}' for each in _inner(node))} → {', '.join(node.output)}"
        for node in graph.node
    )
    return nodes or "no node"


def _inner(node: NodeProto) -> list[GraphProto]:
    return [one.g for one in node.attribute if one.type == AttributeProto.GRAPH]


def _no_producer(own: Remove) -> Remove:
    def remove_dropout(model: ModelProto) -> ModelProto:
        inputs = {value.name for value in model.graph.input}
        outputs = {value.name for value in model.graph.output}
        for node in _dropouts(model.graph):
            if node.input[0] in inputs and node.output[0] in outputs:
                raise IndexError("list index out of range")
        return own(model)

    return remove_dropout


def _dropouts(graph: GraphProto) -> list[NodeProto]:
    return [node for node in graph.node if node.op_type == "Dropout" and not node.domain]


def _branches_alone(own: Remove) -> Remove:
    def remove_dropout(model: ModelProto) -> ModelProto:
        clean = own(model)
        loops = {tuple(node.output): node for node in model.graph.node if node.op_type == "Loop"}
        for node in clean.graph.node:
            if node.op_type == "Loop" and tuple(node.output) in loops:
                node.CopyFrom(loops[tuple(node.output)])
        return clean

    return remove_dropout


def _renamed(own: Remove) -> Remove:
    def remove_dropout(model: ModelProto) -> ModelProto:
        clean = own(model)
        outputs = {value.name for value in model.graph.output}
        for node in _dropouts(model.graph):
            source, target = node.input[0], node.output[0]
            if {source, target} <= outputs:
                _take_name(clean.graph, source, target)
        return clean

    return remove_dropout


def _take_name(graph: GraphProto, source: str, target: str) -> None:
    """Let the node that writes `source` write `target` in its place."""
    producers = [node for node in graph.node if source in node.output]
    if not producers:
        return
    kept = [node for node in graph.node if list(node.output) != [target]]
    for node in kept:
        for names in (node.input, node.output):
            names[:] = [target if name == source else name for name in names]
    copies = [NodeProto.FromString(node.SerializeToString()) for node in kept]
    del graph.node[:]
    graph.node.extend(copies)


DROPOUT: Mapping[str, Callable[[Remove], Remove]] = {
    "first": _no_producer,
    "second": _branches_alone,
    "third": _renamed,
}
