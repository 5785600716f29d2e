"""The formats and runtimes beyond the default environment: run where their package is, and otherwise named with what they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from workbench.models.zoo import runners
from workbench.models.zoo.carried import judge
from workbench.models.zoo.runners import Subject


@dataclass(frozen=True)
class Elsewhere:
    """One format or runtime: the way to it, the modules that it needs, how to get them, and how to run it.

    Without `run` it needs what no extra of this package brings: `get` says what.
    """

    name: str
    way: str
    get: str = "pip install '.[zoo]'"
    needs: tuple[str, ...] = ()
    run: Callable[[Subject], np.ndarray | str] | None = None

    def status(self, subject: Subject, expected: np.ndarray, tolerance: float) -> str:
        """How the outputs compare (see `judge`), what the tool said, or what is missing. Never raises: a broken tool costs its own line."""
        if self.run is None:
            return f"not run: {self.get}"
        if not all(map(_importable, self.needs)):
            return f"not installed: {self.get}"
        try:
            found = self.run(subject)
        except Exception as error:
            return f"failed: {type(error).__name__}"
        return found if isinstance(found, str) else f"outputs: {judge(found, expected, tolerance)}"


def _importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


KERAS = ("tensorflow", "keras")
ELSEWHERE = (
    Elsewhere("OpenVINO", "from ONNX", needs=("openvino",), run=runners.openvino),
    Elsewhere("TVM", "from ONNX", needs=("tvm",), run=runners.tvm),
    Elsewhere("ExecuTorch", "from torch.export", needs=("executorch",), run=runners.executorch),
    Elsewhere("Core ML", "from torch.export", needs=("coremltools",), run=runners.core_ml),
    Elsewhere("Keras (.keras, .h5)", "layers rewritten", needs=KERAS, run=runners.keras_files),
    Elsewhere("TensorFlow SavedModel", "from Keras", needs=KERAS, run=runners.saved_model),
    Elsewhere("TensorFlow frozen .pb", "from Keras", needs=KERAS, run=runners.frozen_graph),
    Elsewhere("TFLite, now LiteRT", "from Keras", needs=(*KERAS, "ai_edge_litert"), run=runners.lite_rt),
    Elsewhere("JAX pytree (Orbax)", "layers rewritten", needs=("jax", "orbax.checkpoint"), run=runners.orbax),
    Elsewhere("StableHLO on XLA", "from JAX", needs=("jax",), run=runners.stable_hlo),
    Elsewhere("StableHLO on IREE", "from JAX", needs=("jax", "iree.compiler", "iree.runtime"), run=runners.iree),
    Elsewhere("XLA on a TPU", "from StableHLO", "Google's TPU machines"),
    Elsewhere("llama.cpp", "from GGUF", "language models only; pip install llama-cpp-python"),
    Elsewhere("vLLM, TGI", "from SafeTensors", "language models only; each wants an environment of its own"),
    Elsewhere("TensorRT", "from ONNX", "NVIDIA's libraries and GPU, as in NVIDIA's containers"),
    Elsewhere("Neuron", "from PyTorch, not from ONNX", "an AWS Inferentia machine and AWS's package index"),
    Elsewhere("DirectML", "from ONNX", "Windows; pip install onnxruntime-directml"),
    Elsewhere("MXNet", "to ONNX", "retired; its last release does not import beside a current NumPy"),
)
