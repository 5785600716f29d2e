"""What the checks of `fp16` know about a model: its constants by name, what each node computes in,
and which nodes must stay float32.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto

from formatlab import graphs, loading
from formatlab_exercises.shared.judge.constants import numbers_of, value_of

FLOATS: dict[int, str] = {TensorProto.FLOAT: "float32", TensorProto.FLOAT16: "float16"}
# Its scales have to be float32 and its data need not: both ways of converting it are right.
EITHER = frozenset({"Resize"})


def constants(model: ModelProto) -> dict[str, np.ndarray]:
    """The initializers and Constants of the main graph, by name. Strings are left out."""
    found = {
        tensor.name: numbers
        for tensor in model.graph.initializer
        if (numbers := numbers_of(tensor)) is not None
    }
    for node in model.graph.node:
        if node.op_type == "Constant" and (numbers := value_of(node)) is not None:
            found[node.output[0]] = numbers
    return found


def fits(numbers: np.ndarray) -> bool:
    """Does every finite number stay finite when it is rounded to float16?"""
    return not (np.isinf(rounded(numbers)) & np.isfinite(numbers)).any()


def rounded(numbers: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float16)


def types(model: ModelProto) -> dict[str, int]:
    """The element type of every value of the main graph, as far as ONNX infers it."""
    inferred = onnx.shape_inference.infer_shapes(model).graph
    found = {
        value.name: value.type.tensor_type.elem_type
        for value in [*inferred.value_info, *inferred.input, *inferred.output]
    }
    return found | {tensor.name: tensor.data_type for tensor in inferred.initializer}


def takes_float16(node: NodeProto, opset: int, known: dict[str, int]) -> bool:
    """May every float32 input and output of the node be float16, in that opset?"""
    schema = onnx.defs.get_schema(node.op_type, opset, node.domain)
    allowed = {
        constraint.type_param_str: constraint.allowed_type_strs
        for constraint in schema.type_constraints
    }
    for names, formal in ((node.input, schema.inputs), (node.output, schema.outputs)):
        for place, name in enumerate(names):
            kind = formal[min(place, len(formal) - 1)].type_str
            if known.get(name) == TensorProto.FLOAT and "tensor(float16)" not in allowed.get(
                kind, [kind]
            ):
                return False
    return True


@dataclass(frozen=True, kw_only=True)
class CaseFacts:
    """The model of a case. `half` and `full` are the float32 constants that become float16 and that
    stay; `spare` may do either. `defaults` are those of graph inputs, which stay; `given_out` are
    outputs of the graph, so that what is rounded of them needs another name.

    `computes` counts the nodes by operator and by what they have to compute in.
    """

    model: ModelProto
    constants: dict[str, np.ndarray]
    half: frozenset[str]
    full: frozenset[str]
    spare: frozenset[str]
    defaults: frozenset[str]
    given_out: frozenset[str]
    computes: Counter[tuple[str, str]]
    most_casts: int


@lru_cache(maxsize=64)
def read(data: bytes) -> CaseFacts:
    """The facts of a case's `model.onnx`."""
    model = loading.parse(data)
    known, stored = types(model), constants(model)
    defaults = frozenset(value.name for value in model.graph.input).intersection(stored)
    floats = {name for name, numbers in stored.items() if numbers.dtype == np.float32} - defaults
    full = frozenset(name for name in floats if not fits(stored[name]))
    wide = _wide(model, full, known)
    spare = frozenset(floats - full - _read_narrow(model, wide))
    computes = _precisions(model, known)
    for node in wide:
        computes[node.op_type, "float16"] -= 1
        computes[node.op_type, "float32"] += 1
    half = frozenset(floats - full - spare)
    return CaseFacts(
        model=model,
        constants=stored,
        half=half,
        full=full,
        spare=spare,
        defaults=defaults,
        given_out=frozenset(value.name for value in model.graph.output).intersection(floats),
        computes=+computes,
        most_casts=_most_casts(model, wide),
    )


def _wide(model: ModelProto, full: frozenset[str], known: dict[str, int]) -> list[NodeProto]:
    """The nodes that must stay float32: they read a number that does not fit, or their operator
    does not take float16.
    """
    opset = graphs.opset(model)
    return [
        node
        for node in _working(model)
        if full.intersection(node.input) or not takes_float16(node, opset, known)
    ]


def _read_narrow(model: ModelProto, wide: list[NodeProto]) -> set[str]:
    """The names that a node besides the wide ones reads, or that the graph gives out."""
    narrow = {name for node in _working(model) if node not in wide for name in node.input}
    return narrow | {value.name for value in model.graph.output}


def _most_casts(model: ModelProto, wide: list[NodeProto]) -> int:
    """As many as there are, and one at each border and at each side of a wide node."""
    values = [*model.graph.input, *model.graph.output]
    borders = sum(value.type.tensor_type.elem_type == TensorProto.FLOAT for value in values)
    either = [node for node in model.graph.node if node.op_type in EITHER]
    crossings = sum(len(node.input) + len(node.output) for node in [*wide, *either])
    return borders + crossings + sum(node.op_type == "Cast" for node in model.graph.node)


def precisions(model: ModelProto) -> Counter[tuple[str, str]]:
    """The nodes of a converted model by operator and by what they compute in; those without floats
    by `other`.
    """
    known = types(model)
    return Counter((node.op_type, _precision(node, known)) for node in _working(model))


def _precisions(model: ModelProto, known: dict[str, int]) -> Counter[tuple[str, str]]:
    """What the nodes would compute in, were every float32 one float16."""
    named = ((node.op_type, _precision(node, known)) for node in _working(model))
    return Counter((op, "float16" if kind == "float32" else kind) for op, kind in named)


def _precision(node: NodeProto, known: dict[str, int]) -> str:
    """A node computes in what it writes, if that is a float; else in what it reads first of floats."""
    kinds = [known.get(name) for name in [*node.output, *node.input] if name]
    return next((FLOATS[kind] for kind in kinds if kind in FLOATS), "other")


def _working(model: ModelProto) -> Iterator[NodeProto]:
    """The nodes that are counted: all but Casts, which are judged by their number, and Constants,
    which initializers can replace.
    """
    return (node for node in model.graph.node if node.op_type not in {"Cast", "Constant"} | EITHER)
