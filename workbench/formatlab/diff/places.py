"""Where is error added? The parts of B between values that A has too, each run on A's values.

1. *Cut.* Every value that has a partner in A is a place to cut. The part of B that gives it runs on
   A's values, so what it inherits is nothing, and what it shows it has added. The same part of A in
   float64 is what both should give: the error is counted in units of A's own rounding there.
2. *A pair of nodes is no pair of values.* A Conv that was folded with its BatchNormalization is the
   Conv of A, and gives what A's BatchNormalization gives. So a cut has to be earned: where a part
   fails, its value is dropped as a cut, and if what reads it heals, it was no pair.
3. *Parts of lower precision* (float16, Q/DQ) are hundreds of units off and sound. They are measured
   in decibels against parts like them.
4. *A value that float16 cannot hold* was spoilt by what gives it, so its readers are passed over.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from statistics import median

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from formatlab import halves, numerics
from formatlab.diff.parts import Part, Whole, flat
from formatlab.measure.errors import first_line
from formatlab.measure.float64 import QUANTIZED, of_onnx
from formatlab.measure.yardstick import Verdict, judge
from formatlab.numerics import Feeds, Outputs
from formatlab.sqnr import sqnr

# They move numbers and compute none.
MOVES = frozenset(
    {"Cast", "CastLike", "Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten"}
    | {"Slice", "Split", "Concat", "Gather", "Expand", "Tile", "Pad"}
)
FEW_BITS = QUANTIZED | {"MatMulNBits", "QGemm", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"}
# A sound part of lower precision lies within 3 dB of the others like it. So much below them is
# wrong, and so much may remain after a repair.
OUTLIER_DB = 20.0
LIKE_DB = 6.0
# Without enough others of its kind: what float16 and INT8 never fall below in a sound part.
FLOOR_DB = {"float16": 45.0, "int8": 18.0}
# A number that a float16 holds keeps some 70 dB; a subnormal, a zero, an infinity keeps less.
HELD_DB = 50.0
GAIN_DB = 20.0
# Cuts that are given up together, where one alone heals nothing.
GROWTH = 8
DECIDES = ("value", "finite", "shape", "type", "count")


@dataclass(eq=False, kw_only=True)
class Place:
    """A part of B beside the part of A that gives the same value. `units` and `sqnr_db` say what B
    adds there, on A's values; `kind` is float, float16 or int8. `lossy` tells that B's type cannot
    hold what the part is given, `problem` that it did not run.
    """

    a: str
    b: str
    part_a: Part
    part_b: Part
    kind: str
    verdict: Verdict | None = None
    units: float = math.nan
    sqnr_db: float = math.inf
    lossy: bool = False
    problem: str = ""
    found: list[np.ndarray] = field(default_factory=list)
    wanted: list[np.ndarray] = field(default_factory=list)
    exact: list[np.ndarray] | None = None

    @property
    def operator(self) -> str:
        """The operator that the part is known by: the last that computes."""
        names = [node.op_type for node in self.part_b.nodes if node.op_type not in MOVES]
        computing = [name for name in names if name not in FEW_BITS] or names
        return computing[-1] if computing else "Identity"


def decides(verdict: Verdict) -> bool:
    """Decide whether a verdict says that the candidate is another function."""
    return not verdict.same and verdict.reason in DECIDES


def has_units(place: Place) -> bool:
    """Decide whether the error of a part can be counted in units of A's own.

    It cannot where A's part gives an exact 0, as one that only moves numbers does, and B's another
    number: any number is infinitely many units from it, and none of them need be infinite.
    """
    if place.verdict is None or math.isnan(place.units):
        return False
    return math.isfinite(place.units) or place.verdict.reason == "finite"


@dataclass(eq=False)
class Search:
    """Two models, which value is which, and A's values on the inputs of the question."""

    a: Whole
    b: Whole
    _: KW_ONLY
    pairs: list[tuple[str, str]]
    ends: list[tuple[str, str]]
    inputs: dict[str, str]  # of B: of A
    feeds_a: list[Feeds]
    feeds_b: list[Feeds]
    values_a: Sequence[Mapping[str, np.ndarray]]
    types_b: dict[str, int]
    say: Callable[[str], None] = lambda _: None
    cut: dict[str, str] = field(default_factory=dict)  # of B: of A
    dropped: list[str] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        order = self.b.places
        found = sorted({*self.pairs, *self.ends}, key=lambda each: order.get(each[1], -1))
        self.cut = {b: a for a, b in found if b in order}

    @property
    def fixed(self) -> set[str]:
        return {b for _, b in self.ends}

    def all(self) -> list[Place]:
        """Measure every part, then give up cuts that were no pairs. Return those that add error,
        in B's order.
        """
        for name in list(self.cut):
            self.measure(name)
        self._drop()
        return self.wrong()

    # One place.

    def measure(self, name: str) -> Place:
        self.say(name)
        place = self._parts(name)
        given_b = self._given(place.part_b, place)
        given_a = self._given_a(place.part_a)
        place.wanted = [each[place.a] for each in self.values_a]
        model = self.model_of(place.part_b)
        self.run(place, model, given_b)
        # What is equal bit for bit has added nothing, and lower precision is not counted in units.
        if place.kind == "float" and not _are_equal(place.found, place.wanted):
            place.exact = self._exact(place, given_a)
        self.rate(place)
        self.places[name] = place
        return place

    def score(self, place: Place, model: ModelProto, given_b: Sequence[Feeds]) -> None:
        """Fill in what this model of the part adds."""
        self.run(place, model, given_b)
        self.rate(place)

    def run(self, place: Place, model: ModelProto, given_b: Sequence[Feeds]) -> None:
        """Run this model of the part, on the values that it is given."""
        try:
            place.found = [run[0] for run in run_as_declared(model, given_b)]
        except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            place.problem = first_line(problem)
            place.found = []
            return
        place.problem = ""

    def rate(self, place: Place) -> None:
        """Measure what was found against what was wanted."""
        if place.problem:
            place.sqnr_db = -math.inf
            place.units = math.inf
            return
        found = [_like(one, other) for one, other in zip(place.found, place.wanted, strict=True)]
        place.sqnr_db = decibels(place.exact or place.wanted, found)
        place.verdict = None
        place.units = math.nan
        if _are_equal(place.found, place.wanted):
            place.units = 0.0
            place.verdict = Verdict(same=True, reason="", text="same: equal bit for bit", units=0.0)
        elif place.exact is not None:
            place.verdict = judge(
                [[each] for each in found],
                [[each] for each in place.wanted],
                [[each] for each in place.exact],
            )
            place.units = place.verdict.units
            if place.verdict.reason == "finite":
                place.units = math.inf

    def model_of(self, part: Part) -> ModelProto:
        return part.model({name: self.types_b[name] for name in part.inputs})

    def given_b(self, part: Part) -> list[Feeds]:
        return self._given(part, None)

    def _parts(self, name: str) -> Place:
        part_b = self.b.between(name, self.cut)
        part_a = self.a.between(self.cut[name], set(self.cut.values()))
        return Place(
            a=self.cut[name],
            b=name,
            part_a=part_a,
            part_b=part_b,
            kind=kind_of(part_b, self.types_b),
        )

    def _given(self, part: Part, place: Place | None) -> list[Feeds]:
        found = []
        for run, feeds in enumerate(self.feeds_b):
            given = {}
            for name in part.inputs:
                if name in self.cut:
                    value = self.values_a[run][self.cut[name]]
                    wanted = helper.tensor_dtype_to_np_dtype(self.types_b[name])
                    given[name] = value
                    if value.dtype != wanted:
                        with np.errstate(all="ignore"):
                            given[name] = value.astype(wanted)
                        if place is not None and not held(value, given[name]):
                            place.lossy = True
                else:
                    given[name] = feeds[name]
            found.append(given)
        return found

    def _given_a(self, part: Part) -> list[Feeds]:
        return [
            {
                name: (feeds if name in feeds else values)[name]
                for name in part.inputs
                if name in feeds or name in values
            }
            for values, feeds in zip(self.values_a, self.feeds_a, strict=True)
        ]

    def _exact(self, place: Place, given_a: Sequence[Feeds]) -> list[np.ndarray] | None:
        if place.wanted[0].dtype.kind not in "fc":
            return [each for each in place.wanted]
        types = {
            name: helper.np_dtype_to_tensor_dtype(value.dtype) for name, value in given_a[0].items()
        }
        try:
            return [run[0] for run in of_onnx(place.part_a.model(types), given_a).runs]
        except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            return None

    # Which are wrong.

    def wrong(self) -> list[Place]:
        found = [place for place in self.places.values() if self.is_wrong(place)]
        return sorted(found, key=lambda place: self.b.places[place.b])

    def is_wrong(self, place: Place) -> bool:
        if place.problem or place.lossy:
            return False
        if place.kind == "float" and place.verdict is not None:
            return decides(place.verdict)
        if place.wanted[0].dtype.kind not in "fc":
            return place.verdict is not None and decides(place.verdict)
        if place.kind == "float":  # without a float64 run there are no units
            return place.sqnr_db < 60
        return place.sqnr_db < self.expected_db(place) - OUTLIER_DB

    def expected_db(self, place: Place) -> float:
        """How far parts like this one stand above their rounding."""
        others = [
            each
            for each in self.places.values()
            if each.kind == place.kind
            and each is not place
            and not each.lossy
            and not each.problem
            and each.sqnr_db != math.inf
        ]
        like = [each.sqnr_db for each in others if each.operator == place.operator]
        if len(like) < 3:
            like = [each.sqnr_db for each in others]
        floor = FLOOR_DB.get(place.kind, 100.0) + OUTLIER_DB
        return max(median(like), floor) if len(like) >= 3 else floor

    # Cuts that were none.

    def _drop(self) -> None:
        tried: set[tuple[str, ...]] = set()
        changed = True
        while changed:
            changed = False
            for place in self.wrong():
                key = (place.b, *sorted(self.dropped))
                if place.b in self.fixed or key in tried:
                    continue
                tried.add(key)
                if self._heals(place.b):
                    changed = True
                    break

    def _readers(self, name: str) -> list[str]:
        return [other for other, place in self.places.items() if name in place.part_b.inputs]

    def _heals(self, name: str) -> bool:
        """Decide whether giving up this cut, and those that then fail behind it, makes other parts
        right that were wrong. If not, everything is as before.
        """
        cut = dict(self.cut)
        places = dict(self.places)
        before = {each.b: each.sqnr_db for each in self.wrong()}
        given_up: list[str] = []
        queue = [name]
        while queue and len(given_up) < GROWTH:
            this = queue.pop(0)
            readers = self._readers(this)
            if not readers:
                break
            given_up.append(this)
            del self.cut[this]
            del self.places[this]
            for other in readers:
                self.measure(other)
            now = {each.b: each.sqnr_db for each in self.wrong()}
            healed = [
                other
                for other, level in before.items()
                if other not in given_up
                and other in self.places
                and (other not in now or now[other] >= level + GAIN_DB)
            ]
            new = [other for other in now if other not in before]
            if healed and not new:
                self.dropped += given_up
                return True
            queue += [other for other in new if other not in self.fixed and other not in queue]
            # Two values that changed places are wrong together, and what reads both heals with both.
            beside = {
                other
                for reader in readers
                if reader in now and reader in self.places
                for other in self.places[reader].part_b.inputs
            }
            queue += [
                other
                for other in before
                if other in beside and other in self.cut and other not in (*self.fixed, *queue)
            ]
        self.cut = cut
        self.places = places
        return False


def run_as_declared(model: ModelProto, feeds: Sequence[Feeds]) -> list[Outputs]:
    """Return the outputs for each of the feeds without optimization: what is float16 is computed in
    float16. Raises numerics.TooExpensive, and what ONNX Runtime raises.
    """
    data = halves.kept(model).SerializeToString()
    return [outputs for [outputs] in numerics.run(data, feeds)]


def _are_equal(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> bool:
    return len(one) == len(other) and all(
        first.shape == second.shape
        and first.dtype == second.dtype
        and np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
        for first, second in zip(one, other, strict=True)
    )


def kind_of(part: Part, types: dict[str, int]) -> str:
    """Return in which precision a part of B computes: float, float16 or int8. A float part may still
    round to float16 and back, which is then what it adds.
    """
    if any(node.op_type in FEW_BITS for node in part.nodes):
        return "int8"
    half = {name for name in part.inputs if types[name] == TensorProto.FLOAT16}
    stored = {tensor.name for tensor in part.stored if tensor.data_type == TensorProto.FLOAT16}
    if stored or any(types.get(name) == TensorProto.FLOAT16 for name in part.outputs):
        return "float16"
    for node in part.nodes:
        is_half = bool(half & set(node.input))
        if node.op_type == "Cast":
            to = next((each.i for each in node.attribute if each.name == "to"), 0)
            if to == TensorProto.FLOAT16:
                half.update(node.output)
        elif is_half:
            if node.op_type not in MOVES:
                return "float16"
            half.update(node.output)
    # What only casts back is given numbers that were rounded.
    return "float16" if any(types[name] == TensorProto.FLOAT16 for name in part.inputs) else "float"


def held(value: np.ndarray, narrow: np.ndarray) -> bool:
    """Decide whether a narrower type holds these numbers: none of them became infinite, zero or so
    small that most of its bits are gone.
    """
    if value.dtype.kind != "f":
        return True
    finite = np.isfinite(value) & (np.abs(value) < 1e30)
    return sqnr(value[finite], narrow[finite].astype(np.float64)) > HELD_DB


def decibels(wanted: Iterable[np.ndarray], found: Iterable[np.ndarray]) -> float:
    """Return the lowest SQNR of several runs, in dB."""
    worst = math.inf
    with np.errstate(all="ignore"):
        for one, other in zip(wanted, found, strict=True):
            if one.dtype.kind in "fc" and one.shape == other.shape:
                same = np.isinf(one) & (one == other)
                worst = min(worst, sqnr(one[~same], other[~same]))
            elif one.shape != other.shape or not np.array_equal(one, other):
                worst = -math.inf
    return worst


def _like(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """In the type of A where both are floats: that a type changed is told elsewhere."""
    return found.astype(wanted.dtype) if found.dtype.kind == wanted.dtype.kind == "f" else found


def computing(nodes: Iterable[NodeProto]) -> list[NodeProto]:
    return [node for node in nodes if node.op_type not in MOVES] or list(nodes)


class OutOfTime(RuntimeError):
    """The search was given up."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """`wrong`: the parts that add error, in B's order; `all`: every part; `like_db`: by the value of
    a wrong part, the SQNR of parts like it. `infinite`: the first value, in B's order, that is
    infinite or NaN in B alone; `largest` the float16 value of B with the largest number.
    `is_complete` is false where the time was over.
    """

    wrong: list[Place]
    all: list[Place]
    like_db: dict[str, float]
    infinite: Value | None
    largest: Value | None
    is_complete: bool


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value by its name in A and in B, its largest number in A, and its type in B."""

    a: str
    b: str
    largest: float
    dtype: str


def find(
    a: ModelProto,
    b: ModelProto,
    *,
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
    inner: Sequence[tuple[str, str]],
    feeds: Sequence[Feeds],
    theirs: Sequence[Feeds],
    seconds: float = math.inf,
) -> Found:
    """Return where B adds error, on these inputs of A and of B.

    `inputs`, `outputs` and `inner` are (name in A, name in B); `seconds` of the processor may be
    used. Raises numerics.TooExpensive, and what ONNX Runtime raises.
    """
    ends = time.process_time() + seconds

    def watch(_: str) -> None:
        if time.process_time() > ends:
            raise OutOfTime

    whole_a = Whole(flat(a))
    whole_b = Whole(flat(b))
    pairs = [
        (one, other)
        for one, other in [*outputs, *inner]
        if one in whole_a.places and other in whole_b.places
    ]
    values_a = _values(whole_a.proto, [one for one, _ in pairs], feeds)
    values_b = _values(whole_b.proto, [other for _, other in pairs], theirs)
    comparable = {
        pair
        for pair in pairs
        if all(
            _are_alike(mine[pair[0]], found[pair[1]])
            for mine, found in zip(values_a, values_b, strict=True)
        )
    }
    in_order = sorted(comparable, key=lambda pair: whole_b.places[pair[1]])
    found = partial(
        Found,
        infinite=_first_infinite(in_order, values_a, values_b),
        largest=_largest_half(in_order, values_a, values_b),
    )
    search = Search(
        whole_a,
        whole_b,
        pairs=[pair for pair in inner if pair in comparable],
        ends=[pair for pair in outputs if pair in comparable],
        inputs={other: one for one, other in inputs},
        feeds_a=list(feeds),
        feeds_b=list(theirs),
        values_a=values_a,
        types_b={
            **whole_b.types,
            **{
                name: helper.np_dtype_to_tensor_dtype(each.dtype)
                for name, each in values_b[0].items()
                if isinstance(each, np.ndarray)
            },
        },
        say=watch,
    )
    try:
        wrong = search.all()
    except OutOfTime:
        return found(wrong=[], all=[], like_db={}, is_complete=False)
    return found(
        wrong=wrong,
        all=list(search.places.values()),
        like_db={place.b: search.expected_db(place) for place in wrong},
        is_complete=True,
    )


def _first_infinite(
    pairs: Sequence[tuple[str, str]], values_a: Sequence[Feeds], values_b: Sequence[Feeds]
) -> Value | None:
    for one, other in pairs:
        runs = [(mine[one], found[other]) for mine, found in zip(values_a, values_b, strict=True)]
        if any(np.isfinite(mine).all() and not np.isfinite(found).all() for mine, found in runs):
            return _value(one, other, values_a, values_b)
    return None


def _largest_half(
    pairs: Sequence[tuple[str, str]], values_a: Sequence[Feeds], values_b: Sequence[Feeds]
) -> Value | None:
    halved = [
        _value(one, other, values_a, values_b)
        for one, other in pairs
        if values_b[0][other].dtype == np.float16
    ]
    return max(halved, key=lambda value: value.largest, default=None)


def _value(one: str, other: str, values_a: Sequence[Feeds], values_b: Sequence[Feeds]) -> Value:
    largest = max(float(np.abs(mine[one].astype(np.float64)).max(initial=0)) for mine in values_a)
    return Value(a=one, b=other, largest=largest, dtype=str(values_b[0][other].dtype))


def _values(model: ModelProto, names: Sequence[str], feeds: Sequence[Feeds]) -> list[Feeds]:
    """These values of a model by name, for each of the feeds."""
    wide = ModelProto()
    wide.CopyFrom(model)
    stated = {value.name: value for value in model.graph.output}
    del wide.graph.output[:]
    names = list(dict.fromkeys(names))
    wide.graph.output.extend(stated.get(name) or ValueInfoProto(name=name) for name in names)
    return [dict(zip(names, run, strict=True)) for run in run_as_declared(wide, feeds)]


def _are_alike(one: object, other: object) -> bool:
    return (
        isinstance(one, np.ndarray)
        and isinstance(other, np.ndarray)
        and one.shape == other.shape
        and one.dtype.kind == other.dtype.kind
        and one.dtype.kind in "fiub"
    )
