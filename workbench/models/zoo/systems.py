"""Every format and runtime that the course's source texts name: run here, converted here, or described from its makers' documentation.

The table at the end of notebook 08 shows these rows. `where` is a section of that notebook (or `notebook#section`); a described row has
the address of a primary source instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.models.zoo.carried import Journey

# What the device cards of the zoo name.
PACKAGES = (
    *("torch", "onnxruntime-gpu", "executorch", "tensorflow-cpu", "keras", "ai-edge-litert", "jax", "orbax-checkpoint", "torchax"),
    *("iree-base-runtime", "openvino", "apache-tvm", "coremltools", "onnx2torch", "numpy"),
)
RUN, CONVERTED, DESCRIBED = "run here", "converted here", "described"
NOTHING, ANYTHING, OWN_CODE = "runs nothing", "can run anything", "is a program: runs it"

# What else a system is called.
KNOWN_AS = {
    "PyTorch state dict": ("PyTorch", "State dicts"),
    "TorchScript": ("TorchScript-based",),
    "TensorFlow SavedModel": ("TensorFlow", "TF", "SavedModel"),
    "LiteRT (TFLite)": ("TFLite", "LiteRT"),
    "JAX pytree, Orbax": ("JAX",),
    "StableHLO on XLA (CPU)": ("StableHLO",),
    "ONNX, ONNX Runtime": ("ORT",),
    "Core ML": ("CoreML",),
    "scikit-learn, LightGBM, XGBoost": ("Scikit-Learn",),
    "XLA on TPU": ("XLA",),
    "AWS Neuron": ("Neuron",),
}


@dataclass(frozen=True)
class System:
    """One row. `stops`: the stops of the journey whose verdicts it shows. `says`: what a described system's documentation states."""

    name: str
    status: str
    where: str
    opening: str = ""
    stops: tuple[str, ...] = ()
    says: str = ""

    @property
    def names(self) -> set[str]:
        """What the row answers to."""
        return {self.name, *self.name.split(", "), *KNOWN_AS.get(self.name, ())}


def verdicts(system: System, journey: Journey) -> str:
    """The verdicts of the system's stops, in their order and without repetitions. Raises KeyError for a stop that is not there."""
    found = {stop.name: stop.verdict for stop in journey.stops}
    return ", ".join(dict.fromkeys(found[name] for name in system.stops))


def _run(name: str, where: str, opening: str, *stops: str) -> System:
    return System(name, RUN, where, opening, stops)


def _described(name: str, source: str, says: str) -> System:
    return System(name, DESCRIBED, source, "not tried", (), says)


NEURON = "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/archive/faq/onnx-faq.html"
DIRECTML = "https://onnxruntime.ai/docs/execution-providers/DirectML-ExecutionProvider"
SYSTEMS = (
    _run("PyTorch state dict", "pytorch-files", f"{NOTHING}; with weights_only=False {ANYTHING}", "state dict"),
    _run("SafeTensors", "pytorch-files", NOTHING, "SafeTensors"),
    _run("TorchScript", "pytorch-files", "can run TorchScript", "TorchScript"),
    _run("torch.export", "pytorch-files", ANYTHING, "torch.export"),
    _run("torch.compile", "torchcompile", "a cache of your own machine"),
    _run("AOTInductor", "aotinductor", OWN_CODE, "AOTInductor"),
    _run("ExecuTorch", "executorch", NOTHING, "ExecuTorch, portable", "ExecuTorch, XNNPACK"),
    _run("Keras", "keras", f"{NOTHING}; with safe_mode=False {ANYTHING}", "Keras .keras", "Keras .h5"),
    _run("TensorFlow SavedModel", "savedmodel", f"{NOTHING}; calling it can write files", "SavedModel", "torch to SavedModel"),
    _run("TensorFlow frozen graph", "frozen-graph", f"{NOTHING}; calling it can write files", "frozen graph"),
    _run("LiteRT (TFLite)", "litert", NOTHING, "LiteRT, float", "LiteRT, dynamic", "LiteRT, int8"),
    _run("JAX pytree, Orbax", "jax-and-orbax", NOTHING, "JAX, Orbax"),
    _run("StableHLO on XLA (CPU)", "stablehlo-and-xla", NOTHING, "StableHLO, XLA"),
    _run("torchax", "torchax", "as the format that it writes", "torch to SavedModel"),
    _run("ONNX, ONNX Runtime", "onnx-and-onnx-runtime", NOTHING, "ONNX Runtime", "ONNX Runtime, .ort"),
    _run("onnx2torch", "the-way-back-to-pytorch", NOTHING, "ONNX to PyTorch"),
    _run("OpenVINO", "openvino", NOTHING, "OpenVINO", "OpenVINO, half weights"),
    _run("TVM", "tvm", OWN_CODE, "TVM"),
    _run("IREE", "iree", "is machine code: runs when called", "IREE, from StableHLO", "IREE, from ONNX"),
    System("Core ML", CONVERTED, "core-ml", "coremltools runs nothing; Core ML itself not tried"),
    _run("GGUF, llama.cpp", "gguf-and-llamacpp", f"{NOTHING}; chatting runs the template in a sandbox"),
    _run("scikit-learn, LightGBM, XGBoost", "trees-and-forests", f"ONNX, skops: {NOTHING}; pickle {ANYTHING}"),
    _described(
        "TensorRT",
        "https://docs.nvidia.com/deeplearning/tensorrt/11.1.0/inference-library/engine-compatibility.html",
        "Builds an engine from ONNX. By default the engine works with the version of TensorRT that built it, on that kind of GPU.",
    ),
    _described(
        "XLA on TPU",
        "https://github.com/openxla/xla",
        "XLA compiles for CPU, GPU and accelerators from PyTorch, TensorFlow and JAX. ONNX is not among the ways in that it names.",
    ),
    _described(
        "vLLM",
        "https://docs.vllm.ai/en/latest/api/vllm/config/load/",
        "Loads the weights of language models from SafeTensors first, or from PyTorch files. The code of each family is built in.",
    ),
    _described(
        "TGI",
        "https://huggingface.co/docs/text-generation-inference/en/index",
        "Serves language models from SafeTensors. It is in maintenance mode, and its makers recommend vLLM, SGLang and llama.cpp.",
    ),
    _described("DirectML", DIRECTML, "A provider of ONNX Runtime on Windows. Still supported; new features go to Windows ML."),
    _described(
        "Windows ML",
        "https://learn.microsoft.com/windows/ai/new-windows-ml/overview",
        "Runs ONNX models on Windows through ONNX Runtime, and fetches and manages the execution providers for the hardware.",
    ),
    _described("AWS Neuron", NEURON, "Does not compile ONNX files. Its way in is PyTorch; an ONNX model goes back to PyTorch first."),
    _described(
        "OpenVINO Model Server",
        "https://docs.openvino.ai/canonical/ovms_docs_models_repository.html",
        "Serves OpenVINO IR, ONNX, PaddlePaddle, TensorFlow and TensorFlow Lite files from a folder for each model and version.",
    ),
    _described(
        "Triton Inference Server",
        "https://github.com/triton-inference-server/server/blob/main/docs/user_guide/model_repository.md",
        "Serves models of TensorRT, PyTorch, ONNX and OpenVINO from a folder for each model and version, through one backend each.",
    ),
    _described(
        "MXNet",
        "https://attic.apache.org/projects/mxnet.html",
        "Retired by the Apache Software Foundation: its own pages say so, and lead to the Attic of retired projects.",
    ),
)
