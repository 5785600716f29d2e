"""Two models on the same drawn inputs, in a process of its own: a hostile or enormous model can end
that process and nothing else. `python -m formatlab.diff.running REQUEST` prints what it found as
JSON.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper

from formatlab import numerics
from formatlab.diff import judging
from formatlab.diff.judging import Stopped, said
from formatlab.diff.types import declared
from formatlab.diff.words import plain
from formatlab.measure.quality import is_quantized
from formatlab.numerics import Feeds

MEMORY = 8 << 30
SECONDS = 120
# Drawn floats are normal: three deviations hold all but a few in a thousand.
ORDINARY = 3
# Types that stand for one another: an input is rounded to the narrower one, and fed to both.
FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16}


def main(path: str) -> None:
    _limit()
    request = json.loads(Path(path).read_text())
    sys.stdout.write(json.dumps(answer(request)))


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What is false in declarations, and, where `request["runs"]` is not 0, how outputs compare."""
    try:
        a, b = (onnx.load(request[side]) for side in ("a", "b"))
    except Exception as problem:  # of onnx.checker, of protobuf, of the system  # noqa: BLE001
        why = f"onnx does not load the two with their weights: {said(problem)}"
        return {
            "false": {"a": {}, "b": {}},
            "agreement": {"verdict": "not run", "why": why} if request["runs"] else None,
        }
    found: dict[str, Any] = {"false": {"a": false_declarations(a), "b": false_declarations(b)}}
    if request["runs"]:
        try:
            found["agreement"] = agreement(a, b, request)
        except Stopped as reason:
            found["agreement"] = {"verdict": "not run", "why": str(reason)}
    return found


def false_declarations(model: ModelProto) -> dict[str, list[str]]:
    """{value: [what is declared, what its node gives]} of inner values, by shape inference."""
    bare = ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    try:
        inferred = onnx.shape_inference.infer_shapes(bare, data_prop=True)
    except Exception:  # onnx raises errors of several kinds for broken graphs  # noqa: BLE001
        return {}
    gives = {value.name: declared(value) for value in inferred.graph.value_info}
    found = {}
    for value in model.graph.value_info:
        says = declared(value)
        truth = gives.get(value.name)
        if says is not None and truth is not None and says.contradicts(truth):
            found[value.name] = [str(says), str(truth)]
    return found


def agreement(a: ModelProto, b: ModelProto, request: dict[str, Any]) -> dict[str, Any]:
    feeds = draw(a, b, request)
    if is_quantized(b) and not is_quantized(a):
        feeds = [_without_outlier(each) for each in feeds]
    names = dict(request["inputs"])
    types = {value.name: value.type.tensor_type.elem_type for value in b.graph.input}
    theirs = [_fed(each, names, types) for each in feeds]
    return judging.judged(a, b, request, feeds, theirs)


def _without_outlier(feeds: Feeds) -> Feeds:
    """Floats as a calibration sees them: one number far outside of its range would hide all else."""
    return {
        name: np.clip(value, -ORDINARY, ORDINARY) if value.dtype.kind == "f" else value
        for name, value in feeds.items()
    }


def _fed(feeds: Feeds, names: dict[str, str], types: dict[str, int]) -> Feeds:
    """The inputs as B takes them; those of A are rounded where B's type is narrower."""
    found = {}
    for name, value in feeds.items():
        narrow = value.astype(helper.tensor_dtype_to_np_dtype(types[names[name]]))
        found[names[name]] = narrow
        if narrow.dtype.itemsize < value.dtype.itemsize:
            feeds[name] = narrow.astype(value.dtype)
    return found


def draw(a: ModelProto, b: ModelProto, request: dict[str, Any]) -> list[Feeds]:
    """Inputs of A that fit B. A size that is fixed in B is that one in all runs."""
    names = dict(request["inputs"])
    inputs_b = {value.name: value for value in b.graph.input}
    template = ModelProto()
    template.CopyFrom(a)
    stored = {tensor.name for tensor in a.graph.initializer}
    wanted = [value for value in template.graph.input if value.name not in stored]
    if missing := [value.name for value in wanted if value.name not in names]:
        raise Stopped(f"B has no input like {missing[0]!r}")
    fixed: dict[str, int] = {}
    for value in wanted:
        _name_dimensions(value, inputs_b[names[value.name]], fixed)
    for value in wanted:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in fixed:
                dim.dim_value = fixed[dim.dim_param]
    try:
        return numerics.feeds(template, request["seed"], _ranges(a.graph), request["runs"])
    except Exception as problem:  # a type of which NumPy draws nothing  # noqa: BLE001
        raise Stopped(f"inputs cannot be drawn: {plain(str(problem), 120)}") from None


def _name_dimensions(value: ValueInfoProto, other: ValueInfoProto, fixed: dict[str, int]) -> None:
    if value.type.WhichOneof("value") != "tensor_type":
        raise Stopped(f"the input {value.name!r} is no tensor")
    tensor = value.type.tensor_type
    theirs = other.type.tensor_type
    if not tensor.HasField("shape"):
        raise Stopped(f"the input {value.name!r} declares no shape")
    both = {tensor.elem_type, theirs.elem_type}
    if tensor.elem_type != theirs.elem_type and not both <= FLOATS:
        raise Stopped(f"the input {value.name!r} has another type in B")
    sizes = [dim.dim_value if numerics.is_fixed(dim) else None for dim in theirs.shape.dim] or [
        None
    ] * len(tensor.shape.dim)
    if len(sizes) != len(tensor.shape.dim):
        raise Stopped(f"the input {value.name!r} has another rank in B")
    total = 1
    for axis, (dim, size) in enumerate(zip(tensor.shape.dim, sizes, strict=True)):
        if not numerics.is_fixed(dim):
            dim.dim_param = dim.dim_param or f"{value.name}:{axis}"
            if size:
                fixed[dim.dim_param] = size
        elif size not in (None, dim.dim_value):
            raise Stopped(f"the input {value.name!r} has another shape in B")
        total *= max(dim.dim_value, 1)
    if total > 1 << 26:
        raise Stopped(f"the input {value.name!r} has more than 67 million numbers")


def _ranges(graph: GraphProto) -> dict[str, tuple[int, int]]:
    """Indices into a table stay inside of it."""
    tables = {tensor.name: tensor.dims for tensor in graph.initializer}
    found = {}
    for node in graph.node:
        if node.op_type == "Gather" and node.input[0] in tables and tables[node.input[0]]:
            axis = next((each.i for each in node.attribute if each.name == "axis"), 0)
            rows = tables[node.input[0]][axis]
            if rows:
                found[node.input[1]] = (0, rows)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
