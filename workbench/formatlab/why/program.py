"""What the user's program fed and got, held against the file. Where the file gives other numbers, ways in
which programs prepare inputs and read outputs are tried: one that gives the program's numbers to four
units is the cause.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from formatlab.diff import given
from formatlab.diff.inputs import CannotFeed
from formatlab.diff.parts import Whole
from formatlab.diff.words import quoted
from formatlab.measure.yardstick import Verdict, judge
from formatlab.numerics import Feeds
from formatlab.why import runs

Array = np.ndarray
MEAN = np.array([0.485, 0.456, 0.406])
STD = np.array([0.229, 0.224, 0.225])


@dataclass(frozen=True, kw_only=True)
class Way:
    """Something that a program may do to its inputs, in words."""

    text: str
    change: Callable[[Feeds], Feeds]


@dataclass(frozen=True, kw_only=True)
class Explained:
    """`verdict` is that of the program's outputs; `ways` what was done to the inputs or outputs so that
    the file gives them.
    """

    verdict: Verdict | None
    ways: tuple[str, ...]
    same: bool


def load(expected: object, model: Whole, count: int) -> list[Feeds]:
    """Return the outputs that the program got, by the model's names. Raises CannotFeed."""
    if isinstance(expected, (str, Path)):
        found, _ = given.load_expected(Path(expected), list(model.proto.graph.output), count)
        return found
    each = [expected] if isinstance(expected, Mapping) else list(expected)  # type: ignore[call-overload]
    if len(each) != count:
        raise CannotFeed(f"there are inputs of {count} runs and outputs of {len(each)}")
    for one in each:
        if strange := [name for name in one if name not in model.outputs]:
            raise CannotFeed(
                f"the model has no output {quoted(strange[0])}: it has {', '.join(map(quoted, model.outputs))}"
            )
    return [{name: np.asarray(value) for name, value in one.items()} for one in each]


def explain(
    model: Whole, feeds: Sequence[Feeds], expected: Sequence[Feeds], left: Callable[[], bool]
) -> Explained:
    """Return whether the file gives what the program got, or with which change of the inputs."""
    verdict = held(model, feeds, expected)
    if verdict is not None and verdict.same:
        return Explained(verdict=verdict, ways=(), same=True)
    if text := _of_outputs(model, feeds, expected):
        return Explained(verdict=verdict, ways=(text,), same=False)
    single = list(ways(feeds))
    for chosen in itertools.chain(((way,) for way in single), itertools.permutations(single, 2)):
        if not left():
            break
        changed = [dict(each) for each in feeds]
        try:
            for way in chosen:
                changed = [way.change(each) for each in changed]
            found = held(model, changed, expected)
        except Exception:  # of sizes that do not fit  # noqa: BLE001
            continue
        if found is not None and found.same:
            return Explained(verdict=verdict, ways=tuple(way.text for way in chosen), same=False)
    return Explained(verdict=verdict, ways=(), same=False)


def held(model: Whole, feeds: Sequence[Feeds], expected: Sequence[Feeds]) -> Verdict | None:
    """The program's outputs, judged by the file's own error; None without a run in float64."""
    names = list(expected[0])
    wide = runs.with_outputs(model.proto, names)
    mine = runs.run(wide, feeds)
    try:
        exact = runs.exact(wide, feeds)
    except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return None
    theirs = [
        [each[name].astype(have.dtype) for name, have in zip(names, run, strict=True)]
        for each, run in zip(expected, mine, strict=True)
    ]
    return judge(theirs, mine, exact, names)


def _of_outputs(model: Whole, feeds: Sequence[Feeds], expected: Sequence[Feeds]) -> str | None:
    """Something that the program does to what the file gives."""
    names = list(expected[0])
    try:
        wide = runs.with_outputs(model.proto, names)
        mine = runs.run(wide, feeds)
        exact = runs.exact(wide, feeds)
    except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return None
    for text, change in OUTPUTS.items():
        try:
            theirs = [[each[name].astype(np.float32) for name in names] for each in expected]
            changed = [
                [change(value.astype(np.float64)).astype(np.float32) for value in run]
                for run in mine
            ]
            truth = [[change(value) for value in run] for run in exact]
            if judge(theirs, changed, truth, names).same:
                return text
            back = [[change(value.astype(np.float64)) for value in run] for run in theirs]
            if judge(
                [[value.astype(np.float32) for value in run] for run in back], mine, exact, names
            ).same:
                return text.replace("the program applies", "the file applies").replace(
                    "to what the file gives", "and the program does not"
                )
        except Exception:  # of shapes that do not fit  # noqa: BLE001
            continue
    if len(names) > 1:
        for order in itertools.permutations(names):
            if list(order) != names:
                theirs = [[each[name] for name in order] for each in expected]
                try:
                    if judge(theirs, mine, exact, names).same:
                        return "the outputs are in another order"
                except (TypeError, ValueError):
                    continue
    return None


def _softmax(value: Array) -> Array:
    shifted = np.exp(value - value.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


OUTPUTS: Mapping[str, Callable[[Array], Array]] = {
    "the program applies a softmax to what the file gives": _softmax,
    "the program applies a sigmoid to what the file gives": lambda value: 1 / (1 + np.exp(-value)),
    "the program applies a log-softmax to what the file gives": lambda value: np.log(
        _softmax(value)
    ),
    "the program applies a normalization to length 1 to what the file gives": lambda value: (
        value / np.linalg.norm(value, axis=-1, keepdims=True)
    ),
}


def ways(feeds: Sequence[Feeds]) -> Iterator[Way]:
    """What programs do to inputs."""
    first = feeds[0]
    for name, value in first.items():
        if value.dtype.kind == "f":
            yield from _of_floats(name, value)
        elif value.dtype.kind in "iub":
            yield from _of_codes(name, value)
    for one, other in itertools.combinations(first, 2):
        if first[one].shape == first[other].shape and first[one].dtype == first[other].dtype:
            yield Way(
                text=f"{quoted(one)} and {quoted(other)} have changed places",
                change=partial(_exchanged, one=one, other=other),
            )


def _normalized(x: Array, mean: Array, std: Array) -> Array:
    return (x - mean) / std


def _denormalized(x: Array, mean: Array, std: Array) -> Array:
    return x * std + mean


def _exchanged(feeds: Feeds, one: str, other: str) -> Feeds:
    return {**feeds, one: feeds[other], other: feeds[one]}


def _of_floats(name: str, value: Array) -> Iterator[Way]:
    shown = quoted(name)

    def way(text: str, change: Callable[..., Array], *more: object) -> Way:
        return Way(
            text=text,
            change=lambda each: {
                **each,
                name: np.ascontiguousarray(change(each[name].astype(np.float64), *more)).astype(
                    each[name].dtype
                ),
            },
        )

    yield way(
        f"the program divides {shown} by 255 and what it fed here is not divided", lambda x: x / 255
    )
    yield way(f"{shown} is divided by 255 here and not in the program", lambda x: x * 255)
    yield way(f"the program scales {shown} from [0, 1] to [-1, 1]", lambda x: (x - 0.5) / 0.5)
    yield way(
        f"{shown} is scaled to [-1, 1] here and to [0, 1] in the program", lambda x: x * 0.5 + 0.5
    )
    for axis in {1, value.ndim - 1} if value.ndim >= 3 else ():
        if value.shape[axis] == 3:
            by = [1] * value.ndim
            by[axis] = 3
            mean = MEAN.reshape(by)
            std = STD.reshape(by)
            yield way(
                f"the colours of {shown} are in another order, RGB for BGR",
                np.flip,
                axis,
            )
            yield way(
                f"the program subtracts ImageNet's mean from {shown} and divides by its deviation",
                _normalized,
                mean,
                std,
            )
            yield way(
                f"ImageNet's mean and deviation are taken out of {shown} here and not in the program",
                _denormalized,
                mean,
                std,
            )
    if value.ndim == 4:
        yield way(
            f"the program moves the axes of {shown} (channels last) and reads the numbers as if it had not",
            lambda x: x.transpose(0, 2, 3, 1).reshape(x.shape),
        )
        yield way(
            f"the numbers of {shown} lie with channels last and are read as channels first",
            lambda x: x.reshape(x.shape[0], x.shape[2], x.shape[3], x.shape[1]).transpose(
                0, 3, 1, 2
            ),
        )
        if value.shape[2] == value.shape[3]:
            yield way(
                f"height and width of {shown} have changed places",
                lambda x: x.transpose(0, 1, 3, 2),
            )
    if value.ndim == 3 and value.shape[1] == value.shape[2]:
        yield way(
            f"the last two axes of {shown} have changed places", lambda x: x.transpose(0, 2, 1)
        )
    if value.ndim == 3 and value.shape[0] == value.shape[1]:
        yield way(
            f"the first two axes of {shown} have changed places", lambda x: x.transpose(1, 0, 2)
        )
    if value.ndim == 2 and value.shape[0] == value.shape[1]:
        yield way(f"{shown} is transposed", lambda x: x.T)


def _of_codes(name: str, value: Array) -> Iterator[Way]:
    shown = quoted(name)
    numbers = value.astype(np.int64)
    if set(np.unique(numbers)) <= {0, 1}:
        yield Way(
            text=f"the mask {shown} is 1 where the program has 0",
            change=lambda each: {
                **each,
                name: (1 - each[name].astype(np.int64)).astype(value.dtype),
            },
        )
        yield Way(
            text=f"the mask {shown} is all ones in the program",
            change=lambda each: {**each, name: np.ones_like(each[name])},
        )
    if value.ndim >= 2:
        yield Way(
            text=f"the numbers of {shown} are in the opposite order",
            change=lambda each: {**each, name: np.ascontiguousarray(each[name][..., ::-1])},
        )
