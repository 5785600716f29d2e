"""What the exporters compute beforehand, and the mode of the module."""

import numpy as np
import torch

from .ledger import Source, Verdict, holds, topic
from .running import session
from .subjects import (
    CNN_INPUT,
    NAMES,
    cnn,
    export,
)

claim = topic("Export")
LAB, FORMAT = Source.LAB, Source.FORMAT


@claim(
    "constant-folding-fuses",
    LAB,
    "do_constant_folding=True,  # fuse constant ops.",
    Verdict.MISLEADING,
    "lab-7-01/01-export-and-run#constant-folding",
)
@claim(
    "constant-folding-precomputes",
    LAB,
    "It pre-computes operations whose inputs are known at export time, removing them from the graph.",
    Verdict.CONFIRMED,
    "lab-7-01/01-export-and-run#constant-folding",
)
def constant_folding() -> str:
    folded, unfolded = (legacy_constants(flag) for flag in (True, False))
    holds(folded == ["MatMul"] and len(unfolded) > 3, f"{folded}; {unfolded}")
    default = [constants(True), constants(False)]
    holds(default == [["MatMul"], ["MatMul"]], default)
    return (
        f"It evaluates, it does not fuse: x @ (2·Wᵀ + 1) becomes {len(folded)} node instead of {len(unfolded)} in the "
        "TorchScript-based exporter. "
        "In the default exporter the flag has no effect; `optimize=False` has."
    )


def constants(fold: bool, **options) -> list[str]:
    """The operators of x @ (2 Wᵀ + 1) after export."""

    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.arange(12.0).reshape(3, 4))

        def forward(self, x):
            return x @ (self.weight.T * 2 + 1)

    exported = export(Scaled().eval(), torch.ones(2, 4), do_constant_folding=fold, **options)
    return [node.op_type for node in exported.model.graph.node]


def legacy_constants(fold: bool) -> list[str]:
    return constants(fold, dynamo=False)


@claim(
    "constant-folding-batch-norm",
    LAB,
    "…(e.g., batch norm statistics after folding).",
    Verdict.MISLEADING,
    "lab-7-01/01-export-and-run#constant-folding",
)
def folded_batch_norm() -> str:
    def batch_norms(**options) -> int:
        model = export(cnn(), CNN_INPUT, **NAMES, **options).model
        return sum(node.op_type == "BatchNormalization" for node in model.graph.node)

    mode = torch.onnx.TrainingMode
    found = {
        "TorchScript, folding off": batch_norms(dynamo=False, do_constant_folding=False),
        "TorchScript, folding on, PRESERVE": batch_norms(dynamo=False, training=mode.PRESERVE),
        "TorchScript, folding on": batch_norms(dynamo=False),
        "default, optimize=False": batch_norms(optimize=False),
        "default": batch_norms(),
    }
    holds(found == dict(zip(found, (2, 2, 0, 2, 0), strict=True)), found)
    return (
        "A fusion of its own, of BatchNormalization into Conv, which needs more than the flag. BatchNormalization nodes left: "
        + "; ".join(f"{name}: {left}" for name, left in found.items())
        + "."
    )


@claim(
    "eval-mode",
    FORMAT,
    "model = TargetMLP().eval()  # ensure model is in evaluation mode.",
    Verdict.CONFIRMED,
    "line-1-export#evaluation-mode",
)
@claim(
    "eval-mode",
    LAB,
    "model.eval() before the export.",
    Verdict.CONFIRMED,
    "day-50/line-1-export#evaluation-mode",
)
def eval_mode() -> str:
    layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5))
    found = {}
    for training in (True, False):
        model = export(layers.train(training), torch.ones(1, 4)).model
        name = model.graph.input[0].name
        running, feeds = session(model), {name: np.ones((1, 4), np.float32)}
        same = len({running.run(None, feeds)[0].tobytes() for _ in range(16)}) == 1
        found[training] = [node.op_type for node in model.graph.node], same
    holds(found == {True: (["Gemm", "Dropout"], False), False: (["Gemm"], True)}, found)
    return (
        "It matters: the default exporter writes the module's mode into the graph. In training mode a Dropout stays, and is random "
        "when it runs."
    )
