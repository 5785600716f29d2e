"""What a checker finds in an artefact: its hash and size, and for a model what its passport's entry
has to say.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load

from formatlab import graphs, loading, numerics, quantized
from formatlab.numerics import Feeds

# What a passport writes for an artefact that is as good as float32 gets. More depends on the order
# of a sum.
BEST = 100.0
FLOAT32 = {TensorProto.FLOAT}
FLOAT16 = {TensorProto.FLOAT16}
INT8 = {TensorProto.INT8, TensorProto.UINT8}
STORED = {"fp32.onnx": FLOAT32, "fp16.onnx": FLOAT16, "int8.onnx": INT8}
LOOPS = frozenset({"If", "Loop", "Scan"})


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def describe(data: bytes) -> dict:
    """A model's entry in a passport, without its name and SQNR."""
    model = loading.parse(data)
    return {
        "sha256": hash_of(data),
        "bytes": len(data),
        "producer": {"name": model.producer_name, "version": model.producer_version},
        "ir_version": model.ir_version,
        "opset_imports": {
            graphs.domain(entry.domain): entry.version for entry in model.opset_import
        },
        "inputs": signature(stored_inputs(model)),
        "outputs": signature(model.graph.output),
        "elements": dict(
            _elements((tensor.data_type, tensor.dims) for tensor in model.graph.initializer)
        ),
    }


def describe_weights(data: bytes) -> dict:
    """The entry of a safetensors file, without its name."""
    elements: Counter[str] = Counter()
    for array in load(data).values():
        elements[array.dtype.name] += array.size
    return {"sha256": hash_of(data), "bytes": len(data), "elements": dict(elements)}


def stored_inputs(model: ModelProto) -> list[ValueInfoProto]:
    """The graph inputs that have to be fed: not those that initializers stand for."""
    stored = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in stored]


def signature(values: Iterable[ValueInfoProto]) -> list[dict]:
    """Name, dtype and shape of each value; a dimension is its name, its size, or "?"."""
    return [
        {
            "name": value.name,
            "dtype": _name(value.type.tensor_type.elem_type),
            "shape": [_size(dim) for dim in value.type.tensor_type.shape.dim],
        }
        for value in values
    ]


def share(data: bytes, wanted: Set[int], numbers: int | None = None) -> float:
    """The share of the model's constants, in initializers and attributes, that is stored in one of
    the types.

    Where the `numbers` of the module are told, those in other types are held against them: to add
    constants of the right type beside them, which may count for nothing, does not help.
    """
    total = graphs.constant_elements(loading.parse(data))
    others, most = total - elements(data, wanted), min(total, numbers or total)
    return max(0.0, 1 - others / max(most, 1))


def elements(data: bytes, wanted: Set[int]) -> int:
    """How many of the model's constants are stored in one of the types."""
    tensors = graphs.tensors(loading.parse(data))
    return sum(math.prod(tensor.dims) for tensor in tensors if tensor.data_type in wanted)


def tensor_counts(data: bytes) -> dict[str, int]:
    """How many initializers there are of each dtype."""
    return dict(
        Counter(_name(tensor.data_type) for tensor in loading.parse(data).graph.initializer)
    )


def tensor_bytes(data: bytes) -> int:
    """The size of the initializers' numbers alone."""
    model = loading.parse(data)
    return sum(
        math.prod(tensor.dims) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        for tensor in model.graph.initializer
    )


def sqnr(expected: np.ndarray, found: np.ndarray) -> float:
    return min(BEST, quantized.sqnr(expected, found))


@lru_cache(maxsize=64)
def _evaluated(data: bytes, rows: bytes, shape: tuple[int, ...], parts: int) -> np.ndarray:
    array = np.frombuffer(rows, np.float32).reshape(shape)
    [value] = stored_inputs(loading.parse(data))
    split = [array] if parts == 1 else [array[:1], array[1:]]
    return np.concatenate(
        [outputs[0] for outputs in quantized.evaluate(data, [{value.name: part} for part in split])]
    )


def evaluate(data: bytes, rows: np.ndarray, split: bool = False) -> np.ndarray:
    """The model's output for the rows; with `split`, the first row alone and the others after it.
    Raises what running it raises.
    """
    return _evaluated(data, np.ascontiguousarray(rows).tobytes(), rows.shape, 2 if split else 1)


def evaluate_as_declared(data: bytes, rows: np.ndarray) -> np.ndarray:
    """`evaluate`, with rows of the type that the model's input has."""
    [value] = stored_inputs(loading.parse(data))
    kind = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    if kind == rows.dtype:
        return evaluate(data, rows)
    [[output]] = quantized.evaluate(data, [{value.name: rows.astype(kind)}])
    return np.asarray(output)


def evaluations(data: bytes, rows: np.ndarray) -> Iterator[np.ndarray]:
    """The output as each of several right ways to run the file gives it.

    Float16 may be rounded after every node, as the reference evaluator does, or where the runtime
    casts. Native kernels for integers may saturate, on the processor on which an answer was made as
    on this one.
    """
    yield evaluate(data, rows)
    given = np.ascontiguousarray(rows).tobytes(), rows.shape
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"):
        yield _at_level(data, *given, level)
    model = loading.parse(data)
    if share(data, FLOAT16) > 0.5 and not any(
        node.op_type in LOOPS for node in graphs.nodes(model)
    ):
        yield _rounding_each(data, *given)


@lru_cache(maxsize=64)
def _at_level(data: bytes, rows: bytes, shape: tuple[int, ...], level: str) -> np.ndarray:
    return numerics.run(data, [_feeds(data, rows, shape)], level)[0][0][0]


@lru_cache(maxsize=16)
def _rounding_each(data: bytes, rows: bytes, shape: tuple[int, ...]) -> np.ndarray:
    [output, *_] = ReferenceEvaluator(loading.parse(data)).run(None, _feeds(data, rows, shape))
    return np.asarray(output)


def _feeds(data: bytes, rows: bytes, shape: tuple[int, ...]) -> Feeds:
    name = stored_inputs(loading.parse(data))[0].name
    return {name: np.frombuffer(rows, np.float32).reshape(shape)}


def _elements(tensors: Iterable[tuple[int, Iterable[int]]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, dims in tensors:
        found[_name(kind)] += math.prod(dims)
    return found


def _name(kind: int) -> str:
    return (
        helper.tensor_dtype_to_np_dtype(kind).name
        if kind in helper.get_all_tensor_dtypes()
        else "undefined"
    )


def _size(dim) -> str | int:
    return dim.dim_param or (dim.dim_value if dim.HasField("dim_value") else "?")
