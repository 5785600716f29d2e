"""What lies beside a model: inputs, the outputs that they should give, and the true classes, in one
.safetensors file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator
from safetensors.numpy import load, save

from formatlab.models.museum.healthy import Healthy, as_float64

# Rounding and float16 stay below this share of the largest output; a model that computes something
# else differs by ten times as much.
TOLERANCE = 0.01
ACCURACY = 0.9
# How near to a tie, in steps, nothing may be that a model rounds: a hundred times what two orders
# of a float32 sum differ by. Rounded the other way, it moves an output by more than TOLERANCE.
CLEAR = 1e-4


@dataclass(frozen=True)
class Run:
    """One batch: `feeds` and `expected` by the names of inputs and outputs, `labels` the true class
    of each row (int64).
    """

    feeds: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]
    labels: np.ndarray


def runs_path(path: str | Path) -> Path:
    """`model.onnx` → `model.io.safetensors`."""
    return Path(path).with_suffix(".io.safetensors")


def read_runs(path: str | Path) -> list[Run]:
    """The runs that lie beside the model at `path`. Raises FileNotFoundError where there are none."""
    found: dict[str, dict[str, dict[str, np.ndarray]]] = {}
    for key, array in load(runs_path(path).read_bytes()).items():
        run, kind, name = key.split("/", 2)
        found.setdefault(run, {"input": {}, "output": {}, "labels": {}})[kind][name] = array
    return [
        Run(run["input"], run["output"], run["labels"]["class"]) for _, run in sorted(found.items())
    ]


def write_runs(runs: list[Run]) -> bytes:
    tensors: dict[str, np.ndarray] = {}
    for number, run in enumerate(runs):
        tensors |= {f"run{number}/input/{name}": array for name, array in run.feeds.items()}
        tensors |= {f"run{number}/output/{name}": array for name, array in run.expected.items()}
        tensors[f"run{number}/labels/class"] = run.labels
    return save({key: np.ascontiguousarray(array) for key, array in tensors.items()})


def make_runs(healthy: Healthy, rng: np.random.Generator) -> list[Run]:
    """Three runs with batches of different sizes. The model is right about every row but one, and
    keeps `ACCURACY` in each run too. What it rounds is no tie for anybody.
    """
    evaluator = ReferenceEvaluator(as_float64(healthy.model))
    [name] = evaluator.input_names
    [output] = evaluator.output_names
    runs = []
    for batch in rng.permutation(np.arange(11, 18))[:3]:
        shape = [int(rng.integers(2, 7)) if isinstance(dim, str) else dim for dim in healthy.dims]
        clear = False
        while not clear:
            x = rng.normal(size=(batch, *shape)).astype(np.float32)
            values = evaluator.run(None, {name: x.astype(np.float64)}, intermediate=True)
            assert isinstance(values, dict)  # `intermediate` asks for one
            clear = _is_clear(healthy.model, values)
        logits = values[output].astype(np.float32)
        runs.append(Run({name: x}, {output: logits}, logits.argmax(-1).astype(np.int64)))
    first = runs[0]
    first.labels.flat[0] = (first.labels.flat[0] + 1) % first.expected[output].shape[-1]
    return runs


def _is_clear(model: ModelProto, values: dict[str, np.ndarray]) -> bool:
    """Whether every processor rounds alike what the model's nodes round."""
    for node in model.graph.node:
        if node.op_type in ("Round", "QuantizeLinear"):
            steps = values[node.input[0]] / (values[node.input[1]] if len(node.input) > 1 else 1)
            if np.abs(steps - np.floor(steps) - 0.5).min() < CLEAR:
                return False
    return True


def with_outputs_of(model: ModelProto, runs: list[Run]) -> list[Run]:
    """The same inputs and labels, with the outputs that `model` gives."""
    evaluator = ReferenceEvaluator(as_float64(model))
    given = []
    for run in runs:
        wide = {name: array.astype(np.float64) for name, array in run.feeds.items()}
        found = evaluator.run(None, wide)
        assert isinstance(found, list)  # without `intermediate`
        outputs = [output.astype(np.float32) for output in found]
        expected = dict(zip(evaluator.output_names, outputs, strict=True))
        given.append(Run(run.feeds, expected, run.labels))
    return given


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    """Relative to the largest expected number; infinite for other shapes or no finite `found`."""
    if found.shape != expected.shape or not np.isfinite(found).all():
        return float("inf")
    return float(np.abs(found - expected).max() / np.abs(expected).max())
