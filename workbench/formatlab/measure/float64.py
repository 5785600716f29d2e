"""The same model in float64: the yardstick that `measure.yardstick` needs.

A float64 run is one only if nothing in it is float32. Three things make it float32 in secret, and
each is met here:

1. A PyTorch module casts in its own code (`x.float()`, `torch.zeros(…)`; LLaMA's normalizations do).
   `of_torch` makes every such cast one to float64.
2. ONNX Runtime has no float64 kernel for some operators (`Conv` and `Erf` among them) and refuses
   the whole model. Then it runs the nodes that it has kernels for, one by one. An operator that
   ONNX defines by other operators (`Gelu`, `RotaryEmbedding`) is run as those, and ONNX's reference
   evaluator runs what is left.
3. The reference evaluator computes `Erf` in float32 whatever its input, and nobody hears of it. Here
   SciPy's takes its place, and every other node is watched: if its results are all float32 numbers
   although its inputs are not, the run is refused.

What neither can run is told (`NoFloat64`), with the operators.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, TypeProto, helper, numpy_helper
from onnx.inliner import inline_local_functions, inline_selected_functions
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnx.reference.ops import load_op
from scipy import special

from formatlab import graphs, loading, numerics
from formatlab._runtime import ort
from formatlab.measure import randomness
from formatlab.numerics import Feeds, Outputs

if TYPE_CHECKING:
    import torch

__all__ = ["DrawsRandomNumbers", "Float64", "NoFloat64", "of_onnx", "of_torch", "widened"]

RUNTIME = "ONNX Runtime"
REFERENCE = "ONNX's reference evaluator"
ROUNDED = {
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    *(kind for name, kind in TensorProto.DataType.items() if name.startswith(("FLOAT8", "FLOAT4"))),
}
QUANTIZED = {
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "MatMulInteger",
    "ConvInteger",
    "QLinearMatMul",
    "QLinearConv",
}
NARROWER = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
# These hand on numbers that they got, so they show nothing about the precision they compute in.
FEWEST = 4


class NoFloat64(RuntimeError):
    """There is no float64 run of this model. The text says why; `operators` are those to blame."""

    def __init__(self, why: str, operators: Iterable[str] = ()):
        super().__init__(why)
        self.operators = tuple(sorted(set(operators)))


class DrawsRandomNumbers(NoFloat64):
    """Two runs of the model on the same inputs differ, so that nothing can be held against it."""


@dataclass(frozen=True, kw_only=True)
class Float64:
    """`runs`: for each of the feeds the outputs, in the order of the graph's outputs. `lacking`: the
    operators for which ONNX Runtime has no float64 kernel, so that the reference evaluator ran them.
    """

    runs: list[Outputs]
    lacking: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.lacking:
            return f"float64 by {RUNTIME}"
        return f"float64 by {RUNTIME}, and by {REFERENCE} for {', '.join(self.lacking)}"


def of_torch(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Outputs:
    """The tensors that a copy of the module returns, computed in float64 from the same weights and
    inputs. The module is called in the mode that it is in, and is not changed.

    Raises NoFloat64 where it computes in a lower precision than float32 on purpose.
    """
    import torch
    from torch.utils._pytree import tree_leaves, tree_map

    def wide(value: Any) -> Any:
        is_float = isinstance(value, torch.Tensor) and value.dtype in (
            torch.float32,
            torch.complex64,
        )
        return value.detach().to(_widths()[value.dtype]) if is_float else value

    twin = copy.deepcopy(module).to(torch.float64)
    with torch.no_grad(), _only_float64():
        found = twin(*tree_map(wide, args), **tree_map(wide, kwargs))
    return [leaf.detach().numpy() for leaf in tree_leaves(found) if isinstance(leaf, torch.Tensor)]


def _widths() -> dict[Any, Any]:
    import torch

    return {torch.float32: torch.float64, torch.complex64: torch.complex128}


@contextmanager
def _only_float64() -> Iterator[None]:
    """Every tensor that is made in float32 is made in float64."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves, tree_map

    widths = _widths()

    def widen(value: Any) -> Any:
        if isinstance(value, torch.dtype):
            return widths.get(value, value)
        if isinstance(value, torch.Tensor) and value.dtype in widths:
            return value.to(widths[value.dtype])
        return value

    class Widen(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            found = operator(*tree_map(widen, args), **tree_map(widen, kwargs or {}))
            for leaf in tree_leaves(found):
                if isinstance(leaf, torch.Tensor) and leaf.dtype in (torch.float16, torch.bfloat16):
                    raise NoFloat64(
                        f"the module computes in {leaf.dtype} on purpose: judge it by its SQNR and a task",
                        [str(operator)],
                    )
            return tree_map(widen, found)

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with Widen():
            yield
    finally:
        torch.set_default_dtype(before)


def of_onnx(model: ModelProto, feeds: Sequence[Feeds]) -> Float64:
    """The model's outputs in float64, for each of the feeds. `model` is not changed, and external
    data have to be loaded.

    Raises NoFloat64, and what ONNX Runtime raises for inputs that do not fit.
    """
    if drawing := randomness.drawing(model, feeds):
        raise DrawsRandomNumbers(
            f"two runs of it on the same inputs differ: it draws random numbers ({randomness.named(drawing)})",
            [node.op_type for node in drawing],
        )
    wide = widened(model)
    inputs = [{name: _wide(value) for name, value in each.items()} for each in feeds]
    try:
        return Float64(
            runs=[outputs for [outputs] in numerics.run(wide.SerializeToString(), inputs)]
        )
    except Exception as problem:  # ONNX Runtime's exceptions have no common type
        if not any(word in str(problem) for word in ("NOT_IMPLEMENTED", "tensor(double)")):
            raise
    return _node_by_node(wide, inputs)


def _wide(value: np.ndarray) -> np.ndarray:
    return value.astype({"f": np.float64, "c": np.complex128}.get(value.dtype.kind, value.dtype))


def widened(model: ModelProto) -> ModelProto:
    """A copy in which every float32 is a float64: weights, constants, types, and the targets of
    casts. Raises NoFloat64 for a model that rounds on purpose, or that draws random numbers.
    """
    wide = ModelProto.FromString(model.SerializeToString())
    if wide.functions:
        write_defaults(wide)
        wide = inline_local_functions(wide)
    _refuse(wide)
    for graph, _ in graphs.walk(wide.graph):
        for node in graph.node:
            _widen_node(node)
        _narrow_where_asked(wide, graph)
    _widen_types(wide.graph)
    return wide


def write_defaults(model: ModelProto) -> None:
    """Into every call of a function what it leaves out: onnx's inliner drops such attributes."""
    defaults = {
        (graphs.domain(each.domain), each.name, each.overload): each.attribute_proto
        for each in model.functions
    }
    for node in graphs.nodes(model):
        given = {attribute.name for attribute in node.attribute}
        called = (graphs.domain(node.domain), node.op_type, node.overload)
        left_out = [each for each in defaults.get(called, ()) if each.name not in given]
        node.attribute.extend(left_out)


def _write_own_defaults(model: ModelProto) -> None:
    """The same for operators that ONNX defines by others."""
    versions = {graphs.domain(entry.domain): entry.version for entry in model.opset_import}
    for node in model.graph.node:
        domain = graphs.domain(node.domain)
        schema = onnx.defs.get_schema(node.op_type, versions.get(domain, 1), domain)
        given = {attribute.name for attribute in node.attribute}
        node.attribute.extend(
            each.default_value
            for name, each in schema.attributes.items()
            if name not in given and each.default_value.type
        )


def _refuse(model: ModelProto) -> None:
    operators = {node.op_type for node in graphs.nodes(model)}
    if found := operators & QUANTIZED:
        raise NoFloat64(
            f"{', '.join(sorted(found))} round on purpose: judge the file by its SQNR and a task",
            found,
        )
    if found := operators & randomness.RANDOM:
        raise DrawsRandomNumbers(
            f"{', '.join(sorted(found))} draw random numbers, so that two runs differ anyway", found
        )
    if any(tensor.data_type in ROUNDED for tensor in graphs.tensors(model)):
        raise NoFloat64(
            "its weights are rounded to fewer bits than float32 has: judge it by its SQNR and a task"
        )


def _widen_node(node: NodeProto) -> None:
    for attribute in node.attribute:
        if node.op_type == "Cast" and attribute.name == "to":
            if attribute.i in ROUNDED:
                raise NoFloat64(
                    "a Cast rounds to fewer bits than float32 has: judge it by its SQNR and a task",
                    ["Cast"],
                )
            attribute.i = _kind(attribute.i)
        elif attribute.name == "dtype" and attribute.type == AttributeProto.INT:
            attribute.i = _kind(attribute.i)
        elif node.op_type == "Constant" and attribute.name in ("value_float", "value_floats"):
            value = helper.get_attribute_value(attribute)
            tensor = numpy_helper.from_array(np.array(value, np.float64))
            attribute.CopyFrom(helper.make_attribute("value", tensor))
    if node.op_type == "ConstantOfShape" and not node.attribute:
        zero = numpy_helper.from_array(np.zeros(1, np.float64))
        node.attribute.append(helper.make_attribute("value", zero))


def _kind(element: int) -> int:
    wider: dict[int, int] = {
        TensorProto.FLOAT: TensorProto.DOUBLE,
        TensorProto.COMPLEX64: TensorProto.COMPLEX128,
    }
    return wider.get(element, element)


def _widen_types(message: Message) -> None:
    """In every type and tensor of the graph, subgraphs included."""
    if isinstance(message, TensorProto):
        if _kind(message.data_type) != message.data_type:
            message.CopyFrom(
                numpy_helper.from_array(_wide(numpy_helper.to_array(message)), message.name)
            )
        return
    if isinstance(message, (TypeProto.Tensor, TypeProto.SparseTensor)):
        message.elem_type = _kind(message.elem_type)
        return
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in value if field.is_repeated else [value]:
                _widen_types(each)


# Inputs that the operator wants in float32 and that say how to compute, not on what.
SETTINGS = {("Resize", 2), ("Upsample", 1)}


def _narrow_where_asked(model: ModelProto, graph: onnx.GraphProto) -> None:
    """Casts in front of inputs that are float32 by the operator's definition. Raises NoFloat64 where
    that would round what is computed.
    """
    versions = {graphs.domain(entry.domain): entry.version for entry in model.opset_import}
    known = {tensor.name for tensor in graph.initializer}
    rewritten: list[NodeProto] = []
    for node in graph.node:
        for place in _only_float32(node, versions):
            name = node.input[place]
            if (node.op_type, place) not in SETTINGS and name not in known:
                raise NoFloat64(
                    f"{node.op_type} takes float32 alone, by its definition", [node.op_type]
                )
            narrow = f"{name}/float32 for {node.output[0]}/{place}"
            rewritten.append(helper.make_node("Cast", [name], [narrow], to=TensorProto.FLOAT))
            node.input[place] = narrow
        rewritten.append(node)
        if node.op_type == "Constant":
            known.update(node.output)
    copies = [NodeProto.FromString(node.SerializeToString()) for node in rewritten]
    del graph.node[:]
    graph.node.extend(copies)


def _only_float32(node: NodeProto, versions: Mapping[str, int]) -> list[int]:
    domain = graphs.domain(node.domain)
    try:
        schema = onnx.defs.get_schema(node.op_type, versions.get(domain, 1), domain)
    except onnx.defs.SchemaError:
        return []
    # Its stub lacks these two.
    if schema.has_function or schema.has_context_dependent_function:  # type: ignore[attr-defined]
        return []  # what it is defined by takes float64
    formal = [schema.inputs[min(place, len(schema.inputs) - 1)] for place in range(len(node.input))]
    return [
        place
        for place, (name, value) in enumerate(zip(node.input, formal, strict=True))
        if name and "tensor(float)" in value.types and "tensor(double)" not in value.types
    ]


def _node_by_node(model: ModelProto, feeds: Sequence[Feeds]) -> Float64:
    """Each node by ONNX Runtime where it has a float64 kernel, else by the operators that define it,
    else by the reference evaluator.
    """
    lacking: set[str] = set()
    try:
        evaluator = _evaluator(model, lacking)
        with np.errstate(all="ignore"):
            runs = [list(evaluator.run(None, each)) for each in feeds]
    except NoFloat64:
        raise
    except Exception as problem:  # it raises whatever its operators do
        why = (str(problem).strip().splitlines() or [type(problem).__name__])[0]
        raise NoFloat64(
            f"{RUNTIME} has no float64 kernel for {', '.join(sorted(lacking)) or 'an operator'}, and "
            f"{REFERENCE} does not run the model: {why}",
            lacking,
        ) from problem
    return Float64(runs=runs, lacking=tuple(sorted(lacking)))


def _evaluator(model: ModelProto, lacking: set[str]) -> ReferenceEvaluator:
    """The reference evaluator for this model, each node of which is run as `_compute_in_float64`
    says.
    """
    versions = {graphs.domain(entry.domain): entry.version for entry in model.opset_import}
    used = {(node.domain, node.op_type) for node in graphs.nodes(model)}
    foreign = {
        (domain, operator)
        for domain, operator in used
        if graphs.domain(domain) not in ("", "ai.onnx.ml")
        or not _by_class(domain, operator, versions.get(graphs.domain(domain), 1))
    }
    evaluator = ReferenceEvaluator(
        model, new_ops=[LRN, *(_unknown(*key) for key in sorted(foreign))]
    )
    for node in _evaluated(evaluator):
        _compute_in_float64(node, lacking)
    return evaluator


class LRN(OpRun):
    """The reference evaluator's own goes through as many channels as there are pictures."""

    op_domain = ""

    def _run(
        self,
        x: np.ndarray,
        alpha: float = 1e-4,
        beta: float = 0.75,
        bias: float = 1.0,
        size: int = 1,
    ) -> tuple[np.ndarray]:
        before = (size - 1) // 2
        padded = np.pad(x**2, [(0, 0), (before, size - 1 - before)] + [(0, 0)] * (x.ndim - 2))
        sums = np.lib.stride_tricks.sliding_window_view(padded, size, axis=1).sum(axis=-1)
        return (x / (bias + alpha / size * sums) ** beta,)


def _by_class(domain: str, operator: str, version: int) -> bool:
    """Does the reference evaluator compute this operator itself? Others it would look up in their
    schemas whenever they run, where nothing can watch what computes them.
    """
    if domain:
        return True
    try:
        return isinstance(
            load_op(domain, operator, version, evaluator_cls=ReferenceEvaluator), type
        )
    except Exception:  # it has several types for what it does not know  # noqa: BLE001
        return False


def _unknown(domain: str, operator: str) -> type[OpRun]:
    """An operator that the reference evaluator does not compute: a kernel can run it, or those of
    the operators that define it.
    """

    def _run(_self: OpRun, *_inputs: Any, **_attributes: Any) -> tuple[Any, ...]:
        name = f"{domain}.{operator}" if domain else operator
        raise NoFloat64(
            f"{RUNTIME} has no float64 kernel for {name}, and {REFERENCE} does not know it",
            [operator],
        )

    return type(operator, (OpRun,), {"op_domain": domain, "_run": _run})


def _evaluated(evaluator: ReferenceEvaluator) -> Iterator[OpRun]:
    """Its nodes, those inside of functions and subgraphs included."""
    for node in evaluator.rt_nodes_:
        yield node
        for value in vars(node).values():
            if isinstance(value, ReferenceEvaluator):
                yield from _evaluated(value)


Kinds = tuple[tuple[np.dtype, int] | None, ...]


def _compute_in_float64(node: OpRun, lacking: set[str]) -> None:
    """Let ONNX Runtime run this node, or the operators that define it, and watch it where the
    reference evaluator has to. Adds the operator to `lacking` then.
    """
    by_reference = node.run
    operator = node.onnx_node.op_type
    ways: dict[Kinds, Callable[..., tuple[Any, ...]] | None] = {}
    if operator == "Erf":
        node._erf = special.erf  # type: ignore[attr-defined]

    def run(*inputs: Any, **attributes: Any) -> tuple[Any, ...]:
        if operator == "Loop":
            inputs = _with_condition(*inputs)
        if not attributes and all(each is None or isinstance(each, np.ndarray) for each in inputs):
            kinds = tuple(None if each is None else (each.dtype, each.ndim) for each in inputs)
            if kinds not in ways:
                ways[kinds] = _by_kernel(node, kinds) or _by_definition(node, kinds, lacking)
            if (way := ways[kinds]) is not None:
                return way(*inputs)
        found = by_reference(*inputs, **attributes)
        if any(_narrowed(value, inputs) for value in found):
            raise NoFloat64(f"{REFERENCE} computes {operator} in float32", [operator])
        if not any(isinstance(value, ReferenceEvaluator) for value in vars(node).values()):
            lacking.add(operator)
        return found

    node.run = run  # type: ignore[method-assign]


def _with_condition(trips: Any, condition: Any = None, *carried: Any) -> tuple[Any, ...]:
    """A Loop whose condition is left out goes on, and the reference evaluator would end it at once."""
    return trips, np.array(True) if condition is None else condition, *carried


def _by_kernel(node: OpRun, kinds: Kinds) -> Callable[..., tuple[Any, ...]] | None:
    """One node in a session of its own; None where ONNX Runtime does not run it."""
    alone = _alone(node, kinds)
    if alone is None:
        return None
    try:
        session = loading.session(alone.SerializeToString(), "ORT_DISABLE_ALL")
    except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return None
    return partial(_by_session, node.onnx_node, session)


def _by_definition(
    node: OpRun, kinds: Kinds, lacking: set[str]
) -> Callable[..., tuple[Any, ...]] | None:
    """The operators by which ONNX defines this one, for inputs of these types; None where it has no
    such definition. It is written out in float32, which every definition is for, and widened.
    """
    alone = _alone(node, kinds, narrow=True)
    if alone is None:
        return None
    proto = node.onnx_node
    key = (proto.domain, proto.op_type)
    try:
        _write_own_defaults(alone)
        written = inline_selected_functions(alone, [key], inline_schema_functions=True)
        if any((each.domain, each.op_type) == key for each in written.graph.node):
            return None
        evaluator = _evaluator(widened(written), lacking)
    except Exception:  # the inliner's assertions have no type of their own  # noqa: BLE001
        return None
    names = [name for name in proto.input if name]

    def run(*inputs: Any) -> tuple[Any, ...]:
        given = dict(zip(names, (each for each in inputs if each is not None), strict=True))
        found = iter(evaluator.run(None, given))
        return tuple(next(found) if name else None for name in proto.output)

    return run


def _alone(node: OpRun, kinds: Kinds, *, narrow: bool = False) -> ModelProto | None:
    """A model of one node, whose inputs have these types and ranks; with `narrow` in float32 what
    is float64. None for a node that takes more from where it stands than its inputs.
    """
    proto = node.onnx_node
    if graphs.subgraphs(proto) or node.has_linked_attribute:
        return None
    inputs = {
        name: helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(
                np.dtype(NARROWER.get(kind[0], kind[0]) if narrow else kind[0])
            ),
            [None] * kind[1],
        )
        for name, kind in zip(proto.input, kinds, strict=True)
        if name and kind is not None
    }
    outputs = [onnx.ValueInfoProto(name=name) for name in proto.output if name]
    return helper.make_model(
        helper.make_graph([proto], "one", list(inputs.values()), outputs),
        opset_imports=[helper.make_opsetid(*entry) for entry in node.run_params["opsets"].items()],
        ir_version=min(onnx.IR_VERSION, loading.MAX_IR_VERSION),
    )


def _by_session(proto: NodeProto, session: ort.InferenceSession, *inputs: Any) -> tuple[Any, ...]:
    feeds = {
        name: value for name, value in zip(proto.input, inputs, strict=True) if value is not None
    }
    found = iter(session.run(None, feeds))
    return tuple(next(found) if name else None for name in proto.output)


def _narrowed(value: Any, inputs: Sequence[Any]) -> bool:
    """Are all these numbers float32, although they were computed from numbers that are not?"""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        return False
    given = [each for each in inputs if isinstance(each, np.ndarray) and each.dtype == np.float64]
    if all(_is_float32(each) for each in given) or not _is_float32(value):
        return False
    numbers = value[np.isfinite(value) & (value != np.rint(value))]
    handed_on = np.isin(numbers, np.concatenate([each.reshape(-1) for each in given]))
    return np.unique(numbers[~handed_on]).size >= FEWEST


def _is_float32(values: np.ndarray) -> bool:
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32).astype(np.float64)
    return bool(np.array_equal(narrow, values, equal_nan=True))
