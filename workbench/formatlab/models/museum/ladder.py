"""The validation ladder: seven rungs, from bytes to the task, each a question that one library call
or one comparison answers.

A rung raises an exception when it breaks. What it raises is the library's own error, or a `Broken`
that says what was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import checker, shape_inference
from onnx.reference import ReferenceEvaluator
from safetensors import safe_open

from formatlab._runtime import ort
from formatlab.models.museum.runs import ACCURACY, TOLERANCE, Run, read_runs, relative_error

LEVELS = (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)


class Broken(AssertionError):
    """A rung's comparison failed."""


@dataclass(frozen=True)
class Failure:
    """The first rung that a model breaks, and the error that it raised there."""

    rung: str
    error: Exception


def first_failure(path: str | Path) -> Failure | None:
    """Climb the ladder with the model at `path`; None when no rung breaks. A .safetensors file has
    the first rung only.
    """
    for rung, climb in RUNGS.items():
        try:
            climb(Path(path))
        except Exception as error:  # the tools have no exception in common  # noqa: BLE001
            return Failure(rung, error)
        if Path(path).suffix == ".safetensors":
            return None
    return None


def session(
    path: str | Path, level: ort.GraphOptimizationLevel = LEVELS[0]
) -> ort.InferenceSession:
    """A session on the CPU with one thread."""
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def parse(path: Path) -> None:
    """The bytes are a whole file of their format."""
    if path.suffix == ".safetensors":
        with safe_open(path, framework="numpy") as file:
            list(file.keys())
    else:
        onnx.load(path, load_external_data=False)


def check(path: Path) -> None:
    """Names, order, operators and attributes are as the standard demands; external data is there
    and inside the folder.
    """
    checker.check_model(path)


def full_check(path: Path) -> None:
    """Types and shapes follow from the inputs without contradiction, as far as shapes depend on
    shapes.
    """
    checker.check_model(path, full_check=True)


def strict_shapes(path: Path) -> None:
    """The same, with the values of shape computations followed as well."""
    model = onnx.load(path, load_external_data=False)
    shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)


def load(path: Path) -> None:
    """ONNX Runtime makes a session of it, with its optimizations and without."""
    for level in LEVELS:
        session(path, level)


def parity(path: Path) -> None:
    """Every run gives the expected outputs: in a session at both levels, twice, and in the
    reference evaluator.
    """
    runs = read_runs(path)
    for evaluator in (*(session(path, level) for level in LEVELS), ReferenceEvaluator(str(path))):
        for run in runs:
            _require_expected(evaluator, run)


def _require_expected(evaluator: ort.InferenceSession | ReferenceEvaluator, run: Run) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        first, second = (evaluator.run(list(run.expected), run.feeds) for _ in range(2))
    pairs = zip(first, second, strict=True)
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in pairs):
        raise Broken("two runs on the same input differ")
    wanted = run.expected.values()
    error = max(relative_error(*pair) for pair in zip(first, wanted, strict=True))
    if error > TOLERANCE:
        raise Broken(f"the relative error is {error:.1g}")


def metric(path: Path) -> None:
    """The model does its task: it names the right class of at least nine rows in ten."""
    reached = accuracy(path, read_runs(path))
    if reached < ACCURACY:
        raise Broken(f"{reached:.0%} of the rows are right")


def accuracy(path: Path, runs: list[Run]) -> float:
    """The share of rows whose largest output is the true class."""
    model = session(path)
    right = np.concatenate(
        [(model.run(None, run.feeds)[0].argmax(-1) == run.labels).ravel() for run in runs]
    )
    return float(right.mean())


RUNGS: dict[str, Callable[[Path], None]] = {
    "parse": parse,
    "checker": check,
    "full_check": full_check,
    "strict_shapes": strict_shapes,
    "session": load,
    "parity": parity,
    "metric": metric,
}
