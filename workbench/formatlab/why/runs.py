"""Sessions and what they give: at each level, with some optimizers left out, in float64."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import onnxruntime as ort
from onnx import ModelProto, ValueInfoProto

from formatlab import halves
from formatlab.diff.judging import flattened
from formatlab.measure.float64 import of_onnx
from formatlab.numerics import Feeds, Outputs

LEVELS = {
    "DISABLE_ALL": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "ENABLE_BASIC": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "ENABLE_EXTENDED": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "ENABLE_ALL": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
Runs = list[Outputs]


def session(
    model: ModelProto,
    level: str = "DISABLE_ALL",
    disabled: Collection[str] = (),
    *,
    log: int = 4,
    settings: Mapping[str, str] | None = None,
) -> ort.InferenceSession:
    """Return a session on the CPU with one thread. `disabled` are names of optimizers, of which ONNX
    Runtime ignores those that it does not know.
    """
    options = ort.SessionOptions()
    options.graph_optimization_level = LEVELS[level]
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = log
    for key, value in (settings or {}).items():
        options.add_session_config_entry(key, value)
    return ort.InferenceSession(
        model.SerializeToString(),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=list(disabled),
    )


def run(model: ModelProto, feeds: Sequence[Feeds], level: str = "DISABLE_ALL") -> Runs:
    """Return the outputs for each of the feeds, the numbers of a sequence or map in a row. Without
    optimization a float16 model is computed in float16, node by node, as its file says.
    """
    declared = halves.kept(model) if level == "DISABLE_ALL" else model
    found = session(declared, level)
    return flattened([found.run(None, each) for each in feeds])


# Types that ONNX Runtime computes with and hands to nobody in Python.
UNSEEN = ("bfloat16", "float8", "float4", "int4", "uint4", "int2")


def values(model: ModelProto, feeds: Feeds) -> dict[str, object]:
    """Return the outputs by their names, without those of a type that numpy does not have."""
    found = session(halves.kept(model))
    names = [
        each.name for each in found.get_outputs() if not any(one in each.type for one in UNSEEN)
    ]
    return dict(zip(names, found.run(names, feeds), strict=True)) if names else {}


def exact(model: ModelProto, feeds: Sequence[Feeds]) -> Runs:
    """Return the outputs in float64. Raises NoFloat64 and what ONNX Runtime raises."""
    return flattened(of_onnx(model, feeds).runs)


def with_outputs(model: ModelProto, names: Sequence[str]) -> ModelProto:
    """Return the model with these values as its outputs. That undoes fusions, so it is for sessions
    without optimization.
    """
    new = ModelProto()
    new.CopyFrom(model)
    stated = {value.name: value for value in model.graph.output}
    del new.graph.output[:]
    new.graph.output.extend(stated.get(name) or ValueInfoProto(name=name) for name in names)
    return new


def equal(one: Outputs, other: Outputs) -> bool:
    """Decide whether two runs gave the same bits; NaN equals NaN."""
    return all(
        isinstance(first, np.ndarray)
        and isinstance(second, np.ndarray)
        and first.shape == second.shape
        and first.dtype == second.dtype
        and np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
        for first, second in zip(one, other, strict=True)
    )
