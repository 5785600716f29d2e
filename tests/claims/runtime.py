"""ONNX Runtime: its providers, and whether one file means the same everywhere."""

import ctypes
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnx.reference import ReferenceEvaluator

from .latency import medians
from .ledger import Source, Verdict, holds, not_ours, topic
from .optimizers import operators
from .running import (
    ALL,
    EXTENDED,
    OFF,
    attempt,
    model_of,
    newest_ir_version,
    node,
    optimised,
    relative_error,
    run,
    session,
    value,
    weight,
)
from .subjects import bert_default, bert_inputs, bert_training, cnn, cnn_default, mlp_default

claim = topic("Runtimes")
NOT_RUN = "08-the-zoo#not-run-here"
DAY_50, LAB, COMPILATION, FORMAT, INTEROPERABILITY = Source
CUDA_FIRST = ["CUDAExecutionProvider", "CPUExecutionProvider"]


@claim(
    "cuda-falls-back",
    LAB,
    "CUDAExecutionProvider uses GPU if available, falls back to CPU.",
    Verdict.CONFIRMED,
    "lab-7-01/01-export-and-run#providers",
)
def falls_back() -> str:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    running = ort.InferenceSession(str(mlp_default().path), options, providers=CUDA_FIRST)
    holds(running.get_providers()[-1] == "CPUExecutionProvider", running.get_providers())
    holds(
        running.run(None, {"input": np.zeros((1, 784), np.float32)})[0].shape == (1, 10),
        "it does not run",
    )
    return (
        "The session is made and runs with or without a GPU. The fall-back is quiet, and where a provider is listed it need not "
        "run anything: only the nodes that each provider took say where the model ran."
    )


@claim(
    "ort-inference",
    LAB,
    'outputs = sess.run(None, {"image": inp}); outputs[0].shape.',
    Verdict.CONFIRMED,
    "lab-7-01/line-1-run-and-measure#run-it",
)
def ort_inference() -> str:
    image = np.random.default_rng(0).normal(size=(1, 3, 16, 16)).astype(np.float32)
    outputs = session(cnn_default().model).run(None, {"image": image})
    holds(len(outputs) == 1 and outputs[0].shape == (1, 10), [each.shape for each in outputs])
    return "A list with one array per output, of the shape that PyTorch gives."


@claim(
    "openmp",
    FORMAT,
    "ORT runs on execution providers like CUDA, TensorRT, or CPU OpenMP.",
    Verdict.OUTDATED,
    "01-format-landscape#any-hardware",
)
def openmp() -> str:
    known = ort.get_all_providers()
    holds(
        {"CUDAExecutionProvider", "TensorrtExecutionProvider", "CPUExecutionProvider"}
        <= set(known),
        known,
    )
    library = next(Path(ort.__file__).parent.glob("capi/onnxruntime_pybind11_state*"))
    linked = [
        name
        for name in (b"libgomp.so", b"libiomp5.so", b"libomp.so")
        if name in library.read_bytes()
    ]
    holds(not linked and not any("openmp" in name.lower() for name in known), linked)
    return (
        f"There is no OpenMP provider among the {len(known)} that this ONNX Runtime knows, and its library links no OpenMP: the CPU "
        "provider has a thread pool of its own."
    )


@claim(
    "providers",
    COMPILATION,
    "Microsoft built ONNX Runtime with execution providers for CPU, CUDA, TensorRT, and DirectML.",
    Verdict.CONFIRMED,
    "01-format-landscape#any-hardware",
)
def providers() -> str:
    named = [
        "CPUExecutionProvider",
        "CUDAExecutionProvider",
        "TensorrtExecutionProvider",
        "DmlExecutionProvider",
    ]
    known = ort.get_all_providers()
    holds(set(named) <= set(known), known)
    return (
        f"`get_all_providers()` knows {', '.join(named)}. Knowing is not holding: `get_available_providers()` says what a wheel was "
        "built with, and the session what works."
    )


@claim(
    "providers-one-file",
    COMPILATION,
    "…enabling the same ONNX file to run optimized across diverse hardware.",
    Verdict.NOT_TESTABLE,
    "01-format-landscape#any-hardware",
)
def one_file() -> str:
    not_ours("tensorrt", "onnxruntime-directml")
    return "The CPU provider runs it here. CUDA wants a GPU, TensorRT and DirectML packages that no environment of the course holds."


@claim(
    "any-framework-any-runtime",
    COMPILATION,
    "A common format that any framework can export to and any runtime can consume.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
@claim(
    "any-compliant-runtime",
    COMPILATION,
    "A portable artifact that any compliant runtime can import.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
@claim(
    "universal",
    FORMAT,
    "ONNX acts as a universal intermediate representation, mapping models to standardized execution graphs.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
@claim(
    "any-hardware",
    FORMAT,
    "A .onnx file can then be compiled and executed on any hardware using optimized runtimes.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
@claim(
    "seamless",
    INTEROPERABILITY,
    "ONNX enables seamless movement between different frameworks.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
def any_runtime() -> str:
    kinds = {
        "a Gemm of int32": ("Gemm", onnx.TensorProto.INT32),
        "an Add of bfloat16": ("Add", onnx.TensorProto.BFLOAT16),
    }
    for name, (operator, kind) in kinds.items():
        model = model_of(
            [node(operator, "x x")], [value("x", [2, 2], kind)], [value("y", [2, 2], kind)]
        )
        plain, loaded = (
            attempt(onnx.checker.check_model, model, full_check=True),
            attempt(session, model),
        )
        holds(plain == "accepted" and loaded != "accepted", f"{name}: {plain}; {loaded}")
    importers = [name for name in dir(torch.onnx) if name.startswith(("load", "import_"))]
    holds(not importers, importers)
    return (
        f"Valid models that ONNX Runtime's CPU provider refuses: {' and '.join(kinds)}. By default `onnx.helper.make_model` "
        f"writes IR version {newest_ir_version()}. "
        "And it is a one-way road: `torch.onnx` exports and has no import."
    )


@claim(
    "hardware-consistent",
    INTEROPERABILITY,
    "Mathematical operations are interpreted consistently across different hardware backends.",
    Verdict.MISLEADING,
    "01-format-landscape#the-pdf-of-models",
)
@claim(
    "vehicle",
    INTEROPERABILITY,
    "Deploying the exact same graph to the vehicle ensures that safety-critical logic remains consistent.",
    Verdict.MISLEADING,
    "01-format-landscape#the-pdf-of-models",
)
def consistent() -> str:
    half = np.float16
    nodes = [node("Mul", "x big", "m"), node("Mul", "m small")]
    weights = [weight("big", np.array([1000], half)), weight("small", np.array([0.001], half))]
    kind = onnx.TensorProto.FLOAT16
    model = model_of(nodes, [value("x", [1], kind)], [value("y", [1], kind)], weights)
    feeds = {"x": np.array([100], half)}
    with np.errstate(over="ignore"):
        standard = ReferenceEvaluator(model).run(None, feeds)[0]
    found = run(model, feeds)
    holds(
        np.isinf(standard).all() and np.isfinite(found).all(),
        f"reference {standard}, ONNX Runtime {found}",
    )
    return (
        "One graph, one machine, two backends: (x · 1000) · 0.001 in float16 with x = 100 is infinite by onnx's reference evaluator "
        "and about 100 by ONNX Runtime, whose CPU provider computes it in float32."
    )


@claim(
    "pdf",
    INTEROPERABILITY,
    "Like a PDF, ONNX allows a model to be executed exactly as intended.",
    Verdict.MISLEADING,
    "01-format-landscape#the-pdf-of-models",
)
def pdf() -> str:
    model, feeds = bert_training(), bert_inputs()
    runs = {
        level: {session(model, level).run(None, feeds)[0].tobytes() for _ in range(3)}
        for level in (OFF, ALL)
    }
    holds(
        len(runs[OFF]) == 3 and len(runs[ALL]) == 1,
        {str(level): len(found) for level, found in runs.items()},
    )
    levels = {run(bert_default().model, feeds, level).tobytes() for level in (OFF, ALL)}
    holds(len(levels) == 2, "bit-equal at both levels")
    return (
        "Not to the bit: BERT's outputs at two optimisation levels differ in their last digits. And a graph with training-mode Dropout "
        "gives another result each time at ORT_DISABLE_ALL, and always the same at the default level."
    )


@claim(
    "lock-in",
    COMPILATION,
    "Train once, deploy anywhere, without being locked into a single stack.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
@claim(
    "lock-in",
    INTEROPERABILITY,
    "Adopting ONNX reduces vendor lock-in.",
    Verdict.MISLEADING,
    "01-format-landscape#any-hardware",
)
def lock_in() -> str:
    after = optimised(cnn_default().model, EXTENDED)
    vendor = sorted(key for key in operators(after) if key.startswith("com.microsoft"))
    said = attempt(ReferenceEvaluator, after)
    holds(vendor and said != "accepted", f"{vendor}; {said}")
    return (
        f"As long as the file holds standard operators only. What ONNX Runtime saves after optimising the CNN ({', '.join(vendor)}) no "
        "other runtime has to know: onnx's own reference evaluator refuses it."
    )


@claim(
    "transition",
    FORMAT,
    "Exporting models to ONNX lets you go from PyTorch training to high-performance inference engines.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights-and-a-graph",
)
def transition() -> str:
    images = torch.linspace(-1, 1, 3 * 768).reshape(3, 3, 16, 16)
    error = relative_error(run(cnn_default().model, {"image": images.numpy()}), cnn()(images))
    holds(error < 1e-4, error)
    return "The CNN runs in ONNX Runtime and agrees with PyTorch to a relative error below 1e-4. How much faster it is, you measure."


@claim(
    "deploy-cpp",
    LAB,
    "Train in PyTorch → deploy in C++.",
    Verdict.CONFIRMED,
    "lab-7-01/05-torchscript#without-python",
)
def deploy_cpp() -> str:
    libraries = [
        path
        for path in Path(ort.__file__).parent.glob("capi/*onnxruntime*")
        if path.suffix != ".py" and "providers" not in path.name
    ]
    entries = [
        path.name
        for path in libraries
        if attempt(lambda path=path: ctypes.CDLL(str(path)).OrtGetApiBase) == "accepted"
    ]
    holds(entries, [path.name for path in libraries])
    holds(
        not list(Path(ort.__file__).parent.rglob("*.h")),
        "the wheel has headers now: run a C++ program with it",
    )
    return (
        "The C++ program of notebook 05 runs a saved TorchScript module with libtorch. ONNX Runtime's wheel holds a library with a C "
        "interface (`OrtGetApiBase`) and no headers, so no C++ program was linked with it here."
    )


@claim(
    "faster-automatically",
    INTEROPERABILITY,
    "Converting a model to ONNX does not automatically make it faster; it depends on the kernels.",
    Verdict.CONFIRMED,
    "01-format-landscape#always-faster",
)
def not_automatically() -> str:
    model, evaluator = cnn_default().model, ReferenceEvaluator(cnn_default().model)
    feeds = {"image": np.ones((8, 3, 16, 16), np.float32)}
    fast = session(model)
    slow, quick = medians(
        lambda: evaluator.run(None, feeds), lambda: fast.run(None, feeds), rounds=5
    )
    holds(slow > 5 * quick, f"reference evaluator {slow:.2e} s, ONNX Runtime {quick:.2e} s")
    return "The same file, the same CPU: onnx's reference evaluator takes more than five times as long as ONNX Runtime (interleaved medians)."


@claim(
    "tensorrt-2ms",
    LAB,
    "TensorRT FP16: ~2 ms.",
    Verdict.NOT_TESTABLE,
    "lab-7-01/06-interview#recorded-results",
)
@claim(
    "tensorrt-engine",
    LAB,
    "TensorRT converts ONNX to GPU-optimized engines.",
    Verdict.NOT_TESTABLE,
    "lab-7-01/06-interview#recorded-results",
)
@claim(
    "tensorrt-input",
    COMPILATION,
    "NVIDIA uses ONNX as input to TensorRT for GPU acceleration.",
    Verdict.NOT_TESTABLE,
    NOT_RUN,
)
@claim(
    "jetson",
    COMPILATION,
    "NVIDIA Jetson devices accept ONNX models that TensorRT converts to optimized engines.",
    Verdict.NOT_TESTABLE,
    NOT_RUN,
)
@claim("landscape-tensorrt", DAY_50, "ONNX is deployed on TensorRT.", Verdict.NOT_TESTABLE, NOT_RUN)
def tensorrt() -> str:
    not_ours("tensorrt", "tensorrt-cu13", "torch-tensorrt")
    return "Wants an NVIDIA GPU and TensorRT, whose packages on PyPI fetch the library from the vendor; no environment of the course holds it."
