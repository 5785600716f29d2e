"""`course doctor`: what works on this machine, and what to type where something does not.

`examine` returns data; `main` prints it. Nothing heavy is imported before the line that needs it,
so that a broken package costs its own line and no other. A line fails when a student cannot work on
the labs; what only grading or speed needs is a warning.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement
from packaging.version import Version

Status = Literal["ok", "warn", "fail"]

INSTALL = "make install   (or: pip install -c requirements.lock .)"


@dataclass(frozen=True)
class Line:
    """One finding. `fix` is what to type or do; empty when the status is "ok"."""

    name: str
    status: Status
    detail: str
    fix: str = ""


def examine() -> list[Line]:
    """Every line, in the order in which problems are best solved. Never raises: a check that breaks
    is itself a finding.
    """
    lines: list[Line] = []
    for check in (
        _python,
        _packages,
        _torchvision,
        _provider,
        _kernel,
        *_of_others(),
        _nbgrader,
        _exchange,
        _sandbox,
    ):
        lines += _guarded(check)
    return lines


def main(as_json: bool = False) -> int:
    """Print the findings. The exit code: 0 when a student can work on the labs, 1 when a line
    fails.
    """
    lines = examine()
    healthy = all(line.status != "fail" for line in lines)
    if as_json:
        print(json.dumps({"ok": healthy, "lines": [asdict(line) for line in lines]}, indent=2))
    else:
        _print(lines)
    return 0 if healthy else 1


def _print(lines: list[Line]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for line in lines:
        detail = Text(line.detail)
        if line.fix:
            detail.append(f"\n-> {line.fix}", style="bold")
        table.add_row(Text(line.status, style=styles[line.status]), line.name, detail)
    Console().print(table)


def _guarded(check: Callable[[], Iterator[Line]]) -> list[Line]:
    try:
        return list(check())
    except Exception as error:
        name = check.__name__.strip("_")
        return [
            Line(name, "fail", f"could not be examined: {type(error).__name__}: {error}", INSTALL)
        ]


def _python() -> Iterator[Line]:
    suitable = (3, 11) <= sys.version_info < (3, 14)
    detail = f"{platform.python_version()} at {sys.executable}"
    fix = "Install Python 3.11, 3.12 or 3.13, then: make install PYTHON=python3.12"
    yield (
        Line("python", "ok", detail)
        if suitable
        else Line("python", "fail", f"{detail}; the course needs 3.11 to 3.13", fix)
    )


def _packages() -> Iterator[Line]:
    """Against the lock: a direct dependency that is missing fails, another version than the locked
    one is a warning.
    """
    locked = _locked()
    needed = [Requirement(text) for text in metadata.requires("autograder") or []]
    missing = [
        each.name
        for each in needed
        if (each.marker is None or each.marker.evaluate({"extra": ""})) and not _version(each.name)
    ]
    other = [
        f"{name} {_version(name)} (locked: {pin})"
        for name, pin in locked.items()
        if _version(name) not in ("", pin)
    ]
    if missing:
        yield Line("packages", "fail", f"missing: {', '.join(missing)}", INSTALL)
    if other:
        yield Line("packages", "warn", f"not the locked version: {', '.join(other)}", INSTALL)
    if not missing and not other:
        yield Line(
            "packages",
            "ok",
            f"{sum(bool(_version(name)) for name in locked)} installed, each at its locked version",
        )


def _torchvision() -> Iterator[Line]:
    """Whether torchvision's compiled operators run beside this torch; and that its Python part
    imports, which the labs need.
    """
    import torch
    import torchvision

    wanted = next(
        (
            Requirement(text)
            for text in metadata.requires("torchvision") or []
            if Requirement(text).name == "torch"
        ),
        None,
    )
    pair = f"torch {torch.__version__}, torchvision {torchvision.__version__}"
    pin = _locked().get("torchvision", Version(torchvision.__version__).public)
    build = "cpu" if torch.version.cuda is None else f"cu{torch.version.cuda.replace('.', '')}"
    fix = f"Reinstall torchvision {pin} with pip install --no-deps from PyTorch's own wheels for {build}; README.md has the address"
    if wanted and not wanted.specifier.contains(
        Version(torch.__version__).public, prereleases=True
    ):
        yield Line("torchvision", "warn", f"{pair}: it was built for torch{wanted.specifier}", fix)
        return
    try:
        torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)
    except (RuntimeError, NotImplementedError):
        yield Line(
            "torchvision",
            "warn",
            f"{pair}: another build than torch's ({build}); models and transforms work, its own operators do not",
            fix,
        )
    else:
        yield Line("torchvision", "ok", pair)


def _provider() -> Iterator[Line]:
    """The provider that a session uses once it exists: ONNX Runtime also lists providers whose
    libraries or device are missing.
    """
    import onnxruntime
    import torch  # its libraries of CUDA are found by ONNX Runtime once they are loaded
    from onnx import TensorProto, helper

    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("x", "y")]
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])], "probe", value[:1], value[1:]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # TensorRT is listed wherever the package is, and complains on the terminal where its libraries
    # are not.
    wanted = [
        name for name in onnxruntime.get_available_providers() if not name.startswith("Tensorrt")
    ]
    with _quiet():
        used = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=wanted
        ).get_providers()[0]
    gpu = (
        torch.cuda.get_device_name()
        if torch.cuda.is_available()
        else shutil.which("nvidia-smi") and "an NVIDIA GPU"
    )
    detail = f"a session uses {used}; {gpu or 'no NVIDIA GPU'}"
    if gpu and used == "CPUExecutionProvider":
        fix = 'Everything works, on the CPU. For the GPU: pip install "onnxruntime-gpu[cuda,cudnn]", and a driver that nvidia-smi can talk to'
        yield Line("onnxruntime", "warn", detail, fix)
    else:
        yield Line("onnxruntime", "ok", detail)


def _kernel() -> Iterator[Line]:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        program = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        yield Line(
            "kernel",
            "fail",
            "JupyterLab has no kernel python3",
            "python -m ipykernel install --sys-prefix",
        )
        return
    if Path(program).name == program or os.path.samefile(program, sys.executable):
        yield Line("kernel", "ok", f"python3 runs {sys.executable}")
    else:
        yield Line(
            "kernel",
            "warn",
            f"python3 runs {program}, another Python than this one",
            "Start JupyterLab with: course lab",
        )


def _of_others() -> Iterator[Callable[[], Iterator[Line]]]:
    """What installed packages want looked at: functions without arguments, that give the fields of
    lines.
    """
    for entry in sorted(
        metadata.entry_points(group="autograder.doctor"), key=lambda entry: entry.name
    ):

        def look(entry: metadata.EntryPoint = entry) -> Iterator[Line]:
            yield from (Line(*fields) for fields in entry.load()())

        look.__name__ = entry.name
        yield look


def _nbgrader() -> Iterator[Line]:
    import nbgrader

    alembic = shutil.which("alembic")
    if alembic:
        yield Line("nbgrader", "ok", f"{nbgrader.__version__}, with {alembic}")
    else:
        where = Path(sys.executable).parent
        detail = f"{nbgrader.__version__}, but the program alembic, which it starts to make a gradebook, is not on PATH"
        yield Line(
            "nbgrader", "warn", detail, f"export PATH={where}:$PATH   (or: source {where}/activate)"
        )


def _exchange() -> Iterator[Line]:
    """nbgrader's exchange: a shared folder where AUTOGRADER_EXCHANGE says so; otherwise each course
    has its own.
    """
    shared = os.environ.get("AUTOGRADER_EXCHANGE")
    if not shared:
        yield Line(
            "exchange",
            "ok",
            "made inside the course folder on first use (AUTOGRADER_EXCHANGE is not set)",
        )
    elif os.path.isdir(shared) and os.access(shared, os.W_OK | os.X_OK):
        yield Line("exchange", "ok", shared)
    else:
        detail = f"AUTOGRADER_EXCHANGE is {shared}, which is no folder that you can write to"
        yield Line("exchange", "warn", detail, f"mkdir -p {shared} && chmod 777 {shared}")


def _sandbox() -> Iterator[Line]:
    """Grading's needs: warnings, because a student has no use for them."""
    if sys.platform != "linux":
        yield Line(
            "sandbox",
            "warn",
            f"grading needs Linux, and this is {platform.system()}",
            "Nothing, for work on the labs",
        )
        return
    from autograder.boxes import self_test

    probes = self_test()
    broken = [probe for probe in probes if not probe.passed]
    for probe in broken:
        yield Line("sandbox", "warn", f"{probe.name}: {probe.detail}", probe.fix)
    if not broken:
        yield Line("sandbox", "ok", f"{len(probes)} probes passed")


def _locked() -> dict[str, str]:
    """The lock's pins for this Python and platform. The wheel carries the lock; in a checkout that
    is not installed, it lies beside.
    """
    here = Path(__file__).parent
    lock = next(
        (
            path
            for path in (here / "requirements.lock", here.parent / "requirements.lock")
            if path.is_file()
        ),
        None,
    )
    if lock is None:  # installed from a checkout without it
        return {}
    pins = [
        Requirement(line)
        for line in lock.read_text().splitlines()
        if line and not line.startswith("#")
    ]
    return {
        pin.name: next(iter(pin.specifier)).version
        for pin in pins
        if pin.marker is None or pin.marker.evaluate()
    }


def _version(name: str) -> str:
    """The installed version without the build (`+cpu`), or nothing."""
    try:
        return Version(metadata.version(name)).public
    except metadata.PackageNotFoundError:
        return ""


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
