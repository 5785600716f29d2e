"""Inputs for any model: shapes from the file and the user's sizes, values random and never all the
same, integers within their range.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto

from workbench.measure.errors import CannotBench

Range = tuple[int, int]


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
    sizes, ranges = dict(sizes or {}), dict(ranges or {})
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in stored]
    if unknown := [name for name in ranges if name not in {value.name for value in inputs}]:
        raise CannotBench(
            f"there is no input {unknown[0]!r} for a range; the inputs are {', '.join(value.name for value in inputs)}"
        )
    for value in inputs:
        if value.type.WhichOneof("value") != "tensor_type":
            raise CannotBench(
                f"the input {value.name!r} is no tensor, and random values of its type cannot be made"
            )
    dynamic = _dynamic(inputs)
    if unknown := [name for name in sizes if name not in dynamic]:
        raise CannotBench(
            f"no input has a dynamic dimension {unknown[0]!r}; there are: {', '.join(dynamic) or 'none'}"
        )
    shapes = {value.name: _shape(value, batch, sizes) for value in inputs}
    rng, rows = np.random.default_rng(seed), _rows_picked(model.graph)
    return {
        value.name: _values(
            value, shapes[value.name], ranges.get(value.name) or rows.get(value.name), rng
        )
        for value in inputs
    }


def load_feeds(path: Path, model: ModelProto) -> dict[str, np.ndarray]:
    """The arrays of an .npz file, one for each input of `model` that has no initializer. Raises
    CannotBench where they do not fit.
    """
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = {value.name: value for value in model.graph.input if value.name not in stored}
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile):
        raise CannotBench(
            f"{path} is no .npz file of arrays: write one with numpy.savez({path.name!r}, {next(iter(inputs), 'x')}=...)"
        ) from None
    if set(found) != set(inputs):
        raise CannotBench(
            f"{path} has the arrays {', '.join(found) or 'none'}; the inputs are {', '.join(inputs)}"
        )
    for name, value in inputs.items():
        _require_fitting(path, value, found[name])
    return {name: found[name] for name in inputs}


def _require_fitting(path: Path, value: onnx.ValueInfoProto, found: np.ndarray) -> None:
    tensor = value.type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if found.dtype != dtype:
        raise CannotBench(
            f"the array {value.name!r} of {path} is {found.dtype}; the input is {dtype}: change it with .astype"
        )
    wanted = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
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
    shape = []
    for axis, dim in enumerate(value.type.tensor_type.shape.dim):
        key = _key(value, axis)
        if dim.HasField("dim_value"):
            if axis == 0 and batch not in (None, dim.dim_value):
                raise CannotBench(
                    f"the batch is fixed at {dim.dim_value} in this file (input {value.name!r}): leave --batch out, or export it dynamic"
                )
            shape.append(dim.dim_value)
        elif key in sizes:
            shape.append(sizes[key])
        elif axis == 0:
            shape.append(batch or 1)
        else:
            raise CannotBench(
                f"the dimension {key!r} of input {value.name!r} is dynamic and has no size: add --dim {key}=SIZE"
            )
    return shape


def _key(value: onnx.ValueInfoProto, axis: int) -> str:
    return value.type.tensor_type.shape.dim[axis].dim_param or f"{value.name}:{axis}"


def _dynamic(inputs: list[onnx.ValueInfoProto]) -> list[str]:
    keys = {
        _key(value, axis): None
        for value in inputs
        for axis, dim in enumerate(value.type.tensor_type.shape.dim)
        if not dim.HasField("dim_value")
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
