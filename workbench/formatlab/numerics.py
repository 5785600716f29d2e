"""Run models on fresh inputs and compare what comes out: shape, dtype and finiteness first, then a
relative error.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, TensorShapeProto, ValueInfoProto, helper

from formatlab import loading
from formatlab._runtime import ort

Feeds = dict[str, np.ndarray]
Outputs = list[np.ndarray]

RUNS = 3
RUN_SECONDS = 10
# A profile has some 600 bytes for each operator that runs.
PROFILE_BYTES = 16 << 20


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How an output differs: in `kind` count, shape, dtype, finite or value. `error` is relative to
    the largest expected number.
    """

    kind: str
    output: str = ""
    expected: str = ""
    found: str = ""
    error: float = 0.0


def feeds(
    model: ModelProto,
    seed: int,
    integers: Mapping[str, Iterable[int]] | None = None,
    runs: int = RUNS,
    shapes: Mapping[str, Sequence[Sequence[int]]] | None = None,
) -> list[Feeds]:
    """Fresh inputs for `runs` runs: each named dimension gets another size every time, fixed ones
    keep theirs.

    Floats are normal, with a row of zeros and an outlier; integers come from `integers[name]` =
    (low, high), or from 1 to 4; a Boolean scalar alternates between the runs. `shapes[name]` is the
    shape of an input in each run, where the model does not tell it or where two of its named
    dimensions have to fit each other. A dimension without a name, or of -1, is one of its own.

    Raises ValueError for an input that is no tensor, or whose shape is neither declared nor given.
    """
    rng = np.random.default_rng(seed)
    offset = int(rng.integers(2))
    sizes = _sizes(model, rng, runs)
    initializers = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in initializers]
    given = shapes or {}
    for value in inputs:
        _require_tensor(value, is_given=value.name in given)
    ranges = integers or {}
    drawn = []
    for run in range(runs):
        values = {}
        for value in inputs:
            is_given = value.name in given
            shape = tuple(given[value.name][run]) if is_given else _shape(value, sizes, run)
            low, high = ranges.get(value.name, (1, 5))
            element = value.type.tensor_type.elem_type
            alternate = bool((run + offset) % 2)
            values[value.name] = _draw(rng, element, shape, low, high, alternate=alternate)
        drawn.append(values)
    return drawn


def _require_tensor(value: ValueInfoProto, *, is_given: bool) -> None:
    if not value.type.tensor_type.elem_type:
        raise ValueError(f"the input {value.name!r} is no tensor of a known type: nothing is drawn")
    if not is_given and not value.type.tensor_type.HasField("shape"):
        raise ValueError(f"the input {value.name!r} declares no shape: pass one in `shapes`")


def _sizes(model: ModelProto, rng: np.random.Generator, runs: int) -> dict[str, np.ndarray]:
    """By the name of a dimension, its size in each run."""
    dims = [dim for value in model.graph.input for dim in value.type.tensor_type.shape.dim]
    named = {dim.dim_param for dim in dims if dim.dim_param}
    others = {name for value in model.graph.input for name in _names(value) if name} - named
    [apart] = rng.spawn(1)  # so that what is drawn for named ones does not depend on the others
    return {
        name: each.permutation(np.arange(2, 2 + max(runs, 6)))[:runs]
        for each, names in ((rng, named), (apart, others))
        for name in sorted(names)
    }


def _names(value: ValueInfoProto) -> list[str | None]:
    """Of each dimension the name that says which others have its size; None where it is fixed."""
    return [
        dim.dim_param or (None if is_fixed(dim) else f"{value.name}:{axis}")
        for axis, dim in enumerate(value.type.tensor_type.shape.dim)
    ]


def is_fixed(dim: TensorShapeProto.Dimension) -> bool:
    """Some tools write -1 for a dimension of any size, and ONNX Runtime takes it as one."""
    return dim.HasField("dim_value") and dim.dim_value >= 0


def _shape(value: ValueInfoProto, sizes: Mapping[str, np.ndarray], run: int) -> tuple[int, ...]:
    dims = value.type.tensor_type.shape.dim
    return tuple(
        dim.dim_value if name is None else int(sizes[name][run])
        for dim, name in zip(dims, _names(value), strict=True)
    )


class TooExpensive(RuntimeError):
    """A model still ran after `RUN_SECONDS` of the processor, which is hundreds of times what an
    honest one needs.
    """


def run(
    data: bytes, inputs: Iterable[Feeds], level: str = "ORT_DISABLE_ALL", repeat: int = 1
) -> list[list[Outputs]]:
    """For each feeds, the outputs of `repeat` runs in one session at that optimization level.

    Raises TooExpensive, and what ONNX Runtime raises.
    """
    return run_in(loading.session(data, level), inputs, repeat)


def operators_run(data: bytes, values: Feeds) -> set[str]:
    """The types of the operators that ONNX Runtime runs for these inputs, without optimization:
    those of a branch only if it is taken.

    Raises what `run` raises.
    """
    with tempfile.TemporaryDirectory() as folder:
        session = loading.session(data, "ORT_DISABLE_ALL", f"{folder}/profile")
        run_in(session, [values])
        profile = Path(session.end_profiling())
        if profile.stat().st_size > PROFILE_BYTES:
            raise TooExpensive("it runs tens of thousands of operators for one input")
        events = json.loads(profile.read_text())
    return {event["args"]["op_name"] for event in events if "op_name" in event.get("args", {})}


def run_in(
    session: ort.InferenceSession, inputs: Iterable[Feeds], repeat: int = 1
) -> list[list[Outputs]]:
    """What `run` returns, from a session that is there already. Raises what `run` raises."""
    options = ort.RunOptions()
    try:
        with _ended_when_expensive(options):
            return [
                [session.run(None, values, options) for _ in range(repeat)] for values in inputs
            ]
    except Exception as error:
        if options.terminate:
            raise TooExpensive(f"it still ran after {RUN_SECONDS} seconds") from error
        raise


@contextmanager
def _ended_when_expensive(options: ort.RunOptions) -> Iterator[None]:
    """Runs with these options end when they have used `RUN_SECONDS` of the processor: on a busy
    machine they may take longer.
    """
    began = time.process_time()
    over = threading.Event()

    def watch() -> None:
        while (left := RUN_SECONDS - (time.process_time() - began)) > 0:
            if over.wait(left):
                return
        options.terminate = True

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


def compare(
    expected: Outputs, found: Outputs, names: list[str], tolerance: float
) -> Difference | None:
    """The first difference between outputs, None if there is none. Numbers that are no floats must
    be equal.
    """
    if len(found) != len(expected):
        return Difference(kind="count", expected=f"{len(expected)} outputs", found=f"{len(found)}")
    for name, want, have in zip(names, expected, found, strict=True):
        if difference := _of_form(name, want, have) or _of_values(name, want, have, tolerance):
            return difference
    return None


def _of_form(name: str, want: np.ndarray, have: object) -> Difference | None:
    if not isinstance(have, np.ndarray):
        return Difference(
            kind="dtype", output=name, expected=str(want.dtype), found=type(have).__name__
        )
    if have.shape != want.shape:
        return Difference(
            kind="shape", output=name, expected=str(want.shape), found=str(have.shape)
        )
    if have.dtype != want.dtype:
        return Difference(
            kind="dtype", output=name, expected=str(want.dtype), found=str(have.dtype)
        )
    return None


def _of_values(
    name: str, want: np.ndarray, have: np.ndarray, tolerance: float
) -> Difference | None:
    if not np.issubdtype(want.dtype, np.floating):
        if np.array_equal(have, want):
            return None
        found = f"{np.mean(have != want):.0%} differ"
        return Difference(
            kind="value", output=name, expected="equal values", found=found, error=1.0
        )
    if not np.isfinite(have).all():
        return Difference(
            kind="finite", output=name, expected="finite numbers", found="NaN or infinity"
        )
    error = relative_error(want, have)
    if error <= tolerance:
        return None
    # Also for NaN, where the expected numbers are not finite.
    most = f"a relative error of {tolerance:.1e} at most"
    return Difference(kind="value", output=name, expected=most, found=f"{error:.1e}", error=error)


def relative_error(expected: np.ndarray, found: np.ndarray) -> float:
    """The largest difference, relative to the largest expected magnitude."""
    if not expected.size:
        return 0.0
    scale = float(np.abs(expected).max())
    return float(np.abs(found.astype(np.float64) - expected).max()) / (scale or 1.0)


def pack(outputs: list[Outputs]) -> dict[str, np.ndarray]:
    """The outputs of several runs as named arrays: `<run>/<position>`."""
    return {
        f"{run}/{position}": value
        for run, values in enumerate(outputs)
        for position, value in enumerate(values)
    }


def unpack(reference: Mapping[str, np.ndarray]) -> list[Outputs]:
    """The opposite of `pack`."""
    runs: dict[int, dict[int, np.ndarray]] = {}
    for key, value in reference.items():
        run, position = key.split("/")
        runs.setdefault(int(run), {})[int(position)] = value
    return [[runs[run][position] for position in sorted(runs[run])] for run in sorted(runs)]


def _draw(
    rng: np.random.Generator,
    element: int,
    shape: tuple[int, ...],
    low: int,
    high: int,
    *,
    alternate: bool,
) -> np.ndarray:
    dtype = helper.tensor_dtype_to_np_dtype(element)
    if element == onnx.TensorProto.BOOL:
        return np.array(alternate) if not shape else rng.random(shape) < 0.5
    if np.issubdtype(dtype, np.integer):
        return rng.integers(low, high, shape).astype(dtype)
    if not shape:
        return np.asarray(rng.uniform(0.1, 0.9), dtype)
    values = rng.normal(size=shape)
    if shape and values.size:
        values[(-1,) * (len(shape) - 1)] *= 0
        values.flat[int(rng.integers(values.size))] = 8.0
    return values.astype(dtype)
