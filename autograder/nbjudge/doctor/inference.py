"""What ONNX Runtime's sessions run on."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from nbjudge.doctor.line import Line


def provider() -> Iterator[Line]:
    """The provider of a real session: ONNX Runtime lists those without libraries or device, too."""
    import torch  # its libraries of CUDA are found by ONNX Runtime once they are loaded

    used = _provider_of_a_session()
    gpu = (
        torch.cuda.get_device_name()
        if torch.cuda.is_available()
        else shutil.which("nvidia-smi") and "an NVIDIA GPU"
    )
    detail = f"a session uses {used}; {gpu or 'no NVIDIA GPU'}"
    if gpu and used == "CPUExecutionProvider":
        install = '`pip install "onnxruntime-gpu[cuda,cudnn]"`'
        fix = f"everything works, on the CPU. For the GPU, with a driver that nvidia-smi can talk to, type {install}"
        yield Line("onnxruntime", "warn", detail, fix)
    else:
        yield Line("onnxruntime", "ok", detail)


def _provider_of_a_session() -> str:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # TensorRT is listed wherever the package is, and complains on the terminal where its libraries
    # are not.
    wanted = [
        name for name in onnxruntime.get_available_providers() if not name.startswith("Tensorrt")
    ]
    with _quiet():
        session = onnxruntime.InferenceSession(_probe(), options, providers=wanted)
    return session.get_providers()[0]


def _probe() -> bytes:
    """A model of one node."""
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y"))
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "probe", [x], [y])
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


@contextmanager
def _quiet() -> Iterator[None]:
    """No standard error while it lasts, not even from C++: ONNX Runtime reports there what the line
    says anyway.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
