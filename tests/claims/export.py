"""Calling the exporter: arguments, defaults, and what the file then says."""

import inspect
import re
import warnings

import numpy as np
import onnxruntime as ort
import torch

from .ledger import Source, Verdict, holds, topic
from .running import attempt, new_path, relative_error, run, session
from .shapes import dims
from .subjects import (
    CNN_INPUT,
    MLP_INPUT,
    NAMES,
    Function,
    bert_default,
    bert_inputs,
    bert_training,
    cnn,
    cnn_default,
    export,
    mlp,
    mlp_default,
    resnet_opset_17,
)

claim = topic("Export")
NOTEBOOK = "line-1-export"
OPEN_AXES = f"{NOTEBOOK}#open-axes"
DAY_50, LAB, COMPILATION, FORMAT, INTEROPERABILITY = Source


@claim("pretrained", DAY_50, "models.resnet50(pretrained=True).eval().", Verdict.OUTDATED, NOTEBOOK)
def pretrained() -> str:
    from torchvision import models

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        models.resnet18(pretrained=False)
    said = [str(each.message) for each in caught]
    holds(any("'pretrained' is deprecated since 0.13" in text for text in said), said)
    address = models.ResNet50_Weights.DEFAULT.url
    holds(address.startswith("https://"), address)
    return (
        "torchvision: “The parameter 'pretrained' is deprecated since 0.13 …, please use 'weights' instead.” Either way it downloads a "
        "file."
    )


@claim(
    "dynamic-axes", DAY_50, "torch.onnx.export(…, dynamic_axes={…}).", Verdict.OUTDATED, OPEN_AXES
)
@claim(
    "dynamic-axes",
    LAB,
    "Export PyTorch models to ONNX with proper dynamic axes: torch.onnx.export(…, dynamic_axes={…}).",
    Verdict.OUTDATED,
    "day-50/line-1-export#open-axes",
)
@claim(
    "declare-dynamic-axes",
    FORMAT,
    "To prevent this, we must declare dynamic axes.",
    Verdict.OUTDATED,
    OPEN_AXES,
)
def dynamic_axes() -> str:
    said = " ".join(cnn_default().warned)
    holds("'dynamic_axes' is not recommended when dynamo=True" in said, said)
    shapes = {"input": {0: torch.export.Dim("batch_size")}}
    batch = dims(
        export(
            cnn(), CNN_INPUT, **NAMES, dynamic_shapes=shapes, external_data=False
        ).model.graph.input[0]
    )[0]
    holds(batch == "batch_size", batch)
    return "It works and warns: “'dynamic_axes' is not recommended when dynamo=True”. The argument of today is `dynamic_shapes`."


@claim(
    "dynamic-batch",
    DAY_50,
    '"image": {0: "batch_size"}  # Dynamic batch.',
    Verdict.CONFIRMED,
    OPEN_AXES,
)
@claim(
    "dynamic-batch",
    LAB,
    '"image": {0: "batch_size"}  # batch dim is dynamic.',
    Verdict.CONFIRMED,
    "day-50/line-1-export#open-axes",
)
@claim(
    "symbolic-dimensions",
    FORMAT,
    'dynamic_axes marks dimensions as symbolic variables (e.g., "batch_size") in the graph.',
    Verdict.CONFIRMED,
    OPEN_AXES,
)
@claim(
    "dimensions-vary",
    FORMAT,
    "dynamic_axes takes a dictionary that says which dimensions of inputs and outputs can vary during inference.",
    Verdict.CONFIRMED,
    OPEN_AXES,
)
def dynamic_batch() -> str:
    model = cnn_default().model
    batch = dims(model.graph.input[0])[0]
    holds(batch == "batch_size" == dims(model.graph.output[0])[0], batch)
    for size in (1, 3, 7):
        images = torch.linspace(-1, 1, size * 768).reshape(size, 3, 16, 16)
        error = relative_error(run(model, {"image": images.numpy()}), cnn()(images))
        holds(error < 1e-4, f"batch {size}: relative error {error:.1e}")
    return (
        f"The file names the dimension `{batch}`; batches of 1, 3 and 7 run and agree with PyTorch."
    )


@claim(
    "output-axis-undeclared",
    COMPILATION,
    "torch.onnx.export(…, dynamic_axes={'image': {0: 'batch'}}): the input's axis alone makes the batch dynamic.",
    Verdict.CONFIRMED,
    OPEN_AXES,
)
def output_undeclared() -> str:
    model = export(
        cnn(), CNN_INPUT, **NAMES, dynamic_axes={"image": {0: "batch"}}, external_data=False
    ).model
    found = [dims(each)[0] for each in (model.graph.input[0], model.graph.output[0])]
    holds(found == ["batch", "batch"], found)
    holds(
        run(model, {"image": np.ones((4, 3, 16, 16), np.float32)}).shape == (4, 10), "batch 4 fails"
    )
    static = export(
        cnn(), CNN_INPUT, **NAMES, dynamic_axes={"logits": {0: "batch"}}, dynamo=False
    ).model
    holds(dims(static.graph.input[0])[0] == 1, dims(static.graph.input[0]))
    return (
        "The output's dimension follows from it. The other way round does not: with only the output declared, the input stays at 1, "
        "without an error."
    )


@claim(
    "variable-lengths",
    LAB,
    "If your model handles variable-length sequences or image sizes, those dims must also be dynamic.",
    Verdict.CONFIRMED,
    "lab-7-01/06-interview#dynamic-axes",
)
@claim(
    "dynamic-axis",
    LAB,
    "A dynamic axis is a tensor dimension that isn't fixed at export time.",
    Verdict.CONFIRMED,
    "lab-7-01/06-interview#dynamic-axes",
)
def variable_lengths() -> str:
    fixed, free = session(bert_default().model), session(bert_training())
    holds(fixed.run(None, bert_inputs(2, 7))[0].shape[1] == 7, "the exported length fails")
    said = attempt(fixed.run, None, bert_inputs(2, 9))
    holds("INVALID_ARGUMENT" in said or "InvalidArgument" in said, said)
    holds(free.run(None, bert_inputs(3, 9))[0].shape[:2] == (3, 9), "the dynamic one fails")
    return "BERT exported for 7 tokens refuses 9. Exported with batch and sequence dynamic it takes both."


@claim(
    "opset-17",
    DAY_50,
    "opset_version=17 (ResNet-50).",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#the-opset",
)
@claim("opset-17", LAB, "opset_version=17.", Verdict.OUTDATED, "day-50/line-1-export#the-opset")
def opset_17() -> str:
    got = {
        "ResNet-50": resnet_opset_17().opset,
        "MLP": export(mlp(), MLP_INPUT, opset_version=17).opset,
    }
    holds(got == {"ResNet-50": 18, "MLP": 17}, got)
    return (
        "A wish, not an order: the default exporter builds opset 18 or later and then converts down. Asked for 17 it writes "
        f"{got['MLP']} for an MLP and {got['ResNet-50']} for ResNet-50."
    )


@claim(
    "opset-12",
    FORMAT,
    "opset_version=12: target ONNX operator set version.",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#the-opset",
)
def opset_12() -> str:
    default = export(mlp(), MLP_INPUT, opset_version=12)
    legacy = export(mlp(), MLP_INPUT, opset_version=12, dynamo=False)
    holds((default.opset, legacy.opset) == (18, 12), (default.opset, legacy.opset))
    return f"The default exporter succeeds and writes opset {default.opset}. Only the TorchScript-based one writes {legacy.opset}."


@claim(
    "default-exporter",
    DAY_50,
    "torch.onnx.export(model, …) is the TorchScript-based export.",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#two-exporters",
)
def default_exporter() -> str:
    default = inspect.signature(torch.onnx.export).parameters["dynamo"].default
    said = export(mlp(), MLP_INPUT).said
    holds(default is True and "torch.export.export" in said, f"dynamo={default}; {said}")
    legacy = export(mlp(), MLP_INPUT, dynamo=False).warned
    holds(
        any(
            text.startswith("DeprecationWarning") and "legacy TorchScript-based" in text
            for text in legacy
        ),
        legacy,
    )
    return (
        "The same call runs the dynamo exporter today (`dynamo=True` is the default); `dynamo=False` is the TorchScript-based one and "
        "says it is legacy."
    )


@claim(
    "tracing-required",
    FORMAT,
    "Exporting requires tracing execution using dummy inputs.",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#two-exporters",
)
@claim(
    "dummy-dimensions",
    FORMAT,
    "By default, the exporter traces the graph using the exact dimensions of the dummy input.",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#two-exporters",
)
def tracing_required() -> str:
    shapes = (({0: torch.export.Dim("rows", min=2)},),)
    function = Function(lambda x: x * x.shape[0])
    model = export(
        function, torch.ones(5, 2), dynamic_shapes=shapes, external_data=False, input_names=["x"]
    ).model
    for rows in (2, 7):
        holds(run(model, {"x": np.ones((rows, 2), np.float32)})[0, 0] == rows, f"{rows} rows")
    return (
        "The default exporter captures the program symbolically: a model that multiplies by its number of rows, exported with 5 of "
        "them and a dynamic dimension, is right for 2 and 7. Without a dynamic dimension it still fixes the example's sizes."
    )


@claim(
    "batch-locked",
    FORMAT,
    "If the dummy input has a batch size of 1, the exported model is locked to 1, and a batch of 32 triggers a runtime error.",
    Verdict.CONFIRMED,
    OPEN_AXES,
)
def batch_locked() -> str:
    said = attempt(run, mlp_default().path, {"input": np.zeros((32, 784), np.float32)})
    wanted = re.search(r"Got: 32 Expected: 1", said)
    holds(wanted, said)
    return f"Without dynamic dimensions ONNX Runtime refuses a batch of 32: “{wanted[0]}”."


@claim(
    "own-script",
    FORMAT,
    "The page's own script: x_in of batch size 5 (dynamic), output shape [5, 10], “completed successfully”.",
    Verdict.WRONG,
    OPEN_AXES,
)
def own_script() -> str:
    said = attempt(run, mlp_default().path, {"input": np.zeros((5, 784), np.float32)})
    wanted = re.search(r"Got: 5 Expected: 1", said)
    holds(wanted, said)
    return f"The model that the same page exports declares no dynamic axis; its script stops with “{wanted[0]}”."


@claim(
    "own-path",
    FORMAT,
    'Both scripts use the path "C:/Users/…/scratch/mlp.onnx".',
    Verdict.WRONG,
    NOTEBOOK,
)
def own_path() -> str:
    elsewhere = new_path("scratch") / "mlp.onnx"
    said = attempt(torch.onnx.export, mlp(), (MLP_INPUT,), str(elsewhere))
    holds("No such file or directory" in said, said)
    return (
        "A folder of the author's machine: the exporter makes no folders, so on any other machine the script stops with “No such file "
        "or directory”."
    )


@claim(
    "match-names",
    FORMAT,
    "The input must match name and shape of the exported model.",
    Verdict.CONFIRMED,
    OPEN_AXES,
)
def match_names() -> str:
    said = attempt(run, mlp_default().path, {"image": np.zeros((1, 784), np.float32)})
    holds("Required inputs (['input']) are missing" in said, said)
    return "With another name ONNX Runtime raises: “Required inputs (['input']) are missing”."


@claim(
    "simple-net",
    INTEROPERABILITY,
    "Sample: export a Linear(10, 2) and run it; the result is a list with one float32 array of shape (1, 2).",
    Verdict.CONFIRMED,
    NOTEBOOK,
)
def simple_net() -> str:
    exported = export(
        torch.nn.Linear(10, 2), torch.ones(1, 10), input_names=["input"], output_names=["output"]
    )
    session = ort.InferenceSession(str(exported.path))
    result = session.run(None, {session.get_inputs()[0].name: np.ones((1, 10), np.float32)})
    holds(len(result) == 1 and result[0].shape == (1, 2) and result[0].dtype == np.float32, result)
    warned = (
        any("training mode" in text for text in exported.warned) or "training mode" in exported.said
    )
    return "It runs." + (
        " The exporter warns that the model is in training mode: the sample has no `.eval()`."
        if warned
        else ""
    )
