"""`course bench`: any model, on the providers and at the precisions that were asked for, in turn."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

from workbench.measure.errors import CannotBench
from workbench.measure.feeds import Range, make_feeds
from workbench.measure.precisions import Precision, convert
from workbench.measure.results import Results
from workbench.measure.rounds import compare
from workbench.measure.saturation import saturates
from workbench.measure.sessions import CPU, CUDA, Runner, agreement, provider_named, short

# Noise with a tenth of the signal's power: whatever that variant computes, its speed is of no use.
USELESS_DB = 10.0
# What the SQNR would be on a processor whose 8-bit products do not saturate; noted where that is more than a decibel away.
UNSATURATED = "SQNR dB unsaturated"


@dataclass(frozen=True)
class Order:
    """What to measure. `providers` by any name that `provider_named` takes; `sizes` of dynamic dimensions; `ranges` of integer inputs."""

    model: Path
    providers: Sequence[str] = ("cpu",)
    precisions: Sequence[Precision] = (Precision.given,)
    batch: int | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)
    threads: int = 1
    rounds: int = 20
    seed: int = 0
    cuda_graph: bool = False
    tf32: bool = False

    @property
    def command(self) -> str:
        """As one types it, with the file's name alone."""
        words = ["course bench", self.model.name]
        words += [f"--provider {name}" for name in self.providers] + [f"--precision {name}" for name in self.precisions]
        words += [] if self.batch is None else [f"--batch {self.batch}"]
        words += [f"--dim {name}={size}" for name, size in self.sizes.items()]
        words += [f"--range {name}={low}:{high}" for name, (low, high) in self.ranges.items()]
        words += [f"--threads {self.threads} --rounds {self.rounds} --seed {self.seed}"]
        return " ".join(words + ["--cuda-graph"] * self.cuda_graph + ["--tf32"] * self.tf32)


def bench(order: Order, watch: Callable[[int, int], None] = lambda done, expected: None) -> Results:
    """Every provider with every precision, each output held against the model as given on the CPU first. Raises CannotBench."""
    providers = list(dict.fromkeys(map(provider_named, order.providers)))
    if order.cuda_graph and CUDA not in providers:
        raise CannotBench("--cuda-graph needs --provider cuda")
    model = read_model(order.model)
    ort.set_default_logger_severity(4)  # what matters of it arrives as an exception
    feeds = make_feeds(model, order.batch, order.sizes, order.ranges, order.seed)
    reference = Runner(order.model, feeds, CPU, order.threads).outputs()
    runners, notes = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for precision in dict.fromkeys(order.precisions):
            file = convert(order.model, precision, Path(folder), feeds)
            for provider in providers:
                for graph in (False, True) if order.cuda_graph and provider == CUDA else (False,):
                    name = f"{short(provider)} {precision}{', graph' if graph else ''}"
                    runner = Runner(file, feeds, provider, order.threads, cuda_graph=graph, tf32=order.tf32, like=reference)
                    runners[name] = runner
                    notes[name] = _notes(runner, reference, _size(file))
                    if provider == CPU and saturates():
                        notes[name] |= _unsaturated(file, runner, reference)
    batch = order.batch or next((len(value) for value in feeds.values() if value.ndim), 1)
    results = compare(runners, order.rounds, items=batch, notes=notes, seed=order.seed, threads=order.threads, watch=watch)
    return replace(results, name=order.model.name, command=order.command)


def read_model(path: Path) -> onnx.ModelProto:
    """The model without data that lies in other files. Raises CannotBench where there is no file or no model in it."""
    if not path.is_file():
        raise CannotBench(f"there is no file {path}")
    try:
        model = onnx.load(path, load_external_data=False)
    except Exception:  # DecodeError of protobuf's several implementations
        raise CannotBench(f"{path} is not an ONNX model") from None
    if not model.graph.output:
        raise CannotBench(f"{path} is not an ONNX model: it holds no graph with outputs")
    return model


def warnings(results: Results) -> list[str]:
    """What the user has to know before believing the table."""
    found = []
    for variant in results.variants:
        quality = float(variant.notes["SQNR dB"])
        if quality == -math.inf:
            found.append(f"{variant.name} computes something else: an output is not finite, has another shape, or should be all zeros.")
        elif quality < USELESS_DB:
            found.append(f"{variant.name} computes something else: SQNR {quality:.1f} dB. Its time says nothing.")
        if UNSATURATED in variant.notes:
            found.append(
                f"{variant.name} adds products of 8 bits in 16 bits, which saturate on this processor: without that its SQNR is "
                f"{variant.notes[UNSATURATED]} dB. Quantize with reduce_range=True, or set session.x64quantprecision to 1."
            )
    if not results.sound:
        found.append(f"{results.verdict.split('. ')[0]}. Close what else is running, or ask for more --rounds.")
    return found


def _notes(runner: Runner, reference: Sequence[np.ndarray], size: int) -> dict[str, str]:
    return {
        "SQNR dB": f"{agreement(reference, runner.outputs()):.1f}",
        "MB": f"{size / 1e6:.3g}",
        "provider": runner.placement,
    }


def _unsaturated(file: Path, native: Runner, reference: Sequence[np.ndarray]) -> dict[str, str]:
    """The note of a model with signed weights that loses by saturation, else nothing."""
    if all(tensor.data_type != onnx.TensorProto.INT8 for tensor in onnx.load(file, load_external_data=False).graph.initializer):
        return {}
    try:
        precise = Runner(file, native.feeds, CPU, precisely=True)
    except CannotBench:  # int8 by int8, which never saturates: the weight becomes uint8, and ONNX Runtime has no kernel for that pair
        return {}
    better = agreement(reference, precise.outputs())
    return {UNSATURATED: f"{better:.1f}"} if better > agreement(reference, native.outputs()) + 1 else {}


def _size(path: Path) -> int:
    """Bytes, with the data that lies in other files."""
    model = onnx.load(path, load_external_data=False)
    tensors = [tensor for tensor in model.graph.initializer if tensor.data_location == onnx.TensorProto.EXTERNAL]
    beside = {entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}
    return sum(file.stat().st_size for file in [path, *(path.parent / name for name in beside)])
