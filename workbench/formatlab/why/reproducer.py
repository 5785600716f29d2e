"""The smallest part that still shows it, as files that anybody can run: onnx and onnxruntime alone.

Weights are replaced by random ones, of the same mean and spread, wherever the part then fails for the
same proved reason; B's tensor is made from A's new one by the relation that was found. What cannot be
made anew is kept, and a note says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, helper

from formatlab.diff.parts import Part, Whole
from formatlab.diff.places import Place, Search
from formatlab.numerics import Feeds
from formatlab.why.causes import Cause, Trials
from formatlab.why.repairs import Region, array, folded, put

SEED = 7
PAIR = '''"""{title}

Needs onnx and onnxruntime: python reproduce.py. Exit status 1 while the two give other numbers."""
import sys
from pathlib import Path
import numpy as np
import onnxruntime as ort

here = Path(__file__).parent
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
found = []
for side in "ab":
    session = ort.InferenceSession(here / f"{{side}}.onnx", options, providers=["CPUExecutionProvider"])
    with np.load(here / f"{{side}}.npz") as feeds:
        found.append(session.run(None, dict(feeds))[0].astype(np.float64))
a, b = found
apart = np.abs(a - b)
print("onnxruntime", ort.__version__, "largest number", np.abs(a).max(), "largest difference", apart.max())
sys.exit(not (a.shape == b.shape and apart.max() <= {allowed!r}))
'''
LEVEL = '''"""{title}

Needs onnx and onnxruntime: python reproduce.py. Exit status 1 while the two sessions differ."""
import sys
from pathlib import Path
import numpy as np
import onnxruntime as ort

here = Path(__file__).parent
found = []
for level in ("ORT_DISABLE_ALL", "ORT_{level}"):
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    session = ort.InferenceSession(here / "model.onnx", options, providers=["CPUExecutionProvider"])
    with np.load(here / "feeds.npz") as feeds:
        found.append(session.run(None, dict(feeds))[0].astype(np.float64))
a, b = found
apart = np.abs(a - b)
print("onnxruntime", ort.__version__, "largest number", np.abs(a).max(), "largest difference", apart.max())
sys.exit(not apart.max() <= {allowed!r})
'''


def write(folder: Path, search: Search, trials: Trials, *, cause: Cause, place: Place) -> list[str]:
    """Write a.onnx, b.onnx, their inputs and reproduce.py. Return notes on what is in them."""
    small = _Small(search, trials, cause, place)
    notes = small.randomize()
    folder.mkdir(parents=True, exist_ok=True)
    for side, model, feeds in (
        ("a", small.model_a, small.feeds_a[0]),
        ("b", small.model_b, small.feeds_b[0]),
    ):
        onnx.save(model, folder / f"{side}.onnx")
        _save(folder / f"{side}.npz", feeds)
    with np.errstate(all="ignore"):
        scale = float(np.abs(small.place.wanted[0].astype(np.float64)).max(initial=0))
    allowed = scale * (1e-6 if place.kind == "float" else 10 ** (-(place_floor(place)) / 20))
    title = f"{cause.kind or 'a difference'}: {cause.sentence}".replace('"""', "'''").replace(
        "\\", "/"
    )
    (folder / "reproduce.py").write_text(
        PAIR.format(title=title, allowed=allowed), encoding="utf-8"
    )
    (folder / "cause.json").write_text(
        json.dumps({"kind": cause.kind, "proved": cause.proved, "sentence": cause.sentence}) + "\n"
    )
    return notes


def place_floor(place: Place) -> float:
    from formatlab.diff.places import FLOOR_DB

    return FLOOR_DB[place.kind]


def write_level(folder: Path, model: ModelProto, feeds: Sequence[Feeds], level: str) -> None:
    """Write model.onnx, its inputs and reproduce.py for one model that a level of a session changes."""
    from formatlab.why.levels import outputs

    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    _save(folder / "feeds.npz", feeds[0])
    base = outputs(model, feeds[:1], "DISABLE_ALL")
    scale = float(np.abs(base[0][0].astype(np.float64)).max(initial=0))
    title = f"A session at {level} computes something else than one without optimization."
    text = LEVEL.format(title=title, level=level, allowed=scale * 1e-5)
    (folder / "reproduce.py").write_text(text, encoding="utf-8")


def _save(path: Path, arrays: Feeds) -> None:
    np.savez(path, **arrays)  # type: ignore[arg-type]  # NumPy's signature has options of its own


class _Small:
    """The two parts as models of their own, and a search of that one place."""

    def __init__(self, search: Search, trials: Trials, cause: Cause, place: Place) -> None:
        self.cause = cause
        self.twins = trials.twins
        self.kind = place.kind
        self.place = place
        self.search = search
        self.feeds_a = search._given_a(place.part_a)
        self.feeds_b = search.given_b(place.part_b)
        self.model_a = _alone(place.part_a, self.feeds_a)
        self.model_b = _alone(place.part_b, self.feeds_b)

    def randomize(self) -> list[str]:
        """Take the models with new weights if they fail for the same reason."""
        for new in (self._all_new(), self._new_where_equal()):
            if new is not None and self._is_same_cause(*new):
                self.model_a, self.model_b = new
                kept = self._kept()
                if kept:
                    return [
                        f"the reproducer keeps {len(kept)} of your tensors: {', '.join(kept[:5])}"
                    ]
                return ["the reproducer has random weights, none of yours"]
        if not self._kept():
            return ["the reproducer has none of your weights"]
        return [
            "the reproducer has your weights, because with random ones it fails for another reason or not at all"
        ]

    def _kept(self) -> list[str]:
        old = {tensor.name: array(tensor) for tensor in self.place.part_b.stored}
        return [
            tensor.name
            for tensor in self.model_b.graph.initializer
            if tensor.name in old
            and old[tensor.name].size > 1
            and old[tensor.name].dtype.kind == "f"
            and np.array_equal(old[tensor.name], array(tensor))
        ]

    def _new_of_a(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        found = {}
        for tensor in self.place.part_a.stored:
            value = array(tensor)
            if value.dtype.kind == "f" and value.size > 1 and np.isfinite(value).all():
                drawn = rng.normal(float(value.mean()), float(value.std()), value.shape)
                if (value > 0).all():  # a variance, a scale
                    logs = np.log(value.astype(np.float64))
                    drawn = np.exp(rng.normal(float(logs.mean()), float(logs.std()), value.shape))
                found[tensor.name] = drawn.astype(value.dtype)
        return found

    def _all_new(self) -> tuple[ModelProto, ModelProto] | None:
        """New numbers in A, and in B what they become: the same, transposed, permuted, or with the same
        difference.
        """
        rng = np.random.default_rng(SEED)
        new = self._new_of_a(rng)
        old = {tensor.name: array(tensor) for tensor in self.place.part_a.stored}
        self._keep_in_range(new)
        folds = self._folded(old, new)
        pairs = {b: (a, how) for repair in self.cause.repairs for b, a, how in repair.weights}
        theirs = {}
        for tensor in self.place.part_b.stored:
            value = array(tensor)
            if tensor.name in folds:
                theirs[tensor.name] = folds[tensor.name]
            if value.dtype.kind != "f" or value.size <= 1 or tensor.name in folds:
                continue
            related = _related(value, old, new, pairs.get(tensor.name))
            if related is not None:
                theirs[tensor.name] = related
        return _with(self.model_a, new), _with(self.model_b, theirs)

    def _folded(
        self, old: dict[str, np.ndarray], new: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """B's weights that are A's, folded: with the difference that they had. And its integers."""
        before = self._fold(self.model_a)
        after = self._fold(_with(self.model_a, new))
        stored = {tensor.name: array(tensor) for tensor in self.place.part_b.stored}
        found = {}
        for name, value in before.items():
            if name in stored and name in after and stored[name].shape == value.shape:
                apart = stored[name] - value
                small = float(np.abs(apart).max()) < 1e-5 * float(np.abs(value).max())
                found[name] = (after[name] + (0 if small else apart)).astype(stored[name].dtype)
        for codes, scale, name in self._quantized(stored, old):
            if name in new:
                limits = np.iinfo(stored[codes].dtype)
                numbers = np.rint(new[name].astype(np.float64) / scale)
                found[codes] = np.clip(numbers, limits.min, limits.max).astype(stored[codes].dtype)
        return found

    def _fold(self, model: ModelProto) -> dict[str, np.ndarray]:
        whole = Whole(model)
        place = copy(self.place)
        place.part_a = whole.part(self.place.part_a.outputs, ())
        region = Region(place, whole, Whole(self.model_b), twins=self.twins)
        fold = folded(region)
        return {} if fold is None else fold.values

    def _quantized(
        self, stored: dict[str, np.ndarray], old: dict[str, np.ndarray]
    ) -> Iterator[tuple[str, float, str]]:
        """(integers of B, their scale, the weight of A that they stand for)."""
        for node in self.place.part_b.nodes:
            if node.op_type != "DequantizeLinear" or node.input[0] not in stored:
                continue
            codes = stored[node.input[0]]
            scale = stored.get(node.input[1], np.zeros(0))
            zero = stored.get(node.input[2], np.zeros(1)) if len(node.input) > 2 else np.zeros(1)
            if scale.size != 1 or zero.any() or codes.dtype != np.int8:
                continue
            by = float(scale.reshape(-1)[0])
            for name, value in old.items():
                if value.shape == codes.shape and np.abs(codes * by - value).max() <= 0.51 * by:
                    yield node.input[0], by, name

    def _keep_in_range(self, new: dict[str, np.ndarray]) -> None:
        """Numbers that are stored as integers stay inside what those reach."""
        stored = {tensor.name: array(tensor) for tensor in self.place.part_b.stored}
        old = {tensor.name: array(tensor) for tensor in self.place.part_a.stored}
        for _, scale, name in self._quantized(stored, old):
            if name in new:
                new[name] = np.clip(new[name], -127 * scale, 127 * scale)

    def _new_where_equal(self) -> tuple[ModelProto, ModelProto] | None:
        """New numbers only in tensors that both have."""
        rng = np.random.default_rng(SEED)
        new = self._new_of_a(rng)
        old = {tensor.name: array(tensor) for tensor in self.place.part_a.stored}
        theirs = {}
        shared = set()
        for tensor in self.place.part_b.stored:
            value = array(tensor)
            for name, mine in old.items():
                if name in new and mine.shape == value.shape and np.array_equal(mine, value):
                    theirs[tensor.name] = new[name]
                    shared.add(name)
        if not shared:
            return None
        both = {name: value for name, value in new.items() if name in shared}
        return _with(self.model_a, both), _with(self.model_b, theirs)

    def _is_same_cause(self, a: ModelProto, b: ModelProto) -> bool:
        from formatlab.why import runs

        first = Whole(a)
        second = Whole(b)
        try:
            mine = runs.run(a, self.feeds_a)
        except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            return False
        search = Search(
            first,
            second,
            pairs=[],
            ends=[(self.place.a, self.place.b)],
            inputs=dict(self.search.inputs),
            feeds_a=self.feeds_a,
            feeds_b=self.feeds_b,
            values_a=[{self.place.a: run[0]} for run in mine],
            types_b=self.search.types_b,
        )
        found = search.all()
        if not found:
            return False
        if not self.cause.proved:
            return abs(found[0].sqnr_db - self.place.sqnr_db) < 10
        again = Trials(search, twins=self.twins, wide=[]).of(found[0])
        if self.cause.kind.startswith("float16"):
            return True
        return any(
            each.proved and each.kind == self.cause.kind and each.node == self.cause.node
            for each in again
        )


def _related(
    value: np.ndarray,
    old: dict[str, np.ndarray],
    new: dict[str, np.ndarray],
    proved: tuple[str, str] | None,
) -> np.ndarray | None:
    """B's tensor, made from A's new one as the old one was from A's old one."""
    for name, mine in old.items():
        if name in new and mine.shape == value.shape and np.array_equal(mine, value):
            return new[name]
    for name, mine in old.items():
        if (
            name in new
            and mine.ndim == 2
            and mine.T.shape == value.shape
            and np.array_equal(mine.T, value)
        ):
            return np.ascontiguousarray(new[name].T)
    if proved is not None and proved[0] in new:
        mine = old[proved[0]]
        if mine.size == value.size:
            order = _order(mine.reshape(-1), value.reshape(-1))
            if order is not None:
                return new[proved[0]].reshape(-1)[order].reshape(value.shape)
            if mine.shape == value.shape:
                return (new[proved[0]] + (value - mine)).astype(value.dtype)
    return None


def _order(mine: np.ndarray, value: np.ndarray) -> np.ndarray | None:
    """Where each number of `value` stands in `mine`, if they are the same numbers."""
    first = np.argsort(mine, kind="stable")
    second = np.argsort(value, kind="stable")
    if not np.array_equal(mine[first], value[second]):
        return None
    order = np.empty(mine.size, np.int64)
    order[second] = first
    return order


def _with(model: ModelProto, values: dict[str, np.ndarray]) -> ModelProto:
    new = ModelProto.FromString(model.SerializeToString())
    for name, value in values.items():
        put(new, name, value)
    return new


def _alone(part: Part, feeds: Sequence[Feeds]) -> ModelProto:
    types = {name: helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in feeds[0].items()}
    model = ModelProto.FromString(part.model(types).SerializeToString())
    for value in model.graph.input:
        rank = feeds[0][value.name].ndim
        value.CopyFrom(
            helper.make_tensor_value_info(
                value.name, types[value.name], [f"{value.name}:{axis}" for axis in range(rank)]
            )
        )
    for value in model.graph.output:
        value.type.CopyFrom(onnx.TypeProto())
    return model


__all__ = ["write", "write_level"]
