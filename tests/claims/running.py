"""Small graphs by hand, and short ways to run a model and to say how it went."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnxruntime import GraphOptimizationLevel

from formatlab.measure.saturation import PRECISELY
from formatlab.models import make_model

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
OFF, BASIC = GraphOptimizationLevel.ORT_DISABLE_ALL, GraphOptimizationLevel.ORT_ENABLE_BASIC
EXTENDED, ALL = GraphOptimizationLevel.ORT_ENABLE_EXTENDED, GraphOptimizationLevel.ORT_ENABLE_ALL

_folder = tempfile.TemporaryDirectory(prefix="claims-")
_files = iter(range(10**6))


def new_path(name: str) -> Path:
    """A path in a folder of its own, that nothing lies at yet."""
    folder = Path(_folder.name) / str(next(_files))
    folder.mkdir()
    return folder / name


def attempt(action: Callable, *arguments, **options) -> str:
    """`accepted`, or the type of the exception and its message."""
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            action(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"


def opset(model: ModelProto) -> int:
    return next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))


def count(model: ModelProto, *operators: str) -> int:
    return sum(node.op_type in operators for node in model.graph.node)


def session(
    model: ModelProto | Path,
    level: GraphOptimizationLevel = ALL,
    saved: Path | None = None,
    precisely: bool = True,
) -> ort.InferenceSession:
    """A session on the CPU provider, one thread; `saved` takes the optimised model. Names of files
    beside the model are followed.

    `precisely`: no product of 8-bit integers saturates, so that evidence is the same on every
    processor.
    """
    options = ort.SessionOptions()
    if precisely:
        options.add_session_config_entry(*PRECISELY)
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    if saved is not None:
        options.optimized_model_filepath = str(saved)
    subject = os.fspath(model) if isinstance(model, Path) else model.SerializeToString()
    return ort.InferenceSession(subject, options, providers=["CPUExecutionProvider"])


@functools.cache
def newest_ir_version() -> str:
    """What becomes of the IR version that onnx writes unless it is told another, as the end of a
    sentence: `14, which ONNX Runtime 1.31.1 refuses`.
    """
    model = model_of(
        [node("Relu", "x")], [value("x", [2])], [value("y", [2])], ir_version=onnx.IR_VERSION
    )
    said = attempt(session, model)
    assert said == "accepted" or "Unsupported model IR version" in said, said
    verb = "takes" if said == "accepted" else "refuses"
    return f"{onnx.IR_VERSION}, which ONNX Runtime {ort.__version__} {verb}"


def run(
    model: ModelProto | Path, feeds: Mapping[str, np.ndarray], level: GraphOptimizationLevel = ALL
) -> np.ndarray:
    """The first output."""
    return session(model, level).run(None, dict(feeds))[0]


def optimised(model: ModelProto | Path, level: GraphOptimizationLevel) -> ModelProto:
    """The graph that ONNX Runtime makes of the model at this level."""
    saved = new_path("optimised.onnx")
    session(model, level, saved)
    return onnx.load(saved)


def relative_error(found: np.ndarray, expected) -> float:
    """Largest difference over the largest expected value; `expected` is an array or a tensor of
    torch.
    """
    expected = np.asarray(
        expected.detach() if hasattr(expected, "detach") else expected, dtype=np.float64
    )
    return float(np.abs(found.astype(np.float64) - expected).max() / np.abs(expected).max())


def value(name: str, shape: Iterable | None, kind: int = FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, None if shape is None else list(shape))


def weight(name: str, array: np.ndarray) -> TensorProto:
    return numpy_helper.from_array(np.asarray(array), name)


def node(
    operator: str, inputs: str, outputs: str = "y", domain: str = "", **attributes
) -> onnx.NodeProto:
    """`inputs` and `outputs` are names parted by spaces."""
    return helper.make_node(operator, inputs.split(), outputs.split(), domain=domain, **attributes)


def model_of(
    nodes: list, inputs: list, outputs: list, weights: Iterable[TensorProto] = (), **options
) -> ModelProto:
    """A model around the nodes; options as those of `make_model`."""
    return make_model(helper.make_graph(nodes, "graph", inputs, outputs, list(weights)), **options)
