"""The cases of the exercise `safetensors`. Each asks one of the three functions, named by its
parameter `ask`.

A `header` case holds one file, `tensors` and `files` cases hold several. bfloat16, which NumPy does
not have, is asked for in cases of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from typing import NamedTuple

import numpy as np

from formatlab_exercises.safetensors.ask import DATA, LARGE, SUFFIX, TAIL, file_names
from formatlab_exercises.safetensors.judge import case_files
from formatlab_exercises.safetensors.judge.case_faults import FAULTS, GROUPS
from formatlab_exercises.safetensors.judge.case_files import VALID, File, Tensor, tensor
from formatlab_exercises.safetensors.judge.misconceptions import Mistakes
from nbjudge.contract import Case, case_seed
from nbjudge.findings import Cause

ID = "safetensors"
WARM = f"warm{SUFFIX}"
LARGE_BYTES = 64 << 20

HIDDEN_FAULTS = frozenset(
    {
        *(
            "utf16",
            "zero_padding",
            "feed_padding",
            "cut_in_padding",
            "framed_pickle",
            "field_twice",
            "dtype_list",
            "negative_shape",
        ),
        *("float_offsets", "empty_inside"),
        *("minus_zero", "past_64_bits"),
        *("bool_offsets", "high_length", "number_shape", "metadata_with_null"),
    }
)
HIDDEN_VALID = frozenset({"largest_dimension"})
PUBLIC_HEADERS = (
    *("plain", "metadata", "nothing", "unicode", "padding"),
    *("code", "no_bytes", "seven_bytes", "huge_length", "cut_header", "not_utf8"),
    *("broken_json", "a_list", "python_text", "deep"),
)
HIDDEN_HEADERS = (
    *PUBLIC_HEADERS,
    *("many", "empties", "only_metadata", "claimed_length", "zero_length", "two_objects"),
    *("cut_in_padding", "high_length"),
)
PUBLIC_TENSORS = ("plain", "bfloat16", "scalars_and_empties", "large_file")
HIDDEN_TENSORS = (*PUBLIC_TENSORS, "dtypes")
SIBLINGS = ("plain", "metadata", "empties")

Tensors = dict[str, Tensor]


class Stored(NamedTuple):
    """A tensor that is asked for: its dtype and first offset, words for it, and what goes wrong
    with such tensors.
    """

    dtype: str
    begin: int
    words: str
    trap: Cause
    anchor: str


def _dtypes(rng: np.random.Generator) -> Tensors:
    """A tensor of each dtype that NumPy can hold, with names that are easily taken for something
    else.
    """
    names = ("слой/π", "a b", "metadata", "data_offsets", "0")
    dtypes = list(case_files.NUMPY)
    return {
        name if place < len(names) else f"{name}.{dtype}": tensor(
            rng, dtype, (4, 3, 2)[: place % 3 + 1]
        )
        for place, (dtype, name) in enumerate(zip(dtypes, cycle(names)))
    }


def _scalars_and_empties(rng: np.random.Generator) -> Tensors:
    scalars = {f"scalar.{dtype}": tensor(rng, dtype, ()) for dtype in ("F32", "F16", "BOOL", "I64")}
    shapes = {"F32": (0,), "I16": (0, 3), "U8": (4, 0), "F64": (2, 0, 5)}
    return {
        **scalars,
        **{f"empty.{dtype}": Tensor(dtype, shape, b"") for dtype, shape in shapes.items()},
        "w": tensor(rng, "F32", (2, 3)),
    }


TENSORS: dict[str, Callable[[np.random.Generator], Tensors]] = {
    "plain": lambda rng: case_files.some(rng, ("F32", "F32", "I64")),
    "bfloat16": lambda rng: (
        {name: tensor(rng, "BF16", shape) for name, shape in (("a", (16,)), ("b", (3, 5)))}
        | case_files.some(rng)
    ),
    "scalars_and_empties": _scalars_and_empties,
    "dtypes": _dtypes,
}


def public_cases() -> list[Case]:
    faults = {
        group: [name for name in members if name not in HIDDEN_FAULTS]
        for group, members in GROUPS.items()
    }
    return [
        *(_header(name, name, 0, True) for name in PUBLIC_HEADERS),
        *(_tensors(f"load-{name}", name, 0, True) for name in PUBLIC_TENSORS),
        *(_validate(f"validate-{group}", 0, True, faults[group]) for group in GROUPS),
        _validate("validate-valid", 0, True),
    ]


def cases(seed: int) -> list[Case]:
    return [
        *(_header(f"hidden-{name}", name, seed) for name in HIDDEN_HEADERS),
        *(_tensors(f"hidden-load-{name}", name, seed) for name in HIDDEN_TENSORS),
        *(
            _validate(f"hidden-validate-{group}", seed, faults=list(GROUPS[group]))
            for group in GROUPS
        ),
        _validate("hidden-validate-valid", seed),
        _validate_large("hidden-validate-large_file", seed),
    ]


def corpus(case: Case) -> dict[str, File]:
    """The files of a `files` case with their faults, made again from its seed: what the runner gets
    does not tell them.
    """
    group = case.name.rpartition("-")[2]
    if group == "large_file":
        return {name: File(case.files[name], kind=group) for name in file_names(case)}
    is_hidden = case.name.startswith("hidden-")
    faults = [name for name in GROUPS.get(group, ()) if (is_hidden or name not in HIDDEN_FAULTS)]
    return _corpus(np.random.default_rng(case.seed), faults, public=not is_hidden)


def stored(case: Case, file: str, name: str) -> Stored:
    """The tensor that a `tensors` case asks for."""
    data = case.files[file]
    entry = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])[name]
    dtype, shape, begin = entry["dtype"], entry["shape"], entry["data_offsets"][0]
    if 0 in shape:
        trap = Mistakes.torch_frombuffer
        return Stored(dtype, begin, f"the empty {dtype} tensor with its shape", trap, "dtypes")
    if not shape:
        return Stored(
            dtype,
            begin,
            f"the {dtype} tensor without dimensions, shape ()",
            "Its shape is [], and it has one element.",
            "dtypes",
        )
    otherwise = (
        Mistakes.bf16_forgotten
        if dtype == "BF16"
        else "The name, dtype, shape and offsets of every tensor stand in the header."
    )
    words = f"the {dtype} tensor{' as float32' if dtype == 'BF16' else ''}"
    return Stored(dtype, begin, words, otherwise, "dtypes" if dtype == "BF16" else "offsets")


def fault_of_header(case: Case) -> str | None:
    """The fault of a `header` case, None for a valid file."""
    name = case.name.removeprefix("hidden-")
    return name if name in FAULTS else None


def _header(name: str, recipe: str, seed: int, public: bool = False) -> Case:
    rng, own = _rng(seed, name)
    data = VALID[recipe](rng) if recipe in VALID else FAULTS[recipe].build(rng)
    if recipe == "metadata":
        # A reader may be given no more than the header.
        data = data[: 8 + int.from_bytes(data[:8], "little")]
    return Case(name, {DATA: data}, {"ask": "header"}, public, own)


def _tensors(name: str, recipe: str, seed: int, public: bool = False) -> Case:
    rng, own = _rng(seed, name)
    if recipe == "large_file":
        made, offset, wanted = _large(rng)
        asks = [[WARM, "first"], *([LARGE, name] for name in wanted)]
        return Case(name, made, {"ask": "tensors", "asks": asks, "tail": offset}, public, own)
    tensors = TENSORS[recipe](rng)
    metadata = {"format": "np"} if recipe == "plain" else None
    file = f"model{SUFFIX}"
    missing = ["no such tensor", "__metadata__"] if metadata else []
    asks = [[file, str(wanted)] for wanted in [*rng.permutation(sorted(tensors)), *missing]]
    return Case(
        name,
        {file: case_files.write(tensors, rng, metadata)},
        {"ask": "tensors", "asks": asks},
        public,
        own,
    )


def _validate(name: str, seed: int, public: bool = False, faults: list[str] | None = None) -> Case:
    rng, own = _rng(seed, name)
    files = _corpus(rng, faults or [], public)
    sizes = {file: FAULTS[made.fault].size for file, made in files.items() if made.fault}
    parameters = {
        "ask": "files",
        "measured": name.endswith("-lengths"),
        "sizes": {file: size for file, size in sizes.items() if size},
    }
    return Case(name, {file: made.data for file, made in files.items()}, parameters, public, own)


def _validate_large(name: str, seed: int) -> Case:
    rng, own = _rng(seed, name)
    made, offset, _ = _large(rng)
    return Case(
        name, made, {"ask": "files", "tail": offset, "measured": False, "sizes": {}}, False, own
    )


def _corpus(rng: np.random.Generator, faults: list[str], public: bool) -> dict[str, File]:
    """One file for each fault and three valid ones, in random order; every kind of valid file where
    no fault is asked for.
    """
    made = [File(FAULTS[name].build(rng), name) for name in faults]
    kinds = (
        SIBLINGS if faults else [name for name in VALID if not (public and name in HIDDEN_VALID)]
    )
    made += [File(VALID[name](rng), kind=name) for name in kinds]
    return {
        f"{place:02}{SUFFIX}": made[index] for place, index in enumerate(rng.permutation(len(made)))
    }


def _large(rng: np.random.Generator) -> tuple[dict[str, bytes], int, list[str]]:
    """A file that is one large hole with small tensors before and behind it: its head, its tail and
    where that begins; a small file too.
    """
    first = tensor(rng, "F32", case_files.shape(rng))
    last = tensor(rng, "I16", case_files.shape(rng))
    hole = LARGE_BYTES + 8 * int(rng.integers(100))
    places = np.cumsum([0, len(first.data), hole, len(last.data)]).tolist()
    members = {"first": first, "embedding": Tensor("U8", (hole // 8, 8), b""), "last": last}
    header = {
        name: {
            "dtype": member.dtype,
            "shape": list(member.shape),
            "data_offsets": places[at : at + 2],
        }
        for at, (name, member) in enumerate(members.items())
    }
    head = case_files.frame(header, first.data)
    made = {
        LARGE: head,
        TAIL: last.data,
        WARM: case_files.write({"first": first, "last": last}, rng),
    }
    return made, len(head) + hole, ["last", "first"]


def _rng(seed: int, name: str) -> tuple[np.random.Generator, int]:
    own = case_seed(seed, ID, name)
    return np.random.default_rng(own), own
