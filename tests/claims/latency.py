"""Statements about speed: structure, or interleaved medians with a wide margin; never a time."""

import time
from collections.abc import Callable

import numpy as np
import onnx
import torch

from .ledger import Source, Verdict, holds, topic
from .precision import quantized_cnn
from .running import ALL, count, optimised, session
from .subjects import bert, bert_inputs, bert_torchscript, cnn_torchscript

claim = topic("Latency")
LAB = Source.LAB


def medians(*variants: Callable, rounds: int = 15) -> list[float]:
    """Median seconds of each variant, all run in turn in each round, after one round of warming up."""
    seconds: list[list[float]] = [[] for _ in variants]
    for _ in range(rounds + 1):
        for times, variant in zip(seconds, variants, strict=True):
            start = time.perf_counter()
            variant()
            times.append(time.perf_counter() - start)
    return [float(np.median(times[1:])) for times in seconds]


@claim(
    "ort-faster",
    LAB,
    "ONNX Runtime is often faster than vanilla PyTorch on CPU.",
    Verdict.CONFIRMED,
    "lab-7-01/line-1-run-and-measure#how-long-does-it-take",
)
def ort_faster() -> str:
    module, running, feeds = bert(), session(bert_torchscript(17).model), bert_inputs(1, 12)
    arguments = [torch.from_numpy(each) for each in feeds.values()]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            eager, ort = medians(lambda: module(*arguments), lambda: running.run(None, feeds))
    finally:
        torch.set_num_threads(threads)
    holds(ort < eager, f"PyTorch {eager:.2e} s, ONNX Runtime {ort:.2e} s")
    return "It is for the two-layer BERT with one sentence and one thread (interleaved medians). Often is not always: measure your own."


@claim(
    "throughput",
    LAB,
    "Throughput = 1 / latency_per_batch · batch_size.",
    Verdict.CONFIRMED,
    "lab-7-01/02-honest-benchmarks#latency-and-throughput",
)
@claim(
    "throughput-fp32",
    LAB,
    "10 ms latency at batch 1: 100 fps.",
    Verdict.CONFIRMED,
    "lab-7-01/02-honest-benchmarks#latency-and-throughput",
)
def throughput() -> str:
    frames = {milliseconds: round(1000 / milliseconds) for milliseconds in (10, 5, 3, 2)}
    holds(list(frames.values()) == [100, 200, 333, 500], frames)
    return (
        "Arithmetic, for one batch after the other: "
        + ", ".join(f"{key} ms is {rate} frames per second" for key, rate in frames.items())
        + "."
    )


@claim(
    "fp16-halves",
    LAB,
    "FP16: ~5 ms instead of 10 ms.",
    Verdict.MISLEADING,
    "lab-7-01/03-fp16#where-fp16-is-fast",
)
def fp16_halves() -> str:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    half = convert_float_to_float16(onnx.load(cnn_torchscript().path), keep_io_types=True)
    stored = {each.data_type for each in half.graph.initializer if len(each.dims) > 1}
    running = optimised(half, ALL)
    used = {each.data_type for each in running.graph.initializer if len(each.dims) > 1}
    holds(
        stored == {onnx.TensorProto.FLOAT16} and used == {onnx.TensorProto.FLOAT},
        f"stored {stored}, used {used}",
    )
    return (
        "A property of hardware, not of FP16. ONNX Runtime's CPU provider turns the CNN's float16 weights back into float32 before it "
        "runs: half the file, none of the speed."
    )


@claim(
    "int8-third",
    LAB,
    "INT8: ~3 ms instead of 10 ms.",
    Verdict.MISLEADING,
    "lab-7-01/06-interview#recorded-results",
)
@claim(
    "int8-twice-fp16",
    LAB,
    "INT8 is ~2x faster than FP16.",
    Verdict.MISLEADING,
    "lab-7-01/06-interview#recorded-results",
)
def int8_third() -> str:
    images = {"image": np.random.default_rng(0).normal(size=(64, 3, 16, 16)).astype(np.float32)}
    plain, dynamic = (
        session(model, precisely=False) for model in (cnn_torchscript().model, quantized_cnn())
    )
    fp32, int8 = medians(lambda: plain.run(None, images), lambda: dynamic.run(None, images))
    integer = count(quantized_cnn(), "ConvInteger")
    holds(
        integer == 2 and int8 > fp32, f"FP32 {fp32:.2e} s, INT8 {int8:.2e} s, {integer} ConvInteger"
    )
    return (
        "It depends on hardware and on how you quantize. The text's own `quantize_dynamic(…, QInt8)` makes the CNN slower than FP32 "
        "(interleaved medians): its Convs become ConvInteger, and every activation is quantized as it comes."
    )
