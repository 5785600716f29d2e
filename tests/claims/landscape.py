"""The formats and runtimes of the landscape: who writes what, and what loads it."""

import warnings
import zipfile
from importlib.metadata import metadata

import onnx
import torch
from onnx.reference import ReferenceEvaluator

from .ledger import Source, Verdict, holds, installed, not_ours, topic
from .running import attempt, new_path, relative_error, run
from .subjects import MLP_INPUT, bert, mlp, mlp_default

claim = topic("Format landscape")
NOTEBOOK = "01-format-landscape"
NOT_RUN = "08-the-zoo#not-run-here"
DAY_50, LAB, COMPILATION, FORMAT, INTEROPERABILITY = Source


@claim(
    "pytorch-pt",
    DAY_50,
    "PyTorch saves .pt/.pth.",
    Verdict.MISLEADING,
    "01-format-landscape#side-by-side",
)
@claim(
    "torchscript-archive",
    DAY_50,
    "TorchScript: a .pt archive.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
def pt_archives() -> str:
    folder = new_path("state.pt").parent
    torch.save(mlp().state_dict(), folder / "state.pt")
    torch.save(mlp(), folder / "module.pt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(mlp(), MLP_INPUT).save(folder / "script.pt")
    members = {
        path.stem: {
            name.split("/", 1)[1].split("/")[0] for name in zipfile.ZipFile(path).namelist()
        }
        for path in folder.glob("*.pt")
    }
    holds(
        len(members) == 3
        and [name for name, found in members.items() if "code" in found] == ["script"],
        members,
    )
    whole = attempt(torch.load, folder / "module.pt")
    holds(whole.startswith("UnpicklingError"), whole)
    return (
        "All three are zip archives named .pt: a state dict, a pickled module (which `torch.load` refuses by default), a TorchScript "
        "archive, the only one with `code/`. The name does not say which."
    )


@claim(
    "torchscript-ir",
    DAY_50,
    "TorchScript: traced/scripted Python → IR.",
    Verdict.OUTDATED,
    "01-format-landscape#weights-and-a-graph",
)
@claim(
    "torchscript-lightweight",
    LAB,
    "Apply TorchScript as a lightweight alternative.",
    Verdict.OUTDATED,
    "lab-7-01/05-torchscript#deprecation",
)
def torchscript_ir() -> str:
    warned = []
    for make in (lambda: torch.jit.trace(mlp(), MLP_INPUT), lambda: torch.jit.script(mlp())):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            module = make()
        holds("graph(" in str(module.graph), str(module.graph)[:100])
        warned.append(
            {
                each.category
                for each in caught
                if "torch.jit" in str(each.message) and "is deprecated" in str(each.message)
            }
        )
    # Python hides the first of them outside `__main__`, and shows the second to everybody.
    holds(warned[0] == warned[1] and warned[0] <= {DeprecationWarning, FutureWarning}, warned)
    [kind] = warned[0]
    return f"Tracing and scripting still give a graph, and a {kind.__name__} each: use `torch.export` or `torch.compile`."


@claim(
    "torchscript-cpp",
    LAB,
    "TorchScript is better when you need Python-free C++ deployment.",
    Verdict.OUTDATED,
    "lab-7-01/05-torchscript#without-python",
)
def torchscript_cpp() -> str:
    import torch._inductor

    path = new_path("mlp.pt2")
    torch.export.save(torch.export.export(mlp(), (MLP_INPUT,)), path)
    error = relative_error(
        torch.export.load(path).module()(MLP_INPUT).detach().numpy(), mlp()(MLP_INPUT)
    )
    holds(error < 1e-6 and callable(torch._inductor.aoti_compile_and_package), error)
    torchscript_ir()
    return "It does that and is deprecated. `torch.export` with AOTInductor compiles to a library for C++, and ONNX Runtime is one."


@claim(
    "torchscript-nvidia",
    LAB,
    "TorchScript is better when deploying within NVIDIA's ecosystem.",
    Verdict.NOT_TESTABLE,
    "lab-7-01/05-torchscript#successors",
)
def torchscript_nvidia() -> str:
    not_ours("torch-tensorrt", "tensorrt")
    return "Torch-TensorRT and Triton are not in any environment of the course, and there is no GPU to compare on."


@claim(
    "safetensors-huggingface",
    DAY_50,
    "SafeTensors: ecosystem Hugging Face.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights",
)
def safetensors_huggingface() -> str:
    folder = new_path("config.json").parent
    bert().bert.save_pretrained(folder)
    files = sorted(path.name for path in folder.iterdir())
    holds(files == ["config.json", "model.safetensors"], files)
    return f"`save_pretrained` of transformers writes {' and '.join(files)} by default. The format itself needs neither."


@claim(
    "onnx-cross-framework",
    DAY_50,
    "ONNX: cross-framework, standardized opset, wide tooling.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
@claim(
    "landscape-onnx-ort",
    DAY_50,
    "PyTorch → ONNX (.onnx) → ONNX Runtime.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
@claim(
    "portable",
    LAB,
    "ONNX is an open format that makes models portable across frameworks and runtimes.",
    Verdict.CONFIRMED,
    "01-format-landscape#side-by-side",
)
def cross_framework() -> str:
    x = MLP_INPUT.numpy()
    expected = mlp()(MLP_INPUT)
    errors = (
        relative_error(run(mlp_default().path, {"input": x}), expected),
        relative_error(
            ReferenceEvaluator(str(mlp_default().path)).run(None, {"input": x})[0], expected
        ),
    )
    holds(max(errors) < 1e-5, errors)
    return (
        "PyTorch's MLP gives the same logits in ONNX Runtime and in onnx's reference evaluator, which share no code: relative error "
        "below 1e-5."
    )


@claim(
    "open-source",
    FORMAT,
    "ONNX is an open-source standard for model representation.",
    Verdict.CONFIRMED,
    NOTEBOOK,
)
def open_source() -> str:
    found = metadata("onnx")
    licence = found.get("License-Expression") or found.get("License")
    holds(licence == "Apache-2.0", licence)
    return f"The package onnx, which holds the schema, says its licence is {licence}."


@claim(
    "beyond-deep-learning-operators",
    INTEROPERABILITY,
    "ONNX is only for deep learning: a pitfall.",
    Verdict.CONFIRMED,
    "01-format-landscape#only-for-deep-learning",
)
def classical_operators() -> str:
    names = sorted(
        {
            schema.name
            for schema in onnx.defs.get_all_schemas_with_history()
            if schema.domain == "ai.onnx.ml" and not schema.deprecated
        }
    )
    holds({"TreeEnsembleClassifier", "SVMClassifier", "LinearRegressor"} <= set(names), names)
    return (
        f"The standard has a domain of its own for the rest, ai.onnx.ml, with {len(names)} operators: TreeEnsembleClassifier and "
        "SVMClassifier among them."
    )


@claim("landscape-vllm", DAY_50, "SafeTensors → vLLM / TGI.", Verdict.NOT_TESTABLE, NOT_RUN)
def vllm() -> str:
    not_ours("vllm", "text-generation-inference")
    return "vLLM pins a torch of its own, and TGI comes as a container: neither is in an environment of the course."


@claim(
    "mxnet",
    FORMAT,
    "Models trained in PyTorch, TensorFlow, or MXNet can be exported to ONNX.",
    Verdict.NOT_TESTABLE,
    NOT_RUN,
)
def mxnet() -> str:
    not_ours("mxnet", "tf2onnx")
    holds(not installed("mxnet"), "mxnet is installed: write the test")
    return (
        "PyTorch can. MXNet is a retired Apache project whose last package does not import beside today's NumPy; no environment of the "
        "course holds it."
    )
