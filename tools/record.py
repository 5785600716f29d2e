"""Record what Lab 7-01 shows beside the reader's own results:
`OMP_NUM_THREADS=1 python tools/record.py [--only WHAT]`.

`digits` (the CNN of the course), `resnet50` and `minilm` are measured at batch 1 and 32, in PyTorch
and in ONNX Runtime, at each precision: on the GPU if torch finds one, else on the CPU, whose files
then name what a GPU would have added. `timer` compares this course's tool with
`torch.utils.benchmark`. Files go to workbench/formatlab/measure/recorded/, one for each model, batch and
device; those of a processor whose 8-bit products saturate end in `-no-vnni`. ResNet-50 has random
weights: its times count and its answers mean nothing; each variant is still held against PyTorch's
FP32 output before it is timed. A run that cannot tell apart 5 % is not kept: close what else runs.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime as ort
import torch
import torch.utils.benchmark
from record_models import InTorch, Subject, digits_cnn, mini_lm, resnet50

from formatlab import measure
from formatlab.measure import files
from formatlab.measure.errors import CannotBench, first_line
from formatlab.measure.kinds import agreement
from formatlab.measure.precisions import Precision, convert
from formatlab.measure.quality import EXACT, NATIVE, exactly
from formatlab.measure.sessions import CPU, CUDA, Runner
from formatlab.models import digits, fixtures

RESULTS = files.RECORDED
THREADS = 1
SUBJECTS = ["timer", "digits", "resnet50", "minilm"]
GPU_ROWS = (
    "PyTorch eager FP16 on CUDA",
    "ORT FP32 on CUDA",
    "ORT FP32 on CUDA, IO binding",
    "ORT FP32 on CUDA, graph",
    "ORT FP16 on CUDA, IO binding",
    "ORT FP16 on CUDA, graph",
    "ORT INT8 static on CUDA, IO binding",
)
# What `convert` calls the files of these rows.
FILES = {"ORT INT8 dynamic": Precision.int8_dynamic, "ORT INT8 static": Precision.int8_static}
NO_TENSORRT = "not to be had: its packages are stubs that fetch the libraries from the vendor"


def rows(
    subject: Subject, feeds: dict[str, np.ndarray], device: str, folder: Path
) -> dict[str, Callable[[], object]]:
    """Row of the table -> what makes its variant. The first row is the one that the others are
    compared with.
    """
    path = folder / "model.onnx"
    if not path.exists():
        subject.write(path)
    like = InTorch(subject.module, feeds, device).outputs()

    def in_torch(wrap=lambda module: module, dtype=torch.float32):
        return InTorch(wrap(deepcopy(subject.module)), feeds, device, dtype)

    def in_ort(precision: Precision, **options):
        return Runner(
            convert(path, precision, folder, subject.calibration()),
            feeds,
            CUDA if device == "cuda" else CPU,
            THREADS,
            like=like,
            **options,
        )

    found = {"PyTorch eager": in_torch, "torch.compile": lambda: in_torch(torch.compile)}
    if device == "cpu":
        names = {
            "FP32": Precision.fp32,
            "FP16": Precision.fp16,
            "INT8 dynamic": Precision.int8_dynamic,
            "INT8 static": Precision.int8_static,
        }
        return found | {
            f"ORT {name}": lambda precision=precision: in_ort(precision)
            for name, precision in names.items()
        }
    makers = (
        lambda: in_torch(dtype=torch.float16),
        lambda: in_ort(Precision.fp32, io_binding=False),
        lambda: in_ort(Precision.fp32),
        lambda: in_ort(Precision.fp32, cuda_graph=True),
        lambda: in_ort(Precision.fp16),
        lambda: in_ort(Precision.fp16, cuda_graph=True),
        lambda: in_ort(Precision.int8_static),
    )
    return found | dict(zip(GPU_ROWS, makers, strict=True))


def record(subject: Subject, batch: int, device: str, folder: Path) -> measure.Results:
    feeds = subject.feeds(batch)
    expected = InTorch(subject.module, feeds, "cpu").outputs()
    variants, notes, missing = {}, {}, {"TensorRT FP16": NO_TENSORRT}
    for name, make in rows(subject, feeds, device, folder).items():
        try:
            variants[name] = make()
            quality = agreement(expected, variants[name].outputs())
        except (CannotBench, RuntimeError) as problem:
            variants.pop(name, None)
            missing[name] = f"could not be made: {first_line(problem)}"
            continue
        notes[name] = {
            NATIVE: f"{quality:.1f}",
            "provider": getattr(variants[name], "placement", "PyTorch"),
        }
        exact = (
            exactly(folder / f"{FILES[name]}.onnx", feeds)
            if device == "cpu" and name in FILES
            else None
        )
        notes[name] |= {} if exact is None else {EXACT: f"{agreement(expected, exact):.1f}"}
        print(f"{subject.name}, batch {batch}: {name}, {quality:.1f} dB", flush=True)
    if device == "cpu":
        missing |= dict.fromkeys(GPU_ROWS, "not measured: there was no GPU")
    calls = 100 if batch == 1 else 0  # a p99 of latencies; of large batches the throughput counts
    results = measure.compare(
        variants, subject.rounds[batch], items=batch, notes=notes, threads=THREADS, calls=calls
    )
    return replace(
        results, name=f"{subject.name}, batch {batch}, {device.upper()}", missing=missing
    )


def timer() -> measure.Results:
    """Each round asks both tools for the median of the same session on the same inputs, with the
    threads that the session has.
    """
    images = digits.load().test_images[:64]
    call = Runner(fixtures.read("digits-cnn"), {"image": images}, CPU, THREADS)
    theirs = torch.utils.benchmark.Timer("call()", globals={"call": call}, num_threads=THREADS)
    asked = {
        "torch.utils.benchmark": lambda: theirs.blocked_autorange(min_run_time=0.1).median,
        "measure.compare": lambda: (
            measure.compare({"call": call}, rounds=20, control=False)["call"].median
        ),
    }
    order, told = np.random.default_rng(0), {name: [] for name in asked}
    frame = measure.compare({"call": call}, rounds=20)
    for _ in range(40):
        for name in order.permutation(list(asked)):
            told[name].append(asked[name]())
    variants = tuple(
        measure.Variant(name=name, seconds=tuple(seconds), items=64, notes={"value": "a median"})
        for name, seconds in told.items()
    )
    return replace(
        frame,
        variants=variants,
        control=None,
        warm_up=0,
        name="Two tools on one session: digits CNN, batch 64",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=SUBJECTS,
        help="may be given more than once; all by default",
    )
    what = parser.parse_args().only or SUBJECTS
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    ort.set_default_logger_severity(4)
    torch.set_num_threads(THREADS)
    # FP32 is FP32, in PyTorch as in the sessions.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    device = "cuda" if torch.cuda.is_available() else "cpu"
    label = f"{device}-no-vnni" if device == "cpu" and measure.saturates() else device
    command = " ".join(
        [
            "OMP_NUM_THREADS=1 python tools/record.py",
            *(f"--only {each}" for each in what if what != SUBJECTS),
        ]
    )
    RESULTS.mkdir(parents=True, exist_ok=True)
    if "timer" in what:
        keep(timer(), f"timer-{label}.json", command)
    for name, subject in {"digits": digits_cnn, "resnet50": resnet50, "minilm": mini_lm}.items():
        if name in what:
            made = subject()
            with tempfile.TemporaryDirectory() as folder:
                for batch in made.rounds:
                    keep(
                        record(made, batch, device, Path(folder)),
                        f"{name}-batch-{batch}-{label}.json",
                        command,
                    )


def keep(results: measure.Results, name: str, command: str) -> None:
    """Only a run without doubts: the table is printed in any case."""
    print(f"{results}\n", flush=True)
    if results.sound:
        replace(results, command=command).save(RESULTS / name)
    else:
        print(f"{name} is not kept. {' '.join(results.doubts)}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
