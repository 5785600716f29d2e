"""Which value of A is which of B, by the numbers themselves.

Nodes are matched by what they do, and where several do the same, one may be taken for another. Before the
place where two models part, their values are the same numbers, and say so.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from formatlab.diff.parts import Whole
from formatlab.numerics import Feeds
from formatlab.sqnr import sqnr
from formatlab.why import runs

# What is so near is the same value. float16 keeps some 70 dB of a value, and sums of it less.
SAME_DB = {2: 40.0, 4: 80.0, 8: 80.0}
NEAR_DB = 60.0
FEWEST = 4
# Numbers of a mask are larger than this, and those of most values smaller.
MASKS = 1e3
# Values that the first session gives, and bytes that a later one may give.
FIRST = 32
AT_ONCE = 512 << 20


class Values(Mapping[str, np.ndarray]):
    """Tensors by their names: in memory up to a limit in bytes, and behind it in files of a folder."""

    def __init__(self, limit: int, folder: Path) -> None:
        self._left = limit
        self._folder = folder
        self._held: dict[str, np.ndarray] = {}
        self._files: dict[str, Path] = {}

    def add(self, name: str, value: np.ndarray) -> None:
        self._left -= value.nbytes
        if self._left >= 0:
            self._held[name] = value
            return
        number, path = tempfile.mkstemp(suffix=".npy", dir=self._folder)
        with open(number, "wb") as file:
            np.save(file, value)
        self._files[name] = Path(path)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._held[name] if name in self._held else np.load(self._files[name])

    def __iter__(self) -> Iterator[str]:
        yield from self._held
        yield from self._files

    def __len__(self) -> int:
        return len(self._held) + len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._held or name in self._files


def of(model: Whole, feeds: Feeds, limit: int, folder: Path) -> Values:
    """Return every tensor that a model computes. A session gives as many at a time as are small
    together, because it holds all that it gives; each begins anew.
    """
    found = Values(limit, folder)
    names = list(model.writers)
    first = 0
    many = FIRST
    while first < len(names):
        some = names[first : first + many]
        first += len(some)
        size = 0
        for name, value in runs.values(runs.with_outputs(model.proto, some), feeds).items():
            if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
                size = max(size, value.nbytes)
                found.add(name, value)
        many = max(1, AT_ONCE // max(size, 1))
    return found


def matched(
    pairs: Iterable[tuple[str, str]],
    mine: Sequence[Mapping[str, np.ndarray]],
    theirs: Sequence[Mapping[str, np.ndarray]],
    makers: Mapping[str, int] | None = None,
) -> list[tuple[str, str]]:
    """Return the pairs (of A, of B) whose values are of one form. A value of B that has the numbers of
    another value of A is paired with that one. `makers` says of A's values which node gives them: parts
    of one value, as a Split gives, that have changed places are not paired anew, since what is split is
    in another order.
    """
    pairs = list(pairs)
    twins = {other for _, other in pairs}
    known = {
        other: one
        for one, other in pairs
        if one in mine[0]
        and other in theirs[0]
        and all(_are_alike(a[one], b[other]) for a, b in zip(mine, theirs, strict=True))
    }
    own = {
        one: other
        for other, one in known.items()
        if mine[0][one].dtype.kind == "f"
        and _level(one, other, mine, theirs)
        >= min(NEAR_DB, SAME_DB[theirs[0][other].dtype.itemsize])
    }
    by_form: dict[tuple[int, ...], list[str]] = defaultdict(list)
    sizes = {name: _size(value) for name, value in mine[0].items()}
    for name, value in mine[0].items():
        if value.dtype.kind == "f" and _tells(value):
            by_form[value.shape].append(name)
    for name, value in theirs[0].items():
        if value.dtype.kind != "f" or not _tells(value):
            continue
        if name in known and _level(known[name], name, mine, theirs) >= min(
            NEAR_DB, SAME_DB[value.dtype.itemsize]
        ):
            continue
        size = _size(value)
        for other in by_form.get(value.shape, ()):
            if name not in known and mine[0][other].dtype != value.dtype:
                continue  # what only rounds is a node of its own part
            if name in twins and other in own:
                continue  # a node that changes nothing in B gives what it reads, and is no other node
            if name in known and _are_beside(other, known[name], makers):
                continue
            near = abs(sizes[other] - size) <= 1e-2 * max(size, sizes[other])
            if near and _level(other, name, mine, theirs) >= SAME_DB[value.dtype.itemsize]:
                known[name] = other
                break
    return [(one, other) for other, one in known.items()]


def are_exchanged(
    mine: tuple[np.ndarray, np.ndarray], theirs: tuple[np.ndarray, np.ndarray]
) -> bool:
    """Decide whether two values of B are near the two of A the other way round, and not as they stand."""

    def are_near(one: np.ndarray, other: np.ndarray) -> bool:
        return _are_alike(one, other) and one.dtype.kind == "f" and sqnr(one, other) >= NEAR_DB

    return (
        are_near(mine[0], theirs[1])
        and are_near(mine[1], theirs[0])
        and not are_near(mine[0], theirs[0])
    )


def _are_beside(one: str, other: str, makers: Mapping[str, int] | None) -> bool:
    return one != other and makers is not None and makers.get(one, -1) == makers.get(other, -2)


def _are_alike(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and (
        one.dtype == other.dtype or one.dtype.kind == other.dtype.kind == "f"
    )


def _tells(value: np.ndarray) -> bool:
    """Are there numbers by which a value is known?"""
    if value.size < FEWEST or not np.isfinite(value).all():
        return False
    return bool(value.max() > value.min())


def _size(value: np.ndarray) -> float:
    if value.dtype.kind != "f" or not value.size:
        return 0.0
    with np.errstate(all="ignore"):
        return float(np.abs(value.astype(np.float64)).sum())


def _level(
    one: str,
    other: str,
    mine: Sequence[Mapping[str, np.ndarray]],
    theirs: Sequence[Mapping[str, np.ndarray]],
) -> float:
    return min(
        _alike_db(a[one], b[other]) if one in a and other in b else -np.inf
        for a, b in zip(mine, theirs, strict=True)
    )


def _alike_db(one: np.ndarray, other: np.ndarray) -> float:
    """The SQNR of what a mask makes large and of the rest, each by itself: beside -10000 or -3.4e38, all
    masked values of all layers are the same.
    """
    large = np.abs(one) >= MASKS
    if not large.any() or large.all():
        return sqnr(one, other)
    return min(sqnr(one[large], other[large]), sqnr(one[~large], other[~large]))
