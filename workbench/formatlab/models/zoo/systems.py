"""Every format and runtime that the course's source texts name: run here, converted here, or
described from its makers' documentation.

The table at the end of notebook 08 shows these rows. `where` is a section of that notebook (or
`notebook#section`); a described row has the address of a primary source instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from formatlab.models.zoo.carried import Journey

# What the device cards of the zoo name.
PACKAGES = (
    *("torch", "onnxruntime-gpu", "executorch", "tensorflow-cpu", "keras", "ai-edge-litert", "jax"),
    *("orbax-checkpoint", "torchax", "iree-base-runtime", "openvino", "apache-tvm", "coremltools"),
    *("onnx2torch", "transformers", "llama-cpp-python", "numpy"),
)
RUN = "run here"
CONVERTED = "converted here"
DESCRIBED = "described"
NOTHING = "runs nothing"
ANYTHING = "can run anything"
OWN_CODE = "is a program: runs it"
CALLED = f"{NOTHING}; calling it can write files"
STRANGERS_CACHE = "torch.compile, a stranger's cache"


@dataclass(frozen=True, kw_only=True)
class System:
    """One row.

    `stops`: the stops of the journeys whose verdicts it shows. `tried`: the hostile files of its
    format, as `opened()` names them. `known_as`: what else it is called. `says`: what a described
    system's documentation states.
    """

    name: str
    status: str
    where: str
    opening: str = ""
    stops: tuple[str, ...] = ()
    says: str = ""
    tried: tuple[str, ...] = ()
    known_as: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        return {self.name, *self.name.split(", "), *self.known_as}


def verdicts(system: System, *journeys: Journey) -> str:
    """The verdicts of the system's stops, in their order and without repetitions. Raises KeyError
    for a stop that is not there.
    """
    found = {stop.name: stop.verdict for journey in journeys for stop in journey.stops}
    return ", ".join(dict.fromkeys(found[name] for name in system.stops))


def _run(
    name: str,
    where: str,
    opening: str,
    *stops: str,
    tried: tuple[str, ...] = (),
    known_as: tuple[str, ...] = (),
) -> System:
    return System(
        name=name,
        status=RUN,
        where=where,
        opening=opening,
        stops=stops,
        says="",
        tried=tried,
        known_as=known_as,
    )


def _described(name: str, source: str, says: str, *known_as: str) -> System:
    return System(
        name=name,
        status=DESCRIBED,
        where=source,
        opening="not tried",
        stops=(),
        says=says,
        tried=(),
        known_as=known_as,
    )


NEURON = "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/archive/faq/onnx-faq.html"
DIRECTML = "https://onnxruntime.ai/docs/execution-providers/DirectML-ExecutionProvider"
SYSTEMS = (
    _run(
        *(
            "PyTorch state dict",
            "pytorch-files",
            f"{NOTHING}; with weights_only=False {ANYTHING}",
            "state dict",
        ),
        tried=("torch.load", "torch.load, weights_only=False"),
        known_as=("PyTorch", "State dicts"),
    ),
    _run(
        "SafeTensors",
        "pytorch-files",
        NOTHING,
        "SafeTensors",
        "MiniLM, PyTorch",
        tried=("SafeTensors",),
    ),
    _run(
        *("TorchScript", "pytorch-files", "can run TorchScript", "TorchScript"),
        tried=("TorchScript",),
        known_as=("TorchScript-based",),
    ),
    _run("torch.export", "pytorch-files", ANYTHING, "torch.export", tried=("torch.export",)),
    _run(
        "torch.compile",
        "torchcompile",
        f"a cache of your own machine; another's {ANYTHING}",
        tried=(STRANGERS_CACHE,),
    ),
    _run("AOTInductor", "aotinductor", OWN_CODE, "AOTInductor", tried=("AOTInductor",)),
    _run(
        "ExecuTorch",
        "executorch",
        NOTHING,
        "ExecuTorch, portable",
        "ExecuTorch, XNNPACK",
        tried=("ExecuTorch",),
    ),
    _run(
        *(
            "Keras",
            "keras",
            f"{NOTHING}; with safe_mode=False {ANYTHING}",
            "Keras .keras",
            "Keras .h5",
            "Keras to ONNX",
        ),
        tried=("Keras .keras", "Keras .h5", "Keras, safe_mode=False"),
    ),
    _run(
        *("TensorFlow SavedModel", "savedmodel", CALLED, "SavedModel"),
        tried=("SavedModel, loading", "SavedModel, calling"),
        known_as=("TensorFlow", "TF", "SavedModel"),
    ),
    _run(
        *("TensorFlow frozen graph", "frozen-graph", CALLED, "frozen graph"),
        tried=("frozen graph, loading", "frozen graph, calling"),
    ),
    _run(
        *("LiteRT (TFLite)", "litert", NOTHING, "LiteRT, float", "LiteRT, dynamic", "LiteRT, int8"),
        tried=("LiteRT",),
        known_as=("TFLite", "LiteRT"),
    ),
    _run(
        "JAX pytree, Orbax",
        "jax-and-orbax",
        NOTHING,
        "JAX, Orbax",
        tried=("Orbax",),
        known_as=("JAX",),
    ),
    _run(
        "StableHLO on XLA (CPU)",
        "stablehlo-and-xla",
        NOTHING,
        "StableHLO, XLA",
        tried=("jax.export",),
        known_as=("StableHLO",),
    ),
    _run(
        "torchax",
        "torchax",
        "as the format that it writes",
        "torch to SavedModel",
        "torch to LiteRT",
        "torch to StableHLO",
    ),
    _run(
        *(
            "ONNX, ONNX Runtime",
            "onnx-and-onnx-runtime",
            NOTHING,
            "ONNX Runtime",
            "ONNX Runtime, .ort",
            "MiniLM, ONNX Runtime",
        ),
        tried=(
            "ONNX Runtime",
            "ONNX Runtime, .ort",
            "ONNX, data outside",
            "ONNX Runtime, data outside",
        ),
        known_as=("ORT",),
    ),
    _run(
        "onnx2torch", "the-way-back-to-pytorch", NOTHING, "ONNX to PyTorch", tried=("onnx2torch",)
    ),
    _run(
        "OpenVINO",
        "openvino",
        NOTHING,
        "OpenVINO",
        "OpenVINO, half weights",
        "MiniLM, OpenVINO",
        tried=("OpenVINO",),
    ),
    _run("TVM", "tvm", OWN_CODE, "TVM", tried=("TVM",)),
    _run(
        *(
            "IREE",
            "iree",
            f"own loader: {NOTHING} until you call; the system's loader runs it",
            "IREE, from StableHLO",
            "IREE, from ONNX",
        ),
        tried=("IREE, its own loader", "IREE, the system's loader"),
    ),
    System(
        name="Core ML",
        status=CONVERTED,
        where="core-ml",
        opening=f"coremltools {NOTHING}; Core ML itself not tried",
        tried=("Core ML package",),
        known_as=("CoreML",),
    ),
    _run(
        *(
            "GGUF, llama.cpp",
            "gguf-and-llamacpp",
            f"{NOTHING}; chatting runs the template in a sandbox",
        ),
        *(f"MiniLM, llama.cpp {kind}" for kind in ("F32", "F16", "Q8_0", "Q4_0")),
        tried=("GGUF", "GGUF, chatting"),
    ),
    _run(
        *(
            "scikit-learn, LightGBM, XGBoost",
            "trees-and-forests",
            f"ONNX, skops: {NOTHING}; pickle {ANYTHING}",
        ),
        *(
            "scikit-learn",
            "LightGBM",
            "XGBoost",
            *(f"{name} to ONNX" for name in ("scikit-learn", "LightGBM", "XGBoost")),
            "skops",
        ),
        tried=("skops", "joblib"),
        known_as=("Scikit-Learn",),
    ),
    _described(
        "TensorRT",
        "https://docs.nvidia.com/deeplearning/tensorrt/11.1.0/inference-library/engine-compatibility.html",
        "Builds an engine from ONNX. By default the engine works with the version of TensorRT that built it, on that kind of GPU.",
    ),
    _described(
        "XLA on TPU",
        "https://github.com/openxla/xla",
        "XLA compiles for CPU, GPU and accelerators from PyTorch, TensorFlow and JAX. ONNX is not among the ways in that it names.",
        "XLA",
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
    _described(
        "DirectML",
        DIRECTML,
        "A provider of ONNX Runtime on Windows. Still supported; new features go to Windows ML.",
    ),
    _described(
        "Windows ML",
        "https://learn.microsoft.com/windows/ai/new-windows-ml/overview",
        "Runs ONNX models on Windows through ONNX Runtime, and fetches and manages the execution providers for the hardware.",
    ),
    _described(
        "AWS Neuron",
        NEURON,
        "Does not compile ONNX files. Its way in is PyTorch; an ONNX model goes back to PyTorch first.",
        "Neuron",
    ),
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
