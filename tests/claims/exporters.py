"""The TorchScript-based exporter against the dynamo exporter, as the Day 50 text compares them."""

import inspect
import time

import numpy as np
import torch
from torch.onnx import register_custom_op_symbolic, unregister_custom_op_symbolic

from .control_flow import at_branch, scripted_branch
from .ledger import Source, Verdict, holds, topic
from .running import attempt, new_path, run
from .shapes import dims
from .subjects import CNN_INPUT, MLP_INPUT, NAMES, Function, cnn, export, mlp

claim = topic("Two exporters")
DAY_50 = Source.DAY_50
EXPORTERS = "line-1-export#two-exporters"
OPERATORS = "03-export#custom-operators"
OPEN_AXES = "line-1-export#open-axes"


@claim(
    "dynamo-export",
    DAY_50,
    "export_output = torch.onnx.dynamo_export(model, dummy_input).",
    Verdict.OUTDATED,
    EXPORTERS,
)
@claim(
    "dynamo-export-exercise",
    DAY_50,
    "Exercise: export with both torch.onnx.export and torch.onnx.dynamo_export.",
    Verdict.OUTDATED,
    EXPORTERS,
)
def dynamo_export() -> str:
    said = attempt(lambda: torch.onnx.dynamo_export)
    holds("has no attribute 'dynamo_export'" in said, said)
    return f"Removed: “{said}”. Today it is `torch.onnx.export`, which returns an ONNXProgram."


@claim("save", DAY_50, 'export_output.save("resnet50_dynamo.onnx").', Verdict.CONFIRMED, EXPORTERS)
def save() -> str:
    path = new_path("saved.onnx")
    torch.onnx.export(mlp(), (MLP_INPUT,), verbose=False, input_names=["x"]).save(
        path, external_data=False
    )
    holds(
        [file.name for file in path.parent.iterdir()] == ["saved.onnx"], list(path.parent.iterdir())
    )
    holds(run(path, {"x": MLP_INPUT.numpy()}).shape == (1, 10), "it does not run")
    return "The ONNXProgram that `torch.onnx.export` returns has `save`."


@claim(
    "fx-graph",
    DAY_50,
    "Dynamo-based: captures the FX graph, not TorchScript.",
    Verdict.CONFIRMED,
    EXPORTERS,
)
def fx_graph() -> str:
    program = torch.onnx.export(mlp(), (MLP_INPUT,), verbose=False)
    kind = type(program.exported_program.graph).__module__
    holds(kind == "torch.fx.graph", kind)
    return f"The ONNXProgram carries a `torch.export.ExportedProgram`, whose graph is a `{kind}.Graph`."


@claim(
    "torchscript-drops",
    DAY_50,
    "TorchScript-based export silently drops unsupported operations.",
    Verdict.WRONG,
    OPERATORS,
)
def torchscript_drops() -> str:
    for function, example in (
        (torch.linalg.eigvals, torch.eye(3)),
        (torch.special.bessel_j0, torch.ones(3)),
    ):
        said = attempt(export, Function(function), example, dynamo=False)
        holds(said.startswith("UnsupportedOperatorError"), said)
    return "It raises UnsupportedOperatorError and names the operator: tried with `linalg.eigvals` and `special.bessel_j0`."


@claim(
    "torchscript-control-flow",
    DAY_50,
    "TorchScript-based export fails on Python control flow that depends on tensor values.",
    Verdict.MISLEADING,
    "03-export#branches",
)
@claim(
    "table-control-flow-torchscript",
    DAY_50,
    "Control flow, TorchScript export: limited.",
    Verdict.CONFIRMED,
    "03-export#branches",
)
def torchscript_control_flow() -> str:
    exported = at_branch(dynamo=False)
    taken, other = (run(exported.model, {"x": np.full(3, sign, np.float32)})[0] for sign in (1, -1))
    holds((taken, other) == (2, -2), f"{taken}, {other}")
    holds(any(text.startswith("TracerWarning") for text in exported.warned), exported.warned)
    return (
        f"It does not fail, it is wrong: the branch of the example is baked in. `x * 2 if x.sum() > 0 else x * 3` exported with ones "
        f"gives {other:g} for -1, where PyTorch gives -3. All that is said is a TracerWarning."
    )


@claim(
    "torchscript-data-dependent",
    DAY_50,
    "TorchScript-based export cannot handle data-dependent shapes well.",
    Verdict.MISLEADING,
    "03-export#loops",
)
def data_dependent() -> str:
    function = Function(lambda x: x[x > 0])
    x = torch.tensor([1.0, -2.0, 3.0])
    for dynamo in (False, True):
        model = export(function, x, dynamo=dynamo, input_names=["x"]).model
        found = run(model, {"x": np.array([-1, 5, -1], np.float32)})
        holds(found.tolist() == [5], f"dynamo={dynamo}: {found}")
    return "`x[x > 0]`, whose length depends on the data, exports with both exporters and runs right on other data."


@claim(
    "table-control-flow-dynamo",
    DAY_50,
    "Control flow, dynamo export: full Python support.",
    Verdict.WRONG,
    "03-export#branches",
)
@claim(
    "dynamo-handles-control-flow",
    DAY_50,
    "dynamo_export handles dynamic control flow and complex Python patterns that TorchScript cannot.",
    Verdict.WRONG,
    "03-export#branches",
)
def dynamo_control_flow() -> str:
    branch = attempt(at_branch, dynamo=True)
    loop = attempt(export, Function(_doubled_to_100), torch.ones(3))
    holds(
        all("TorchExportError" in said and "data-dependent" in said for said in (branch, loop)),
        f"{branch}\n{loop}",
    )
    holds("If" in scripted_branch(), scripted_branch())
    return (
        "It refuses both `if x.sum() > 0` and `while x.sum() < 100` with TorchExportError; write `torch.cond`, `while_loop`, `scan`. "
        "The `if` is what `torch.jit.script` turns into an If."
    )


def _doubled_to_100(x: torch.Tensor) -> torch.Tensor:
    while x.sum() < 100:
        x = x * 2
    return x


@claim(
    "table-shapes-torchscript",
    DAY_50,
    "Dynamic shapes, TorchScript export: manual dynamic_axes.",
    Verdict.CONFIRMED,
    OPEN_AXES,
)
def manual_dynamic_axes() -> str:
    said = attempt(
        export, mlp(), MLP_INPUT, dynamo=False, dynamic_shapes=({0: torch.export.Dim("batch")},)
    )
    holds("only supports dynamic shapes through parameter dynamic_axes" in said, said)
    wrong_name = export(
        cnn(), CNN_INPUT, **NAMES, dynamo=False, dynamic_axes={"picture": {0: "batch"}}
    )
    holds(dims(wrong_name.model.graph.input[0])[0] == 1, dims(wrong_name.model.graph.input[0]))
    return "It takes nothing else. A misspelled input name in the dictionary gives only a warning, and the model is static."


@claim(
    "table-shapes-dynamo",
    DAY_50,
    "Dynamic shapes, dynamo export: automatic via guards.",
    Verdict.WRONG,
    OPEN_AXES,
)
def automatic_via_guards() -> str:
    static = dims(export(mlp(), MLP_INPUT).model.graph.input[0])
    holds(static == [1, 784], static)
    batch = torch.export.Dim("batch", min=1, max=32)
    bounded = export(
        mlp(), torch.ones(2, 784), dynamic_shapes=({0: batch},), input_names=["x"]
    ).path
    rows = len(run(bounded, {"x": np.ones((64, 784), np.float32)}))
    holds(rows == 64, rows)
    return (
        f"Without `dynamic_shapes` the input is {static}: nothing is automatic. And no guard reaches the file: exported with at most "
        f"32 rows, it runs with {rows}."
    )


@claim(
    "table-custom-ops",
    DAY_50,
    "Custom ops, TorchScript export: requires scripting.",
    Verdict.MISLEADING,
    OPERATORS,
)
def requires_scripting() -> str:
    def symbolic(graph, x, y):
        return graph.op("Sqrt", graph.op("Add", graph.op("Mul", x, x), graph.op("Mul", y, y)))

    holds(
        attempt(hypotenuse, dynamo=False).startswith("UnsupportedOperatorError"),
        "hypot exports as it is",
    )
    register_custom_op_symbolic("aten::hypot", symbolic, 18)
    try:
        found = hypotenuse(dynamo=False, opset_version=18)
    finally:
        unregister_custom_op_symbolic("aten::hypot", 18)
    holds(found == 5, found)
    return "It requires a symbolic function: with one registered, `torch.hypot` exports and runs, without any scripting."


@claim(
    "simplify-architecture",
    Source.INTEROPERABILITY,
    "…export failures, requiring the developer to simplify the model architecture.",
    Verdict.MISLEADING,
    OPERATORS,
)
@claim(
    "table-custom-ops-dynamo",
    DAY_50,
    "Custom ops, dynamo export: native FX decomposition.",
    Verdict.MISLEADING,
    OPERATORS,
)
def fx_decomposition() -> str:
    import onnxscript

    operators = onnxscript.opset18

    def translated(x, y):
        return operators.Sqrt(operators.Add(operators.Mul(x, x), operators.Mul(y, y)))

    said = attempt(hypotenuse)
    holds("ConversionError" in said, said)
    found = hypotenuse(custom_translation_table={torch.ops.aten.hypot.default: translated})
    holds(found == 5, found)
    return (
        "An operator without a decomposition, such as `torch.hypot`, raises ConversionError until `custom_translation_table` says how "
        "to write it."
    )


def hypotenuse(**options) -> float:
    """Export `torch.hypot` and run it for 3 and 4."""
    model = export(Function(torch.hypot), torch.ones(2), torch.ones(2), **options).model
    three, four = (np.full(2, side, np.float32) for side in (3, 4))
    return float(
        run(
            model, dict(zip([each.name for each in model.graph.input], (three, four), strict=True))
        )[0]
    )


@claim(
    "table-speed",
    DAY_50,
    "Speed: TorchScript export is faster, dynamo export slightly slower.",
    Verdict.MISLEADING,
    EXPORTERS,
)
def speed() -> str:
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(4):  # the first round warms up
        for dynamo in seconds:
            start = time.perf_counter()
            export(mlp(), MLP_INPUT, dynamo=dynamo)
            seconds[dynamo].append(time.perf_counter() - start)
    legacy, dynamo = (float(np.median(times[1:])) for times in seconds.values())
    holds(dynamo > 2 * legacy, f"medians: TorchScript {legacy:.3f} s, dynamo {dynamo:.3f} s")
    return (
        "The order is right, “slightly” is not: in interleaved exports of an MLP the median of the dynamo exporter is more than twice "
        "the other's."
    )


@claim(
    "table-maturity-torchscript",
    DAY_50,
    "Maturity: TorchScript export is stable.",
    Verdict.OUTDATED,
    EXPORTERS,
)
def maturity_torchscript() -> str:
    warned = [
        text
        for text in export(mlp(), MLP_INPUT, dynamo=False).warned
        if text.startswith("DeprecationWarning")
    ]
    holds(any("legacy TorchScript-based" in text for text in warned), warned)
    return "It is deprecated: “You are using the legacy TorchScript-based ONNX export.”"


@claim(
    "table-maturity-dynamo",
    DAY_50,
    "Maturity: dynamo export is evolving (PyTorch 2.x+).",
    Verdict.OUTDATED,
    EXPORTERS,
)
def maturity_dynamo() -> str:
    default = inspect.signature(torch.onnx.export).parameters["dynamo"].default
    holds(default is True, default)
    return "It is the default: `torch.onnx.export(…, dynamo=True)`."
