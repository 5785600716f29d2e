"""Quantize the text recognizer in many ways and record what each file reads: `python
tools/record_recognizer.py` writes workbench/formatlab/models/fixtures/recognizer-rows.json.

It takes some ten minutes of one core, which is why the page does not do all of it. The record names
the processor and the versions, since the integer kernels of ONNX Runtime differ between processors.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime import quantization as ortq
from onnxruntime.quantization import CalibrationMethod, QuantType, qdq_loss_debug
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime.transformers.float16 import convert_float_to_float16

from formatlab import measure, printed_lines, quantized
from formatlab.models import recognizer

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "workbench" / "formatlab" / "models" / "fixtures" / "recognizer-rows.json"
TEST = {"seed": 0, "count": 150}
CALIBRATION = {"seed": 100, "count": 16}
FEW = 24  # lines for the rows that quantize one kind of operator
BOTH = ["Conv", "MatMul"]
STATIC: dict[str, dict[str, Any]] = {
    "static": {},
    "per channel": {"per_channel": True},
    "Percentile": {"per_channel": True, "calibrate_method": CalibrationMethod.Percentile},
    "16-bit activations": {"per_channel": True, "activation_type": QuantType.QUInt16},
    "Conv and MatMul, one scale": {"op_types_to_quantize": BOTH},
    "Conv and MatMul": {"op_types_to_quantize": BOTH, "per_channel": True},
    "MatMul": {"op_types_to_quantize": ["MatMul"], "per_channel": True},
}
DYNAMIC: dict[str, dict[str, Any]] = {
    "dynamic": {},
    "dynamic, MatMul": {"op_types_to_quantize": ["MatMul"]},
}
ALONE = ("Mul", "Add", "Conv", "Div", "Sigmoid", "Softmax", "MatMul", "LayerNormalization", "Clip")
LEFT_OUT = (("Mul",), ("Add",), ("Mul", "Add"), ("Conv",))
TIMED = (
    *("float32", "float16", "static", "per channel", "16-bit activations", "Conv and MatMul"),
    *("MatMul", "dynamic"),
)


class Lines(ortq.CalibrationDataReader):
    def __init__(self) -> None:
        images, _ = printed_lines.rendered(**CALIBRATION)
        self.feeds = iter([{"x": each} for each in np.split(images, len(images) // 4)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.feeds, None)


def main() -> None:
    logging.disable(logging.WARNING)
    ort.set_default_logger_severity(4)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        record = recorded()
    PATH.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def recorded() -> dict[str, Any]:
    source = recognizer.installed()
    characters = recognizer.alphabet(onnx.load(source))
    images, texts = printed_lines.rendered(**TEST)
    refusals = {"shapes": refused_shapes(source), "channels": refused_channels(source)}
    onnx.save(onnx.version_converter.convert_version(onnx.load(source), 17), "newer.onnx")
    quant_pre_process("newer.onnx", "float32.onnx", skip_symbolic_shape=True)
    base = run("float32.onnx", images)
    files = {"float32": "float32.onnx"} | written()
    rows = {}
    for name, path in files.items():
        found = run(path, images)
        rows[name] = {
            "options": options_of(name),
            "readings": recognizer.readings(found, characters),
            "decibels": decibels(base, found),
            "bytes": os.path.getsize(path),
        }
        print(name, rows[name]["decibels"], rows[name]["bytes"], errors(rows[name], texts))
    kinds = one_kind_at_a_time(images[:FEW], base[:FEW])
    return {
        "made with": made_with(),
        "test": TEST,
        "calibration": CALIBRATION,
        "refusals": refusals,
        "rows": rows,
        "alone": kinds["alone"],
        "left out": kinds["left out"],
        "weights": weights("float32.onnx", files["static"]),
        "activations": activations("float32.onnx", files["per channel"], images[:1]),
        "times": times({name: files[name] for name in TIMED}, images[:1]),
    }


def made_with() -> dict[str, str]:
    card = measure.Card.of_this_machine(["onnx", "onnxruntime", "pillow", "matplotlib"])
    return {"processor": card.cpu, "flags": ", ".join(card.flags or ())} | card.packages


def written() -> dict[str, str]:
    files = {}
    for number, (name, settings) in enumerate(STATIC.items()):
        files[name] = f"static-{number}.onnx"
        started = time.process_time()
        ortq.quantize_static("float32.onnx", files[name], Lines(), **settings)
        print(f"{name}: {time.process_time() - started:.0f} s of processor time")
    for number, (name, settings) in enumerate(DYNAMIC.items()):
        files[name] = f"dynamic-{number}.onnx"
        ortq.quantize_dynamic("float32.onnx", files[name], **settings)
    files["float16"] = "float16.onnx"
    onnx.save(
        convert_float_to_float16(onnx.load("float32.onnx"), keep_io_types=True), "float16.onnx"
    )
    return files


def options_of(name: str) -> str:
    if name == "float32":
        return "pre-processed"
    if name == "float16":
        return "keep_io_types=True"
    settings = (STATIC | DYNAMIC)[name]
    said = [f"{key}={value}" for key, value in settings.items()]
    return ", ".join(said).replace("CalibrationMethod.", "").replace("QuantType.", "") or "defaults"


def session(path: str | Path) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run(path: str | Path, images: np.ndarray) -> np.ndarray:
    opened = session(path)
    return np.concatenate([opened.run(None, {"x": each[None]})[0] for each in images])


def decibels(base: np.ndarray, found: np.ndarray) -> float | None:
    """None for the original itself."""
    value = quantized.sqnr(base, found)
    return round(value, 1) if np.isfinite(value) else None


def errors(row: dict[str, Any], texts: list[str]) -> float:
    pairs = zip(row["readings"], texts, strict=True)
    wrong = sum(printed_lines.character_errors(*pair) for pair in pairs)
    return round(float(wrong / printed_lines.characters_in(texts).sum()), 4)


def refused_shapes(source: Path) -> str:
    try:
        quant_pre_process(source, "refused.onnx")
    except Exception as error:  # noqa: BLE001 (the tool raises a plain Exception)
        return f"{type(error).__name__}: {error}"
    raise SystemExit("symbolic shape inference works now: the page has to be written anew")


def refused_channels(source: Path) -> str:
    quant_pre_process(source, "older.onnx", skip_symbolic_shape=True)
    ortq.quantize_static("older.onnx", "refused.onnx", Lines(), per_channel=True)
    try:
        session("refused.onnx")
    except Exception as error:  # noqa: BLE001 (ONNX Runtime has a class for each status)
        return f"{type(error).__name__}: {error}"
    raise SystemExit("scales per channel open at this opset now: the page has to be written anew")


def one_kind_at_a_time(images: np.ndarray, base: np.ndarray) -> dict[str, dict[str, float | None]]:
    nodes = onnx.load("float32.onnx").graph.node
    every = {node.op_type for node in nodes}

    def of(kinds: Iterable[str]) -> float | None:
        names = [node.name for node in nodes if node.op_type in kinds]
        ortq.quantize_static(
            "float32.onnx", "kind.onnx", Lines(), per_channel=True, nodes_to_quantize=names
        )
        return decibels(base, run("kind.onnx", images))

    return {
        "alone": {kind: of([kind]) for kind in ALONE},
        "left out": {" and ".join(kinds): of(every - {*kinds}) for kinds in LEFT_OUT},
    }


def weights(original: str, file: str) -> dict[str, list[tuple[str, float]]]:
    """What the tool says of numbers, which have one element, and of tensors with several axes: the
    worst of each, in decibels.
    """
    sizes = {each.name: tuple(each.dims) for each in onnx.load(original).graph.initializer}
    pairs = qdq_loss_debug.create_weight_matching(original, file)
    found = qdq_loss_debug.compute_weight_error(pairs)
    ranked = sorted(found.items(), key=lambda each: each[1])
    rounded = [(name, round(float(value), 1) + 0.0) for name, value in ranked]
    return {
        "numbers": [each for each in rounded if np.prod(sizes[each[0]]) == 1][:3],
        "tensors": [each for each in rounded if len(sizes[each[0]]) > 1][:5],
    }


def activations(original: str, file: str, images: np.ndarray) -> list[tuple[str, float, float]]:
    """In the order of the graph: a tensor, what its own rounding costs in decibels, and how far it
    is from the original's.
    """
    collected = []
    for number, path in enumerate((original, file)):
        watched = f"watched-{number}.onnx"
        qdq_loss_debug.modify_model_output_intermediate_tensors(path, watched)
        feeds = iter([{"x": images}])
        collected.append(qdq_loss_debug.collect_activations(watched, feeds))
    pairs = qdq_loss_debug.create_activation_matching(collected[1], collected[0])
    found = qdq_loss_debug.compute_activation_error(pairs)
    order = [name for node in onnx.load(original).graph.node for name in node.output]
    return [
        (name, round(float(found[name]["qdq_err"]), 1), round(float(found[name]["xmodel_err"]), 1))
        for name in order
        if name in found
    ]


def times(files: dict[str, str], images: np.ndarray) -> dict[str, Any]:
    opened = {name: session(path) for name, path in files.items()}
    calls = {name: lambda each=each: each.run(None, {"x": images}) for name, each in opened.items()}
    timed = measure.compare(calls, rounds=31, threads=1)
    print(timed)
    ratios = {name: timed.ratio(name) for name in files if name != "float32"}
    rounded = {
        name: [round(value, 2) for value in (each.value, each.interval.low, each.interval.high)]
        for name, each in ratios.items()
    }
    return {"ratios": rounded, "cannot tell apart": round(timed.resolution, 3)}


if __name__ == "__main__":
    main()
