"""Inputs that two models take: drawn so that they reach what a model may be asked for, or out of files.

Drawn ones have each free size once as 1, small, and about a hundred, as far as the model takes that;
indices from both ends of their table; masks of 0 and 1 with ragged rows; floats with a row of zeros
and an outlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper

from formatlab import graphs, numerics
from formatlab.diff import roles
from formatlab.diff.roles import Role
from formatlab.diff.words import joined, plain, quoted
from formatlab.numerics import Feeds

RUNS = 3
SEED = 1
# Types that stand for one another: an input is rounded to the narrower one, and fed to both.
FLOATS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16}
# The most numbers of an input: as many as are drawn at all, and those that a large size may make.
MOST = 1 << 26
LARGE_MOST = 1 << 18
# Drawn floats are normal: three deviations hold all but a few in a thousand.
ORDINARY = 3
# So many sizes of a dimension are told one by one.
SAID = 4
SMALL, ONE, LARGE = range(3)
Range = tuple[int, int]


class CannotFeed(ValueError):
    """There are no inputs for both models. The text says why, as the end of a sentence."""


class CannotGive(CannotFeed):
    """What somebody gave does not fit the models."""


def draw(
    a: ModelProto,
    b: ModelProto,
    names: Mapping[str, str] | None = None,
    *,
    runs: int = RUNS,
    seed: int = SEED,
    sizes: Mapping[str, int] | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> list[Feeds]:
    """Return inputs of A, `runs` times, that B takes as well; `names` says which input of A is which
    of B. They were not run: `Inputs.candidates` has others for what a model refuses.

    `sizes` fixes free dimensions of A by name, or as `input:axis`; `ranges` says {input: (low,
    high)} of integers, with `high` left out. Raises CannotFeed.
    """
    found = Inputs.of(a, b, names, seed=seed, sizes=sizes, ranges=ranges)
    return [found.feeds(next(found.candidates(run)), run) for run in range(runs)]


@dataclass(eq=False)
class Inputs:
    """What can be drawn for A and B. `free` are the sizes that neither fixes, by A's name for them;
    `wide` the integers that are neither indices, sizes nor masks.
    """

    values: list[ValueInfoProto]
    _: KW_ONLY
    seed: int = SEED
    keys: dict[str, list[str | int]] = field(default_factory=dict)
    free: list[str] = field(default_factory=list)
    called: dict[str, str | int] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)
    # The least of the integers of `wide` beyond 0 and 1.
    lowest: int = 0
    # Floats as a calibration sees them: one far outside of its range would hide all else.
    is_ordinary: bool = False

    @classmethod
    def of(
        cls,
        a: ModelProto,
        b: ModelProto,
        names: Mapping[str, str] | None = None,
        *,
        seed: int = SEED,
        sizes: Mapping[str, int] | None = None,
        ranges: Mapping[str, Range] | None = None,
    ) -> Inputs:
        """Raises CannotFeed."""
        wanted = needed(a)
        theirs = {value.name: value for value in b.graph.input}
        names = {value.name: value.name for value in wanted} if names is None else names
        for value in wanted:
            if names.get(value.name) not in theirs:
                raise CannotFeed(f"B has no input like {quoted(value.name)}")
            _require_alike(value, theirs[names[value.name]])
        found = cls(wanted, seed=seed, ranges=ranges or {})
        if unknown := [name for name in found.ranges if name not in found.names]:
            raise CannotGive(
                f"there is no input {quoted(unknown[0])} for --range; the inputs of A are {listed(found.names)}"
            )
        found.keys, found.free, found.called = _sizes(wanted, theirs, names, sizes or {})
        found.roles = roles.of_inputs(a)
        other = roles.of_inputs(b)
        for name, role in found.roles.items():
            if names[name] in other:
                role.narrow(other[names[name]])
        return found

    @property
    def names(self) -> list[str]:
        return [value.name for value in self.values]

    @property
    def wide(self) -> list[str]:
        return [
            value.name
            for value in self.values
            if value.name in self.roles
            and value.name not in self.ranges
            and _dtype(value).kind in "iu"
            and _dtype(value).itemsize > 1
            and not _is_mask(value)
            and not self.roles[value.name].picks
            and not self.roles[value.name].counts
        ]

    @property
    def masks(self) -> list[str]:
        return [
            value.name for value in self.values if _is_mask(value) and value.name not in self.ranges
        ]

    @property
    def sides(self) -> set[str]:
        """The free sizes behind a batch and channels, such as those of a picture."""
        return {
            key
            for value in self.values
            for key in self.keys[value.name][2:]
            if isinstance(key, str) and key in self.free
        }

    def candidates(self, run: int) -> Iterator[dict[str, int]]:
        """The sizes for a run, by name: first those that say most, then others, for what a model
        refuses.
        """
        rng = np.random.default_rng([self.seed, run, 0])
        small = rng.permutation(np.arange(2, 8))
        near = {name: int(small[at % 6]) + at // 6 for at, name in enumerate(self.free)}
        if max(self.elements(near)) > LARGE_MOST:  # a picture is large enough by itself
            near = {name: 2 + at % 2 for at, name in enumerate(self.free)}
        kinds = {name: self._kind(at, run, rng) for at, name in enumerate(self.free)}
        seen = []
        for large in (int(rng.integers(100, 141)), 33, 9):
            sizes = {
                name: {ONE: 1, SMALL: near[name], LARGE: large}[kinds[name]] for name in self.free
            }
            seen.append(self._within(sizes, near))
        # Without a 1, and without a large one.
        seen.append(self._within({n: s if s > 1 else near[n] for n, s in seen[0].items()}, near))
        seen.append(self._within({n: min(s, near[n]) for n, s in seen[0].items()}, near))
        seen.append(near)
        seen += self._friendly(near, run)
        for at, sizes in enumerate(seen):
            if sizes not in seen[:at]:
                yield sizes

    def _kind(self, at: int, run: int, rng: np.random.Generator) -> int:
        """Which size a dimension has in a run: in the first all are small, in the next two every
        other one is 1, and the rest are large.
        """
        if run > 2:
            return int(rng.integers(3))
        return SMALL if not run else (ONE, LARGE)[(at + run + 1) % 2]

    def _within(self, sizes: dict[str, int], near: Mapping[str, int]) -> dict[str, int]:
        """With the largest sizes halved until no input has too many numbers."""
        sizes = dict(sizes)
        while sizes and max(self.elements(sizes)) > LARGE_MOST:
            name = max(sizes, key=lambda each: sizes[each] - near[each])
            if sizes[name] <= near[name]:
                break
            sizes[name] = max(near[name], sizes[name] // 2)
        return sizes

    def _friendly(self, near: Mapping[str, int], run: int) -> Iterator[dict[str, int]]:
        """Sizes for networks that halve a picture several times, for dimensions of which one is the
        sum of two others, and for such as have to be equal.
        """
        deep = self.sides
        for side in (32, 64):
            yield {
                n: side * (1 + (run + at) % 2) if n in deep else near[n]
                for at, n in enumerate(near)
            }
            yield {n: side if n in deep else near[n] for n in near}
        # Dimensions at one axis of several inputs are often one size under two names.
        axis = {key: at for key in near for at in self._axes(key)}
        yield {
            name: 1 if run == 1 and not axis[name] else 3 + run + 2 * axis[name] for name in near
        }
        yield {name: 2 + (run + axis[name]) % 5 for name in near}
        names = list(near)[:6]
        for total in names:
            for at, one in enumerate(names):
                for other in names[at + 1 :]:
                    if total not in (one, other):
                        yield {**near, total: near[one] + near[other]}
        yield dict.fromkeys(near, 3 + run % 4)

    def _axes(self, key: str) -> Iterator[int]:
        """Where a size stands; the first place comes last."""
        for value in reversed(self.values):
            for at, each in reversed(list(enumerate(self.keys[value.name]))):
                if isinstance(each, str) and key in each.split(" + "):
                    yield at

    def elements(self, sizes: Mapping[str, int]) -> list[int]:
        return [int(np.prod(self.shape(name, sizes), dtype=float)) for name in self.names] or [0]

    def shape(self, name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(
            each if isinstance(each, int) else max(0, _size(each, sizes))
            for each in self.keys[name]
        )

    def feeds(self, sizes: Mapping[str, int], run: int, *, wide: bool = False) -> Feeds:
        """Arrays for A's inputs at these sizes; with `wide`, integers of `self.wide` also go beyond 0
        and 1. The same for the same seed, run and sizes. Raises CannotFeed.
        """
        rng = np.random.default_rng([self.seed, run, 1])
        found = {}
        for value in self.values:
            shape = self.shape(value.name, sizes)
            if np.prod(shape, dtype=float) > MOST:
                raise CannotFeed(
                    f"the input {quoted(value.name)} of shape {plain(str(list(shape)))} has more than {MOST >> 20} million "
                    "numbers: choose smaller sizes with --dim"
                )
            found[value.name] = self._array(rng, value, shape, sizes, run, wide=wide)
        return found

    def _array(
        self,
        rng: np.random.Generator,
        value: ValueInfoProto,
        shape: tuple[int, ...],
        sizes: Mapping[str, int],
        run: int,
        *,
        wide: bool,
    ) -> np.ndarray:
        dtype = _dtype(value)
        if dtype.kind not in "iub":
            if _is_mask(value):
                return _ragged(rng, shape, run).astype(dtype)
            values = _floats(rng, shape)
            return (np.clip(values, -ORDINARY, ORDINARY) if self.is_ordinary else values).astype(
                dtype
            )
        if dtype.kind == "b":
            if np.prod(shape, dtype=int) == 1:
                return np.full(shape, bool((run + self.seed) % 2))
            return _ragged(rng, shape, run) if _is_mask(value) else rng.random(shape) < 0.5
        low, high = self.between(value, sizes, wide=wide)
        role = self.roles[value.name]
        if value.name not in self.ranges and not role.picks and not role.counts:
            if _is_mask(value):
                return _ragged(rng, shape, run).astype(dtype)
            if dtype.itemsize > 1 and not wide:
                return _flags(rng, shape, run, self._flags(value)).astype(dtype)
        limits = np.iinfo(dtype)
        if not limits.min <= low < high <= limits.max + 1:
            raise CannotGive(
                f"the range {low}:{high} of the input {quoted(value.name)} is empty, or does not fit {dtype}"
            )
        values = rng.integers(low, high, shape, dtype=np.int64 if high <= 1 << 62 else np.uint64)
        if values.size > 1:
            ends = rng.choice(values.size, 2, replace=False)
            values.flat[ends[0]] = low
            values.flat[ends[1]] = high - 1
        return values.astype(dtype)

    def between(
        self, value: ValueInfoProto, sizes: Mapping[str, int], *, wide: bool = False
    ) -> Range:
        """The integers of an input at these sizes, the end left out."""
        if value.name in self.ranges:
            return self.ranges[value.name]
        role = self.roles[value.name]
        if role.picks:
            limits = [role.rows] if role.rows is not None else []
            for name in role.row_dims & self.called.keys():
                size = self.called[name]
                limits.append(size if isinstance(size, int) else _size(size, sizes))
            high = min(limits, default=role.first + 2)
            return role.first, max(high, role.first + 1)
        if role.counts:
            return 1, 5
        if _dtype(value).itemsize == 1:
            whole = np.iinfo(_dtype(value))
            return int(whole.min), int(whole.max) + 1
        lowest = self.lowest if _dtype(value).kind == "i" else 0
        return (lowest, 5) if wide else (0, 2)

    def _flags(self, value: ValueInfoProto) -> list[int]:
        """The few values that an input is drawn from; none of another input."""
        role = self.roles.get(value.name)
        if value.name in self.ranges or _dtype(value).kind == "b":
            return []
        if role is not None and (role.picks or role.counts):
            return []
        if _is_mask(value):
            return [0, 1]
        if role is None or value.name not in self.wide:
            return []
        return sorted({0, 1} | _fitting(role.compared, _dtype(value)))

    def said(self, tried: Sequence[Mapping[str, int]]) -> str:
        """What was tried, in words: sizes, and integers that are neither indices nor given."""
        parts = []
        for name in self.free:
            values = [str(each) for each in sorted({sizes[name] for sizes in tried})]
            few = len(values) <= SAID
            shown = joined(values) if few else f"{values[0]} to {values[-1]} ({len(values)} sizes)"
            parts.append(f"{quoted(name)} was {shown}")
        held: dict[str, list[str]] = {}
        for value in self.values:
            if flags := self._flags(value):
                held.setdefault(joined([str(each) for each in flags]), []).append(value.name)
        parts += [f"{listed(names)} held {values}" for values, names in held.items()]
        return joined(parts) if parts else ""


def needed(model: ModelProto) -> list[ValueInfoProto]:
    """The inputs of the model that no initializer stands for."""
    stored = set(graphs.stored(model.graph))
    return [value for value in model.graph.input if value.name not in stored]


def listed(names: Sequence[str]) -> str:
    return joined([quoted(name) for name in names]) if names else "none"


def _require_alike(value: ValueInfoProto, other: ValueInfoProto) -> None:
    name = quoted(value.name)
    if value.type.WhichOneof("value") != "tensor_type":
        raise CannotFeed(f"the input {name} is no tensor, and nothing else is drawn")
    tensor = value.type.tensor_type
    theirs = other.type.tensor_type
    if not tensor.HasField("shape"):
        raise CannotFeed(f"the input {name} declares no shape: give inputs with --feeds")
    both = {tensor.elem_type, theirs.elem_type}
    if len(both) > 1 and not both <= FLOATS:
        raise CannotFeed(f"the input {name} has another type in B")
    if tensor.elem_type not in TensorProto.DataType.values() or tensor.elem_type in (
        TensorProto.STRING,
        TensorProto.UNDEFINED,
    ):
        raise CannotFeed(f"the input {name} holds no numbers: give inputs with --feeds")
    if theirs.HasField("shape") and len(theirs.shape.dim) != len(tensor.shape.dim):
        raise CannotFeed(f"the input {name} has another rank in B")


def _sizes(
    wanted: Sequence[ValueInfoProto],
    theirs: Mapping[str, ValueInfoProto],
    names: Mapping[str, str],
    given: Mapping[str, int],
) -> tuple[dict[str, list[str | int]], list[str], dict[str, str | int]]:
    """For each axis of each input a number, or the name of a size; the names that are free; and for
    every name of A its size. Two dimensions that A or B calls by one name have one size.
    """
    joint: dict[str, str] = {}
    fixed: dict[str, int] = {}
    where: dict[str, str] = {}

    def root(key: str) -> str:
        while joint.setdefault(key, key) != key:
            key = joint[key]
        return key

    axes: dict[str, list[str]] = {}
    for value in wanted:
        axes[value.name] = []
        other = theirs[names[value.name]].type.tensor_type.shape.dim
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            place = f"{value.name}:{axis}"
            key = dim.dim_param or place
            root(key)
            if numerics.is_fixed(dim):
                key = f"{place} of A"
                fixed[root(key)] = dim.dim_value
            axes[value.name].append(key)
            if axis < len(other) and numerics.is_fixed(other[axis]):
                size = other[axis].dim_value
                if fixed.setdefault(root(key), size) != size:
                    raise CannotFeed(
                        f"the input {quoted(value.name)} has another shape in B: {size} in place of {fixed[root(key)]}"
                    )
            elif axis < len(other) and other[axis].dim_param:
                twin = where.setdefault(other[axis].dim_param, key)
                one = root(twin)
                two = root(key)
                if one != two:
                    joint[two] = one
                    if two in fixed and fixed.setdefault(one, fixed[two]) != fixed[two]:
                        raise CannotFeed(
                            f"the input {quoted(value.name)} has another shape in B, where {quoted(other[axis].dim_param)} has one size"
                        )
    known = {key for each in axes.values() for key in each if not key.endswith(" of A")}
    for name, size in given.items():
        if name not in known:
            shown = listed(sorted(known))
            raise CannotGive(f"A has no free dimension {quoted(name)} for --dim; it has {shown}")
        if fixed.setdefault(root(name), size) != size:
            raise CannotGive(
                f"the dimension {quoted(name)} is {fixed[root(name)]} in B, and not {size}"
            )
    # A sum of others (`past + sequence`, as some exporters call a dimension) is not free.
    sums = {key for key in known if root(key) not in fixed and _is_sum(key, known)}
    called: dict[str, str | int] = {
        key: _sum(key, fixed, root) if key in sums else fixed.get(root(key), root(key))
        for key in known
    }
    keys: dict[str, list[str | int]] = {
        name: [called.get(key, fixed.get(root(key), key)) for key in each]
        for name, each in axes.items()
    }
    free = dict.fromkeys(
        name
        for each in keys.values()
        for key in each
        if isinstance(key, str)
        for name in key.split(" + ")
        if not name.isdecimal()
    )
    return keys, list(free), called


def _is_sum(name: str, known: set[str]) -> bool:
    parts = [part.strip() for part in name.split("+")]
    return len(parts) > 1 and all(part.isdecimal() or part in known for part in parts)


def _sum(name: str, fixed: Mapping[str, int], root: Callable[[str], str]) -> str | int:
    parts = [part.strip() for part in name.split("+")]
    found = [part if part.isdecimal() else str(fixed.get(root(part), root(part))) for part in parts]
    if all(part.isdecimal() for part in found):
        return sum(map(int, found))
    return " + ".join(found)


def _size(key: str, sizes: Mapping[str, int]) -> int:
    if key in sizes:
        return sizes[key]
    return sum(int(part) if part.isdecimal() else sizes[part] for part in key.split(" + "))


def _dtype(value: ValueInfoProto) -> np.dtype:
    return np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))


def _is_mask(value: ValueInfoProto) -> bool:
    return "mask" in value.name.lower()


def _fitting(values: set[int], dtype: np.dtype) -> set[int]:
    limits = np.iinfo(dtype)
    return {each for each in values if limits.min <= each <= limits.max}


def _floats(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    if not shape:
        return np.asarray(rng.uniform(0.1, 0.9))
    values = rng.normal(size=shape)
    if values.size > values.shape[-1]:
        values[(-1,) * (len(shape) - 1)] = 0
    if values.size:
        values.flat[int(rng.integers(values.size))] = 8.0
    return values


def _ragged(rng: np.random.Generator, shape: tuple[int, ...], run: int) -> np.ndarray:
    """True where a row is long enough: rows end, begin, or have holes, by the run. None is empty."""
    if not shape:
        return np.array(bool(run % 2))
    length = shape[-1]
    rows = int(np.prod(shape[:-1], dtype=int))
    places = np.arange(length)
    lengths = rng.integers(1, max(length, 2), rows)[:, None]
    if rows > 1:
        lengths[int(rng.integers(rows))] = length
    kept = (places < lengths, places >= length - lengths, rng.random((rows, length)) < 0.6)[run % 3]
    if length:
        kept[np.arange(rows), rng.integers(0, length, rows)] |= ~kept.any(axis=1)
    return kept.reshape(shape)


def _flags(
    rng: np.random.Generator, shape: tuple[int, ...], run: int, values: Sequence[int]
) -> np.ndarray:
    """These values, each of them where there is room."""
    if not shape:
        return np.asarray(values[run % len(values)])
    found = np.asarray(values)[rng.integers(0, len(values), shape)]
    places = rng.permutation(found.size)[: len(values)]
    order = np.roll(np.asarray(values), -run)
    found.flat[places] = order[: len(places)]
    return found
