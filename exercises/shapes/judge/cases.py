"""The cases of the exercise `shapes`: lists of arguments for `conv_output_size`, models for
`shape_coverage`, one difficulty each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from onnx import ModelProto

from formatlab.models import to_bytes
from formatlab_exercises.shapes.ask import MODEL
from formatlab_exercises.shapes.judge.case_models import (
    HIDDEN_KINDS,
    KINDS_OF_MODELS,
    Kind,
    draw,
)
from formatlab_exercises.shapes.judge.counting import Reading, count, leaves_undeclared
from formatlab_exercises.shapes.judge.formulas import Formula
from formatlab_exercises.shapes.judge.readings import tells_mistakes_apart
from nbjudge.contract import Case, case_seed

ATTEMPTS = 400


@dataclass(frozen=True)
class Sizes:
    """What a list of sizes is about: the arguments that are given besides size and kernel, and how
    many sets of them. In every second set of a `short` list no window fits; in an `early` one
    inputs end before the first window does. `more` follows them in a hidden list.
    """

    given: tuple[str, ...] = ()
    number: int = 12
    short: bool = False
    early: bool = False
    more: tuple[dict, ...] = ()


# A window of one position, one that just fits, and a stride that is longer than the input.
AT_THE_EDGE = (
    {"size": 9, "kernel": 1, "stride": 2},
    {"size": 5, "kernel": 5, "stride": 3},
    {"size": 3, "kernel": 2, "stride": 5},
)
# A window that is longer than the input, and fits the padded one.
FITS_PADDED = ({"size": 3, "kernel": 5, "stride": 2, "padding": [2, 3]},)
# A stride beyond the window, so that the last window would start behind an input that is not padded
# at its end.
BEHIND_THE_INPUT = (
    {"size": 6, "kernel": 2, "stride": 6, "padding": [0, 0], "ceil_mode": True},
    {"size": 9, "kernel": 2, "stride": 5, "padding": [1, 0], "ceil_mode": True},
    {"size": 8, "kernel": 3, "stride": 2, "padding": [0, 0], "ceil_mode": True},
)
ALL = ("stride", "padding", "dilation", "ceil_mode")
SIZES = {
    "defaults": Sizes(),
    "strides": Sizes(("stride",), more=AT_THE_EDGE),
    "dilations": Sizes(("stride", "dilation")),
    "padding": Sizes(("stride", "padding"), more=FITS_PADDED),
    "ceil": Sizes(("stride", "padding", "ceil_mode"), more=BEHIND_THE_INPUT),
    "ceil-short": Sizes(("stride", "ceil_mode"), early=True),
    "too-short": Sizes(("stride",), short=True),
    "mixed": Sizes(ALL),
}
# Ways of judging a declaration, and of looking one up, that a model shows to be wrong only where they
# are its difficulty.
SEPARATE = (
    *(
        Reading(judge=way)
        for way in (
            *("any unk", "any case", "one underscore", "anywhere", "invented", "numbered"),
            *("any name", "bare", "zero", "scalar"),
        )
    ),
    Reading(lookup="no outputs"),
    Reading(lookup="main outputs"),
    Reading(lookup="main for bodies"),
)


def public_cases() -> list[Case]:
    sizes = [_sizes(name, kind, 0, public=True) for name, kind in SIZES.items()]
    return [*sizes, *(_model(name, kind, 0, public=True) for name, kind in KINDS_OF_MODELS.items())]


def cases(seed: int) -> list[Case]:
    sizes = [_sizes(f"hidden-{name}", kind, seed) for name, kind in SIZES.items()]
    kinds = {**KINDS_OF_MODELS, **HIDDEN_KINDS}
    models = (_model(f"hidden-{name}", kind, seed) for name, kind in kinds.items())
    return [*sizes, *models]


def _sizes(name: str, kind: Sizes, seed: int, public: bool = False) -> Case:
    own_seed = case_seed(seed, "shapes", name)
    rng = np.random.default_rng(own_seed)
    arguments = _drawn(rng, kind)
    while "dilation" in kind.given and not _tells_a_dilated_kernel(arguments):
        arguments = _drawn(rng, kind)
    if kind.early:
        arguments = _inputs_that_end_early(rng)
    elif "ceil_mode" in kind.given:
        arguments += _last_windows()
    if not public:
        if kind.given == ALL:
            # The end without padding is the difficulty of `ceil`.
            arguments = [
                {**each, "padding": [each["padding"][0], each["padding"][1] or 1]}
                for each in arguments
            ]
        arguments += kind.more
        # Lists of one kind have like sizes: the order keeps those of the public list from being right.
        arguments = [arguments[i] for i in rng.permutation(len(arguments))]
    return Case(name, {}, {"function": "conv_output_size", "sizes": arguments}, public, own_seed)


def _drawn(rng: np.random.Generator, kind: Sizes) -> list[dict]:
    return [_arguments(rng, kind.given, kind.short and i % 2 == 0) for i in range(kind.number)]


def _tells_a_dilated_kernel(drawn: list[dict]) -> bool:
    """Whether the commonest wrong extent of a dilated window gives another size somewhere. Rounding
    down may hide it, and a mark should not depend on that.
    """
    right, wrong = Formula(), Formula(extent="product")
    return any(right.size(**arguments) != wrong.size(**arguments) for arguments in drawn)


def _arguments(rng: np.random.Generator, given: tuple[str, ...], short: bool) -> dict:
    """One set of arguments. The padding at either side is smaller than the window; `short` inputs
    are shorter than the window.
    """
    kernel, stride, dilation = (int(rng.integers(2, high)) for high in (6, 5, 4))
    extent = (dilation if "dilation" in given else 1) * (kernel - 1) + 1
    padding = [int(end) for end in rng.choice(extent, 2, replace=False)]
    size = int(rng.integers(extent + 1, 40))
    if short:
        size = max(extent - int(rng.integers(1, 4)), 1)
    drawn = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": bool(rng.random() < 0.7),
    }
    return {"size": size, "kernel": kernel, **{name: drawn[name] for name in given}}


def _inputs_that_end_early(rng: np.random.Generator) -> list[dict]:
    """Inputs that are shorter than the window by less than a stride (one window with ceil_mode), by
    a stride or more; longer ones.
    """
    found = []
    for _ in range(4):
        stride, kernel = int(rng.integers(2, 6)), int(rng.integers(8, 12))
        for short in (int(rng.integers(1, stride)), stride, stride + int(rng.integers(1, 3))):
            found.append(
                {"size": kernel - short, "kernel": kernel, "stride": stride, "ceil_mode": True}
            )
        found.append({"size": kernel + 1, "kernel": kernel, "stride": stride, "ceil_mode": True})
    return [*found, {"size": 1, "kernel": 3, "stride": 4, "ceil_mode": True}]


def _last_windows() -> list[dict]:
    """Arguments whose last window starts just before the padding at the end, right at its start,
    and just behind that.
    """
    return [
        {"size": size, "kernel": 3, "stride": stride, "padding": [begin, 2], "ceil_mode": True}
        for size, stride, begin in (
            (8, 3, 1),
            (9, 3, 0),
            (7, 5, 2),
            (6, 4, 2),
            (5, 5, 1),
            (9, 5, 0),
        )
    ]


def _model(name: str, kind: Kind, seed: int, public: bool = False) -> Case:
    """A model on which known mistakes give different counts, so that a finding names the right one,
    and that shows its own difficulty and none of the others, for every seed.
    """
    own_seed = case_seed(seed, "shapes", name)
    drawn = (to_bytes(draw(kind, own_seed + attempt)) for attempt in range(ATTEMPTS))
    if (twin := name.removeprefix("hidden-")) in KINDS_OF_MODELS and not public:
        known = _counts(_public_model(twin))
        drawn = (each for each in drawn if _agree(_counts(each), known) < 2)
    data = next((each for each in drawn if _is_telling(each, kind.shows)), None)
    if data is None:
        raise RuntimeError(f"no model of the kind {name} shows its difficulty alone")
    return Case(name, {MODEL: data}, {"function": "shape_coverage"}, public, own_seed)


@cache
def _public_model(name: str) -> bytes:
    return _model(name, KINDS_OF_MODELS[name], 0, public=True).files[MODEL]


def _counts(data: bytes) -> Sequence[int]:
    return count(ModelProto.FromString(data), Reading())


def _agree(some: Sequence[int], other: Sequence[int]) -> int:
    """How many of the four counts are equal: two and more count as an answer about this model."""
    return sum(one == another for one, another in zip(some, other, strict=True))


def _is_telling(data: bytes, shows: Collection[str]) -> bool:
    """Whether the model leaves a value undeclared, shows those of the separate mistakes and no
    others, and tells mistakes apart.
    """
    model = ModelProto.FromString(data)
    right = count(model, Reading())
    return (
        leaves_undeclared(model)
        and all(
            (count(model, way) != right) is ((way.judge or way.lookup) in shows) for way in SEPARATE
        )
        and tells_mistakes_apart(data)
    )
