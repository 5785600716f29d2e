"""Two models on the same drawn inputs, in a process of its own: a hostile or enormous model can end
that process and nothing else. `python -m formatlab.diff.running REQUEST` prints what it found as
JSON.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper

from formatlab import numerics
from formatlab.diff.types import declared
from formatlab.diff.words import plain
from formatlab.measure import randomness
from formatlab.measure.errors import first_line
from formatlab.measure.float64 import NoFloat64, of_onnx
from formatlab.measure.yardstick import Verdict, judge
from formatlab.numerics import Feeds, Outputs
from formatlab.sqnr import sqnr

MEMORY = 8 << 30
SECONDS = 120
# Types that stand for one another: an input is rounded to the narrower one, and fed to both.
FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16}
Runs = list[Outputs]


class Stopped(Exception):
    """No comparison: the text says why."""


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
        why = f"onnx does not load the two with their weights: {_said(problem)}"
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
    names = dict(request["inputs"])
    types = {value.name: value.type.tensor_type.elem_type for value in b.graph.input}
    theirs = [_fed(each, names, types) for each in feeds]
    outputs = request["outputs"]
    inner = request["inner"]
    wide_a = _with_outputs(a, [one for one, _ in outputs], [one for one, _ in inner])
    wide_b = _with_outputs(b, [other for _, other in outputs], [other for _, other in inner])
    mine = _outputs("A", wide_a, feeds)
    found = _alike(mine, _outputs("B", wide_b, theirs))
    shown = [one for one, _ in outputs]
    if random := _random(a, b, feeds, theirs):
        distance = _finite(_decibels(mine, found, len(shown)))
        return {**random, "sqnr_db": distance, "runs": len(feeds)}
    places = range(len(shown))
    try:
        exact = of_onnx(wide_a, feeds)
    except Exception as reason:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        # The yardstick is the same from either end, so a B that float64 can run will do.
        try:
            exact = of_onnx(wide_b, theirs)
        except Exception:  # nor have they one here  # noqa: BLE001
            return _without_yardstick(shown, mine, found, _why(reason))
        mine, found = found, mine
    verdict = _judged(shown, mine, found, exact.runs, places)
    parted = None
    if not verdict.same and verdict.reason not in ("undecided", "empty"):
        parted = _first_parted(request, mine, found, exact.runs)
    return {
        "verdict": "same" if verdict.same else _word(verdict),
        "text": verdict.text,
        "output": verdict.output,
        "units": _finite(verdict.units),
        "error": _finite(verdict.error),
        "sqnr_db": _finite(_decibels(mine, found, len(shown))),
        "yardstick": str(exact),
        "first": parted,
        "runs": len(feeds),
    }


def _random(
    a: ModelProto, b: ModelProto, feeds: Sequence[Feeds], theirs: Sequence[Feeds]
) -> dict[str, Any] | None:
    """The verdict where one of the two draws random numbers, None where neither does."""
    if nodes := randomness.drawing(a, feeds[:1]):
        text = f"A draws random numbers, so that two runs of it on the same inputs differ ({randomness.named(nodes)})"
        return {"verdict": "undecided", "text": text}
    if nodes := randomness.drawing(b, theirs[:1]):
        text = f"B draws random numbers, so that two runs of it on the same inputs differ ({randomness.named(nodes)}), and A does not"
        return {"verdict": "other", "text": text}
    return None


def _fed(feeds: Feeds, names: dict[str, str], types: dict[str, int]) -> Feeds:
    """The inputs as B takes them; those of A are rounded where B's type is narrower."""
    found = {}
    for name, value in feeds.items():
        narrow = value.astype(helper.tensor_dtype_to_np_dtype(types[names[name]]))
        found[names[name]] = narrow
        if narrow.dtype.itemsize < value.dtype.itemsize:
            feeds[name] = narrow.astype(value.dtype)
    return found


def _alike(mine: Runs, found: Runs) -> Runs:
    """Outputs of B as the types of A, where both are floats: that a type changed is told elsewhere."""
    return [
        [
            other.astype(one.dtype)
            if isinstance(other, np.ndarray) and one.dtype.kind == other.dtype.kind == "f"
            else other
            for one, other in zip(run, their, strict=True)
        ]
        for run, their in zip(mine, found, strict=True)
    ]


def _why(reason: Exception) -> str:
    if isinstance(reason, NoFloat64):
        return str(reason)
    return f"A cannot be run in float64 ({_said(reason)})"


def _said(problem: Exception) -> str:
    """ONNX Runtime's message without its numbers."""
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", first_line(problem))
    return plain(text, 200).rstrip(". ")


def _word(verdict: Verdict) -> str:
    return "undecided" if verdict.reason in ("undecided", "empty") else "other"


def _judged(
    names: Sequence[str], mine: Runs, found: Runs, exact: Runs, places: Sequence[int]
) -> Verdict:
    candidate, original, truth = (
        [[run[at] for at in places] for run in runs] for runs in (found, mine, exact)
    )
    return judge(candidate, original, truth, names)


def _first_parted(
    request: dict[str, Any], mine: Runs, found: Runs, exact: Runs
) -> dict[str, Any] | None:
    """The first inner value, in the order of A, in which the two differ."""
    for number, (one, other) in enumerate(request["inner"], len(request["outputs"])):
        verdict = _judged([one], mine, found, exact, [number])
        if not verdict.same and verdict.reason not in ("undecided", "empty"):
            return {"a": one, "b": other, "text": verdict.text}
    return None


def _without_yardstick(names: Sequence[str], mine: Runs, found: Runs, why: str) -> dict[str, Any]:
    """Where float64 cannot judge: equal numbers are equal, others have a distance."""
    pairs = [
        (one, other)
        for run, their in zip(mine, found, strict=True)
        for one, other in zip(run[: len(names)], their[: len(names)], strict=True)
    ]
    equal = all(
        one.shape == other.shape
        and one.dtype == other.dtype
        and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
        for one, other in pairs
    )
    return {
        "verdict": "equal" if equal else "undecided",
        "text": why,
        "sqnr_db": _finite(_decibels(mine, found, len(names))),
        "runs": len(mine),
    }


def _decibels(mine: Runs, found: Runs, outputs: int) -> float:
    """How far the worst output of B stands above its difference to A's."""
    worst = math.inf
    for run, their in zip(mine, found, strict=True):
        for one, other in zip(run[:outputs], their[:outputs], strict=True):
            if isinstance(one, np.ndarray) and one.dtype.kind == "f":
                with np.errstate(all="ignore"):
                    worst = min(worst, sqnr(one, other))
    return worst


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _with_outputs(model: ModelProto, outputs: Sequence[str], inner: Sequence[str]) -> ModelProto:
    """The model with these outputs first, in this order, and inner values after them."""
    wide = ModelProto()
    wide.CopyFrom(model)
    stated = {value.name: value for value in model.graph.output}
    del wide.graph.output[:]
    wide.graph.output.extend(stated[name] for name in outputs)
    wide.graph.output.extend(ValueInfoProto(name=name) for name in inner)
    return wide


def _outputs(side: str, model: ModelProto, feeds: Sequence[Feeds]) -> Runs:
    try:
        return [run for [run] in numerics.run(model.SerializeToString(), feeds)]
    except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        raise Stopped(f"{side} does not run: {_said(problem)}") from None


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
