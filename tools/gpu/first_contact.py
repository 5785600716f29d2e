"""What a GPU does with one network in FP32, TF32, FP16 and INT8, at batch 1 and 32: first in PyTorch,
then in ONNX Runtime. `python tools/gpu/first_contact.py results.json` needs torch alone; the rows of
ONNX Runtime also need onnx and onnxruntime.

The rules, in the order in which a row is made:

1. A row that cannot run here says why, and the others go on.
2. What a row computes is compared with FP32 before it is timed, as a signal-to-noise ratio.
3. TF32 is switched on or off on purpose, in both libraries, and belongs to the row's name.
4. A row of ONNX Runtime says how many nodes ran on which provider: a session may keep a part on the
   CPU, and its list of providers does not tell.
5. A time is the median of many calls that were synchronised, on inputs that lie on the device.
6. Results are written after every row, so that a lease that ends leaves those that there are.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import json
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

PRECISIONS = ("fp32", "tf32", "fp16", "int8")
NO_GPU = "there is no CUDA device here"
OPSET = 20


class CannotRun(RuntimeError):
    """A row that this machine or library cannot run. The text says why."""


@dataclass(kw_only=True)
class Row:
    """One measured row, or the reason why there is none. Times are milliseconds for one call, the
    ratio is in decibels beside FP32; `nodes` counts what ran on which provider.
    """

    library: str
    precision: str
    batch: int
    milliseconds: float | None = None
    spread: float | None = None
    decibels: float | None = None
    nodes: dict[str, int] | None = None
    not_run: str = ""


def network(size: str) -> nn.Module:
    """ResNet-50 with random weights, or a few convolutions where `size` is "small"."""
    torch.manual_seed(0)
    if size == "small":
        layers = [nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU()]
        return nn.Sequential(
            *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)
        ).eval()
    from torchvision.models import resnet50

    return resnet50(weights=None).eval()


def inputs(size: str, batch: int) -> torch.Tensor:
    side = 32 if size == "small" else 224
    return torch.randn(batch, 3, side, side, generator=torch.Generator().manual_seed(1))


def decibels(wanted: np.ndarray, found: np.ndarray) -> float:
    """Signal to noise, at most 200. Raises CannotRun for numbers that are not finite."""
    if not np.isfinite(found).all():
        raise CannotRun("its outputs are not finite")
    noise = float(((found - wanted) ** 2).sum())
    power = float((wanted**2).sum())
    return min(200.0, 10 * float(np.log10(power / noise))) if noise else 200.0


def timed(
    call: Callable[[], Any], synchronise: Callable[[], None], seconds: float
) -> tuple[float, float]:
    """Median and spread (the middle half) of a call in milliseconds, after a warm-up as long."""
    _times(call, synchronise, seconds)
    quarters = statistics.quantiles(_times(call, synchronise, seconds), n=4)
    return quarters[1], quarters[2] - quarters[0]


def _times(call: Callable[[], Any], synchronise: Callable[[], None], seconds: float) -> list[float]:
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(taken) < 3:
        begin = time.perf_counter()
        call()
        synchronise()
        taken.append(1000 * (time.perf_counter() - begin))
    return taken


def synchroniser(device: str) -> Callable[[], None]:
    return torch.cuda.synchronize if device == "cuda" else lambda: None


@contextlib.contextmanager
def tf32(on: bool) -> Iterator[None]:
    """TF32 in products and convolutions of PyTorch."""
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = on
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


def in_torch(row: Row, size: str, seconds: float) -> None:
    """Fill a row of PyTorch. Raises CannotRun."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if row.precision == "tf32" and device == "cpu":
        raise CannotRun(f"{NO_GPU}, and TF32 is a mode of CUDA devices")
    if row.precision == "int8":
        raise CannotRun("PyTorch has no convolution in INT8 for CUDA devices: see ONNX Runtime")
    kind = torch.float16 if row.precision == "fp16" else torch.float32
    model = network(size)
    x = inputs(size, row.batch)
    with torch.inference_mode(), tf32(row.precision == "tf32"):
        wanted = model(x).double().numpy()
        model = model.to(device, kind)
        x = x.to(device, kind)
        row.decibels = decibels(wanted, model(x).double().cpu().numpy())
        row.milliseconds, row.spread = timed(lambda: model(x), synchroniser(device), seconds)


def exported(size: str, folder: Path) -> Path:
    """The network as ONNX, for any batch."""
    path = folder / f"{size}.onnx"
    if not path.exists():
        batch = torch.export.Dim("batch", min=1, max=64)
        torch.onnx.export(
            network(size),
            (inputs(size, 2),),
            path,
            dynamo=True,
            opset_version=OPSET,
            external_data=False,
            verbose=False,
            input_names=["image"],
            output_names=["logits"],
            dynamic_shapes=({0: batch},),
        )
    return path


def as_half(path: Path) -> Path:
    from onnx import load, save
    from onnxruntime.transformers.float16 import convert_float_to_float16

    half = path.with_suffix(".fp16.onnx")
    if not half.exists():
        save(convert_float_to_float16(load(path), keep_io_types=True), half)
    return half


def as_int8(path: Path, size: str) -> Path:
    """QDQ with signed codes and zero points of 0, which CUDA and TensorRT take."""
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )

    class Batches(CalibrationDataReader):
        def __init__(self) -> None:
            self.rest = iter([{"image": inputs(size, 4).numpy()}])

        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(self.rest, None)

    small = path.with_suffix(".int8.onnx")
    if not small.exists():
        quantize_static(
            path,
            small,
            Batches(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            extra_options={"ActivationSymmetric": True, "WeightSymmetric": True},
        )
    return small


def in_onnx_runtime(row: Row, size: str, seconds: float, folder: Path) -> None:
    """Fill a row of ONNX Runtime on CUDA, or on the CPU where the row says so. Raises CannotRun."""
    try:
        import onnxruntime as ort
    except ImportError as error:
        raise CannotRun("onnxruntime is not installed") from error
    on_cuda = row.library.endswith("CUDA")
    if on_cuda and not torch.cuda.is_available():
        raise CannotRun(NO_GPU)
    if on_cuda and "CUDAExecutionProvider" not in ort.get_available_providers():
        raise CannotRun("this build of onnxruntime has no CUDA provider")
    if not on_cuda and row.precision == "tf32":
        raise CannotRun("TF32 is a mode of CUDA devices")
    if on_cuda:
        ort.preload_dlls()
    path = exported(size, folder)
    if row.precision == "fp16":
        path = as_half(path)
    if row.precision == "int8":
        path = as_int8(path, size)
    x = inputs(size, row.batch)
    with torch.inference_mode():
        wanted = network(size)(x).double().numpy()
    watched = opened(ort, path, row.precision, on_cuda, folder)
    bound = bind(ort, watched, x, on_cuda)
    watched.run_with_iobinding(bound)
    row.decibels = decibels(wanted, bound.copy_outputs_to_cpu()[0].astype(np.float64))
    row.nodes = placement(watched)
    # A session that keeps a profile is slower, so another one is timed.
    session = opened(ort, path, row.precision, on_cuda)
    bound = bind(ort, session, x, on_cuda)
    call = functools.partial(session.run_with_iobinding, bound)
    row.milliseconds, row.spread = timed(call, bound.synchronize_outputs, seconds)


def bind(ort: Any, session: Any, x: torch.Tensor, on_cuda: bool) -> Any:
    """Input and output on the device, so that no copy is timed."""
    bound = session.io_binding()
    place = "cuda" if on_cuda else "cpu"
    bound.bind_ortvalue_input("image", ort.OrtValue.ortvalue_from_numpy(x.numpy(), place, 0))
    bound.bind_output("logits", place)
    return bound


def opened(ort: Any, path: Path, precision: str, on_cuda: bool, profile: Path | None = None) -> Any:
    """A session. Raises CannotRun where it is not on the provider that was asked for."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    if profile is not None:
        options.enable_profiling = True
        options.profile_file_prefix = str(profile / "profile")
    cuda = ("CUDAExecutionProvider", {"use_tf32": "1" if precision == "tf32" else "0"})
    providers = [*([cuda] if on_cuda else []), "CPUExecutionProvider"]
    session = ort.InferenceSession(str(path), options, providers=providers)
    if on_cuda and session.get_providers()[0] != cuda[0]:
        raise CannotRun(
            "ONNX Runtime left the CUDA provider out: a library of CUDA or cuDNN is missing"
        )
    return session


def placement(session: Any) -> dict[str, int]:
    """How many nodes ran on which provider, from the session's own profile."""
    events = json.loads(Path(session.end_profiling()).read_text())
    places = {
        each["name"]: each["args"]["provider"]
        for each in events
        if each.get("cat") == "Node" and each.get("args", {}).get("provider")
    }
    return dict(collections.Counter(places.values()))


def machine() -> dict[str, Any]:
    """The device and the versions that a result is worthless without."""
    found: dict[str, Any] = {"python": platform.python_version(), "platform": platform.platform()}
    for name in ("torch", "torchvision", "onnx", "onnxruntime", "onnxruntime-gpu"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    found["device"] = platform.processor() or platform.machine()
    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(0)
        found |= {
            "device": properties.name,
            "memory": properties.total_memory,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
        }
    return found


def rows(batches: list[int]) -> Iterator[Row]:
    """PyTorch's first: they need no second library, and a lease may end."""
    for library in ("PyTorch", "ONNX Runtime, CUDA", "ONNX Runtime, CPU"):
        for batch in batches:
            for precision in PRECISIONS:
                yield Row(library=library, precision=precision, batch=batch)


def fill(row: Row, size: str, seconds: float, folder: Path) -> None:
    """Measure a row, or say in it why it cannot be measured."""
    try:
        if row.library == "PyTorch":
            in_torch(row, size, seconds)
        else:
            in_onnx_runtime(row, size, seconds, folder)
    # A row that fails, however it does, says so and leaves the others their time.
    except Exception as error:  # noqa: BLE001
        row.not_run = (
            f"{error}" if isinstance(error, CannotRun) else f"{type(error).__name__}: {error}"
        )
        row.milliseconds = row.spread = None


def shown(row: Row) -> str:
    what = f"{row.library:20} {row.precision:5} batch {row.batch:<3}"
    if row.not_run:
        return f"{what} not run: {row.not_run[:200]}"
    nodes = ", ".join(f"{count} on {name}" for name, count in (row.nodes or {}).items())
    return f"{what} {row.milliseconds:9.3f} ms ± {row.spread:.3f}  {row.decibels:5.1f} dB  {nodes}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--size", choices=("resnet50", "small"), default="resnet50")
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 32])
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="of warm-up and of timing, a row"
    )
    asked = parser.parse_args(arguments)
    done: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(asked.batch):
            fill(row, asked.size, asked.seconds, Path(folder))
            done.append(row)
            print(shown(row), flush=True)
            written = {
                "machine": machine(),
                "network": asked.size,
                "rows": [asdict(each) for each in done],
            }
            asked.results.write_text(f"{json.dumps(written, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
