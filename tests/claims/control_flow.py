"""Branches and loops: what ONNX represents, and what the exporters make of Python's."""

import numpy as np
import torch
from onnx import defs

from .ledger import Source, Verdict, holds, topic
from .running import INT64, attempt, model_of, node, run, value, weight
from .subjects import Exported, Function, export

claim = topic("Control flow")
CONTROL_FLOW = "03-export#control-flow"
LAB, COMPILATION, INTEROPERABILITY = Source.LAB, Source.COMPILATION, Source.INTEROPERABILITY


def at_branch(dynamo: bool) -> Exported:
    """`x * 2 if x.sum() > 0 else x * 3`, exported with positive numbers."""
    return export(
        Function(lambda x: x * 2 if x.sum() > 0 else x * 3),
        torch.ones(3),
        dynamo=dynamo,
        input_names=["x"],
    )


def scripted_branch() -> set[str]:
    """The operators of a scripted `if`, by the TorchScript-based exporter."""
    module = torch.jit.script(_Branch().eval())
    return {node.op_type for node in export(module, torch.ones(3), dynamo=False).model.graph.node}


class _Branch(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if bool(x.sum() > 0) else x * 3


def _cond(x):
    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x * 3, (x,))


def _while(x):
    from torch._higher_order_ops import while_loop

    return while_loop(lambda x: x.sum() < 100, lambda x: (x * 2,), (x,))[0]


def _scan(x):
    from torch._higher_order_ops.scan import scan

    return scan(lambda total, row: (total + row, total.clone()), torch.zeros(2), x)[0]


@claim(
    "torchscript-for-control-flow",
    LAB,
    "Use TorchScript when your model has Python control flow that ONNX can't represent well.",
    Verdict.WRONG,
    "lab-7-01/05-torchscript#control-flow-in-onnx",
)
@claim(
    "control-flow-missing",
    COMPILATION,
    "Dynamic control flow may not have a standard ONNX representation.",
    Verdict.WRONG,
    CONTROL_FLOW,
)
@claim(
    "control-flow-difficult",
    INTEROPERABILITY,
    "Dynamic control flow (loops, branches) can be notoriously difficult to represent in a static graph.",
    Verdict.MISLEADING,
    CONTROL_FLOW,
)
def represented() -> str:
    expected = {
        "If": (_cond, torch.ones(3), {-1.0: -3.0, 1.0: 2.0}),
        "Loop": (_while, torch.ones(3), {1.0: 64.0, 30.0: 60.0}),
        "Scan": (_scan, torch.ones(4, 2), {1.0: 4.0, 2.0: 8.0}),
    }
    for operator, (function, example, results) in expected.items():
        model = export(Function(function), example, input_names=["x"]).model
        holds(
            operator in {node.op_type for node in model.graph.node},
            [node.op_type for node in model.graph.node],
        )
        for x, y in results.items():
            found = run(model, {"x": np.full(tuple(example.shape), x, np.float32)})
            holds(np.allclose(found, y), f"{operator}: {found} for {x}, expected {y}")
    return (
        "ONNX has If, Loop and Scan. `torch.cond`, `while_loop` and `scan` export to them, and both branches and other lengths of loop "
        "come out right."
    )


@claim(
    "careful-handling",
    INTEROPERABILITY,
    "…requiring careful handling during the export process.",
    Verdict.CONFIRMED,
    "03-export#loops",
)
@claim(
    "dynamic-operations",
    INTEROPERABILITY,
    "Dynamic operations that change based on input data can cause export failures.",
    Verdict.CONFIRMED,
    "03-export#branches",
)
def careful_handling() -> str:
    function = Function(lambda x: torch.stack([x[i] * (i + 1) for i in range(x.shape[0])]).sum(0))
    said = attempt(at_branch, dynamo=True)
    holds("TorchExportError" in said, said)
    rows = torch.ones(5, 2)
    legacy = export(
        function, rows, dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "rows"}}
    )
    found = run(legacy.model, {"x": np.ones((7, 2), np.float32)})[0]
    expected = float(function(torch.ones(7, 2))[0])
    holds(found == 15 and expected == 28, f"{found}, PyTorch {expected}")
    return (
        "The default exporter raises on an `if` over data. Worse is what does not fail: the TorchScript-based one unrolls "
        f"`for i in range(x.shape[0])` to the example's 5 rows, and 7 rows give {found:g} where PyTorch gives {expected:g}."
    )


@claim(
    "nms",
    COMPILATION,
    "Post-processing like Non Maximum Suppression may not have a standard ONNX representation.",
    Verdict.WRONG,
    "03-export#custom-operators",
)
def non_maximum_suppression() -> str:
    since = min(
        schema.since_version
        for schema in defs.get_all_schemas_with_history()
        if schema.name == "NonMaxSuppression"
    )
    limits = [
        weight("most", np.array([3], np.int64)),
        weight("overlap", np.array([0.5], np.float32)),
        weight("least", np.array([0.1], np.float32)),
    ]
    nodes = [node("NonMaxSuppression", "boxes scores most overlap least")]
    inputs = [value("boxes", [1, 3, 4]), value("scores", [1, 1, 3])]
    model = model_of(nodes, inputs, [value("y", ["kept", 3], INT64)], limits)
    boxes = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]], np.float32)
    kept = run(model, {"boxes": boxes, "scores": np.array([[[0.9, 0.8, 0.7]]], np.float32)})
    holds(since == 10 and kept[:, 2].tolist() == [0, 2], f"since {since}, kept {kept}")
    return (
        f"NonMaxSuppression is a standard operator since opset {since}; ONNX Runtime runs it: of three boxes, two of which overlap, it "
        f"keeps {len(kept)}."
    )
