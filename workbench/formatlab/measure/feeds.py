"""Inputs for any model: shapes from the file and the user's sizes, values random and never all the
same, integers within their range.
"""

from __future__ import annotations

import math
import shlex
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto

from formatlab import numerics
from formatlab.measure.errors import CannotBench

Range = tuple[int, int]
# The most numbers of an input that are drawn.
MOST = 1 << 28


def make_feeds(
    model: ModelProto,
    batch: int | None = None,
    sizes: Mapping[str, int] | None = None,
    ranges: Mapping[str, Range] | None = None,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """One array for each input of `model` that has no initializer, by name.

    `batch` is the size of a first dimension that is dynamic, 1 by default; `sizes` those of the
    other dynamic dimensions, by name, or as `input:axis` where they have none. Floats are standard
    normal. An integer input has values from `ranges`, {input: (low, high)} with `high` left out; by
    default all rows of the table where it picks rows from one (Gather), otherwise 1, as in a mask.
    Raises CannotBench: a dimension without a size, a size that the file contradicts, a name that
    the file does not know, a type that is no tensor of numbers.
    """
    sizes, ranges, inputs = sizes or {}, ranges or {}, _inputs(model)
    _require_known(inputs, sizes, ranges)
    shapes = {name: _shape(value, batch, sizes) for name, value in inputs.items()}
    rng = np.random.default_rng(seed)
    between = {**_rows_picked(model.graph), **ranges}
    return {
        name: _values(value, shapes[name], between.get(name), rng) for name, value in inputs.items()
    }


def _inputs(model: ModelProto) -> dict[str, onnx.ValueInfoProto]:
    """The inputs that have no initializer, by name."""
    stored = {tensor.name for tensor in model.graph.initializer}
    return {value.name: value for value in model.graph.input if value.name not in stored}


def _require_known(
    inputs: Mapping[str, onnx.ValueInfoProto],
    sizes: Mapping[str, int],
    ranges: Mapping[str, Range],
) -> None:
    if unknown := [name for name in ranges if name not in inputs]:
        raise CannotBench(
            f"there is no input {unknown[0]!r} for a range; the inputs are {', '.join(inputs)}"
        )
    for name, value in inputs.items():
        if value.type.WhichOneof("value") != "tensor_type":
            raise CannotBench(
                f"the input {name!r} is no tensor, and random values of its type cannot be made"
            )
    dynamic = _dynamic(list(inputs.values()))
    if unknown := [name for name in sizes if name not in dynamic]:
        raise CannotBench(
            f"no input has a dynamic dimension {unknown[0]!r}; there are: {', '.join(dynamic) or 'none'}"
        )


def load_feeds(path: Path, model: ModelProto) -> dict[str, np.ndarray]:
    """The arrays of an .npz file, one for each input of `model` that has no initializer. Raises
    CannotBench where they do not fit.
    """
    inputs = _inputs(model)
    found = _arrays(path, next(iter(inputs), "x"))
    if set(found) != set(inputs):
        raise CannotBench(
            f"{path} has the arrays {', '.join(found) or 'none'}; the inputs are {', '.join(inputs)}"
        )
    for name, value in inputs.items():
        _require_fitting(path, value, found[name])
    return {name: found[name] for name in inputs}


def require_same_interface(path: Path, feeds: Mapping[str, np.ndarray]) -> None:
    """Does another file take the inputs that the first one takes? Raises CannotBench."""
    inputs = _inputs(onnx.load(path, load_external_data=False))
    if set(inputs) != set(feeds):
        raise CannotBench(
            f"it takes the inputs {', '.join(inputs) or 'none'}, and the reference takes {', '.join(feeds)}: "
            "files are compared on the same inputs"
        )
    for name, value in inputs.items():
        _require_taken(value, feeds[name])


def _require_taken(value: onnx.ValueInfoProto, given: np.ndarray) -> None:
    tensor = value.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if given.dtype != dtype:
        raise CannotBench(
            f"its input {value.name!r} is {dtype}, and that of the reference is {given.dtype}: convert the file "
            "with inputs kept as they are (keep_io_types=True)"
        )
    wanted = [dim.dim_value if numerics.is_fixed(dim) else None for dim in tensor.shape.dim]
    if tensor.HasField("shape") and not _fits(given.shape, wanted):
        shown = ", ".join("any" if size is None else str(size) for size in wanted)
        raise CannotBench(
            f"its input {value.name!r} takes [{shown}], and the reference is given {list(given.shape)}: choose "
            "--batch and --dim so that both take them"
        )


def _arrays(path: Path, name: str) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {each: file[each] for each in file.files}
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile):
        raise CannotBench(
            f"{path} is no .npz file of arrays: write one with numpy.savez({path.name!r}, {name}=...)"
        ) from None


def _require_fitting(path: Path, value: onnx.ValueInfoProto, found: np.ndarray) -> None:
    tensor = value.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if found.dtype != dtype:
        raise CannotBench(
            f"the array {value.name!r} of {path} is {found.dtype}; the input is {dtype}: change it with .astype"
        )
    wanted = [dim.dim_value if numerics.is_fixed(dim) else None for dim in tensor.shape.dim]
    if tensor.HasField("shape") and not _fits(found.shape, wanted):
        shown = ", ".join("any" if size is None else str(size) for size in wanted)
        raise CannotBench(
            f"the array {value.name!r} of {path} has the shape {list(found.shape)}; the input takes [{shown}]"
        )


def _fits(shape: tuple[int, ...], wanted: list[int | None]) -> bool:
    return len(shape) == len(wanted) and all(
        size in (None, has) for size, has in zip(wanted, shape, strict=True)
    )


def _shape(value: onnx.ValueInfoProto, batch: int | None, sizes: Mapping[str, int]) -> list[int]:
    if not value.type.tensor_type.HasField("shape"):
        raise CannotBench(f"the input {value.name!r} declares no shape")
    axes = range(len(value.type.tensor_type.shape.dim))
    shape = [_extent(value, axis, batch, sizes) for axis in axes]
    if math.prod(shape) > MOST:
        raise CannotBench(
            f"the input {value.name!r} of shape {shape} has {math.prod(shape):,} numbers, and at most {MOST >> 20} million are drawn: "
            "choose smaller sizes with --batch and --dim, or export it with dynamic dimensions"
        )
    return shape


def _extent(
    value: onnx.ValueInfoProto, axis: int, batch: int | None, sizes: Mapping[str, int]
) -> int:
    dim = value.type.tensor_type.shape.dim[axis]
    key = _key(value, axis)
    if numerics.is_fixed(dim):
        if axis == 0 and batch not in (None, dim.dim_value):
            raise CannotBench(
                f"the batch is fixed at {dim.dim_value} in this file (input {value.name!r}): leave --batch out, or export it dynamic"
            )
        return dim.dim_value
    if key not in sizes and axis:
        raise CannotBench(
            f"the dimension {key!r} of input {value.name!r} is dynamic and has no size: add --dim {shlex.quote(f'{key}=SIZE')}"
        )
    return sizes.get(key, batch or 1)


def _key(value: onnx.ValueInfoProto, axis: int) -> str:
    return value.type.tensor_type.shape.dim[axis].dim_param or f"{value.name}:{axis}"


def _dynamic(inputs: list[onnx.ValueInfoProto]) -> list[str]:
    keys = {
        _key(value, axis): None
        for value in inputs
        for axis, dim in enumerate(value.type.tensor_type.shape.dim)
        if not numerics.is_fixed(dim)
    }
    return list(keys)


def _rows_picked(graph: GraphProto) -> dict[str, Range]:
    """{input: (0, rows)} of inputs that are indices into a table of the file."""
    tables = {tensor.name: tensor.dims for tensor in graph.initializer}
    picked = {}
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] in tables:
            axis = next(
                (attribute.i for attribute in node.attribute if attribute.name == "axis"), 0
            )
            picked[node.input[1]] = (0, tables[node.input[0]][axis])
    return picked


def _values(
    value: onnx.ValueInfoProto, shape: list[int], between: Range | None, rng: np.random.Generator
) -> np.ndarray:
    kind = value.type.tensor_type.elem_type
    if kind in (TensorProto.STRING, TensorProto.UNDEFINED):
        raise CannotBench(
            f"the input {value.name!r} holds {TensorProto.DataType.Name(kind)}, of which random values cannot be made"
        )
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
    if np.issubdtype(dtype, np.floating):
        return rng.standard_normal(shape).astype(dtype)
    if dtype.kind == "b" or between is None:
        return np.ones(shape, dtype)
    low, high = between
    limits = np.iinfo(dtype)
    if not limits.min <= low < high <= limits.max + 1:
        raise CannotBench(
            f"the range {low}:{high} of input {value.name!r} is empty, or does not fit {dtype}"
        )
    return rng.integers(low, high, shape).astype(dtype)
