"""What a session makes of a quantized model: which products it really runs, with which types, and
where its time goes.

This is what answers "why is my INT8 model slower?": the file says what was asked for, the optimized
graph what is run.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto

from formatlab._runtime import ort
from formatlab.measure.sessions import Runner

# Integer products: where the zero point of the activation stands among the inputs (None: the
# operator is fed with uint8 codes by DynamicQuantizeLinear, or makes them itself), and a tensor of
# the weight's type.
INTEGER = {
    "ConvInteger": (None, 1),
    "DynamicQuantizeMatMul": (None, 1),
    "MatMulInteger": (None, 1),
    "MatMulIntegerToFloat": (None, 1),
    "QGemm": (2, 5),
    "QLinearConv": (2, 5),
    "QLinearMatMul": (2, 5),
}
FLOAT = frozenset({"Conv", "FusedConv", "FusedGemm", "FusedMatMul", "Gemm", "MatMul"})
CONVERSIONS = frozenset({"DequantizeLinear", "DynamicQuantizeLinear", "QuantizeLinear"})
# The last row of a profile.
BETWEEN = "between operators"
SHORT = {TensorProto.UINT8: "U8", TensorProto.INT8: "S8"}


def products(model: ModelProto, level: str = "ENABLE_ALL") -> Counter[str]:
    """The products and conversions that a CPU session runs at that optimization level.

    Integer products are written `operator activation·weight`, with U8 and S8 for the types:
    `QLinearConv U8·S8`. `level` is the name of a GraphOptimizationLevel without `ORT_`. Raises what
    ONNX Runtime raises.
    """
    with tempfile.TemporaryDirectory() as folder:
        _session(model, level, f"{folder}/optimized.onnx")
        graph = onnx.load(f"{folder}/optimized.onnx").graph
    types = {tensor.name: SHORT.get(tensor.data_type, "?") for tensor in graph.initializer}
    return Counter(
        _described(node, types)
        for node in graph.node
        if node.op_type in INTEGER or node.op_type in FLOAT | CONVERSIONS
    )


def hottest(
    model: ModelProto, feeds: Mapping[str, np.ndarray], level: str = "ENABLE_ALL", runs: int = 10
) -> tuple[str, float]:
    """The operator that takes the largest share of the time of `runs` runs on one thread, by the
    session's own profile; and that share.
    """
    spent: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        session = _session(model, level, profile=f"{folder}/profile")
        for _ in range(runs):
            session.run(None, dict(feeds))
        for event in _kernel_times(session):
            spent[event["args"]["op_name"]] += event["dur"]
    [(operator, most)] = spent.most_common(1)
    return operator, most / (spent.total() or 1)


def by_operator(make: Callable[[str], Runner], runs: int = 20) -> list[dict]:
    """Where the time of a call goes, by the session's own profile: one row for each operator, the
    longest first, then what is left.

    `make` is given where the profile goes, and makes a `Runner`. A row has the operator, how many
    nodes of it run, microseconds of a call and the share of a call. What is left is what the
    session does between its operators. Profiling itself takes time: compare shares. The first two
    calls are left out.
    """
    calls, kernels = _profiled(make, runs)
    spent: Counter[str] = Counter()
    nodes: dict[str, set[str]] = defaultdict(set)
    for event in kernels:
        spent[event["args"]["op_name"]] += event["dur"]
        nodes[event["args"]["op_name"]].add(event["name"])
    total = sum(event["dur"] for event in calls) or 1
    rows = [*spent.most_common(), (BETWEEN, max(total - spent.total(), 0))]
    return [
        {
            "operator": name,
            "nodes": len(nodes[name]),
            "us": time / len(calls),
            "share": time / total,
        }
        for name, time in rows
    ]


def _profiled(make: Callable[[str], Runner], runs: int) -> tuple[list[dict], list[dict]]:
    """The events of calls, without the first two, and of the kernels that ran in them."""
    with tempfile.TemporaryDirectory() as folder:
        runner = make(f"{folder}/profile")
        for _ in range(runs + 2):
            runner()
        events = _events(runner.session)
    runs_of_model = (event for event in events if event["name"] == "model_run")
    calls = sorted(runs_of_model, key=lambda event: event["ts"])[2:]
    kernels = filter(_is_kernel, events)
    return calls, [event for event in kernels if event["ts"] >= calls[0]["ts"]]


def _events(session: ort.InferenceSession) -> list[dict]:
    return json.loads(Path(session.end_profiling()).read_text())


def _is_kernel(event: Mapping) -> bool:
    return event.get("cat") == "Node" and event["name"].endswith("kernel_time")


def _kernel_times(session: ort.InferenceSession) -> list[dict]:
    return [event for event in _events(session) if _is_kernel(event)]


def _described(node: NodeProto, types: Mapping[str, str]) -> str:
    if node.op_type not in INTEGER:
        return node.op_type if node.op_type in CONVERSIONS else f"{node.op_type} float"
    activation, weight = INTEGER[node.op_type]
    first = "U8" if activation is None else types.get(node.input[activation], "?")
    return f"{node.op_type} {first}·{types.get(node.input[weight], '?')}"


def _session(
    model: ModelProto, level: str, saved: str = "", profile: str = ""
) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_{level}")
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.optimized_model_filepath = saved
    options.enable_profiling = bool(profile)
    options.profile_file_prefix = profile or "profile"
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
