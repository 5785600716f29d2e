"""Recognise a wrong header or a wrong tensor of the exercise `safetensors` by what it looks like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from formatlab_exercises.safetensors.judge import cases
from formatlab_exercises.safetensors.judge.misconceptions import Mistakes
from nbjudge.contract import Case, Finding
from nbjudge.findings import Cause, also

PAGE = "day-50/07-safetensors"
METADATA = "__metadata__"


class Explanation(NamedTuple):
    """`found` says what the answer looks like, `cause` why, `anchor` where that is explained."""

    found: str
    cause: Cause
    anchor: str


def wrong_header(case: Case, expected: Mapping, entry: Mapping) -> Finding:
    explanation = _explain_header(expected, entry)
    text = (
        f": {entry.get('type')}: {entry.get('text')}"
        if case.public and entry["outcome"] == "refused"
        else ""
    )
    return Finding(
        "the JSON object of the header, as it stands in the file",
        explanation.found + text,
        explanation.cause,
        f"{PAGE}#{explanation.anchor}",
    )


def _explain_header(expected: Mapping, entry: Mapping) -> Explanation:
    cause: Cause
    found = entry.get("header")
    if entry["outcome"] != "returned" or not isinstance(found, dict):
        cause = Mistakes.big_endian_length if expected else Mistakes.refuses_empty_header
        return Explanation("a header that can be read is refused", cause, "header")
    if METADATA in expected and METADATA not in found:
        return Explanation("__metadata__ is left out", Mistakes.drops_metadata, "header")
    if found.keys() != expected.keys():
        cause = Mistakes.other_names
        if not "".join(expected).isascii():
            cause = 'Names may hold letters beyond ASCII. The header is UTF-8: decode it with data.decode("utf-8").'
        return Explanation("other names", cause, "header")
    tensors = {name for name in expected if name != METADATA}
    pairs = [(_offsets(found[name]), _offsets(expected[name])) for name in tensors]
    shifts = {
        moved[0] - stored[0] if moved is not None and stored is not None else None
        for moved, stored in pairs
    }
    if len(shifts) == 1 and None not in shifts and any(a != b for a, b in pairs):
        return Explanation(
            "offsets that are counted from elsewhere", Mistakes.absolute_offsets, "offsets"
        )
    if not json.dumps(expected, ensure_ascii=False).isascii():
        cause = also(Mistakes.latin_one, Mistakes.other_entries.sentence)
        return Explanation("other entries", cause, "header")
    return Explanation("other entries", Mistakes.other_entries, "header")


def _offsets(entry: object) -> list[int] | None:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    good = (
        isinstance(offsets, list) and len(offsets) == 2 and all(type(at) is int for at in offsets)
    )
    return offsets if good else None


def wrong_array(
    case: Case,
    file: str,
    name: str,
    *,
    expected: np.ndarray,
    entry: Mapping,
    found: np.ndarray | None,
) -> Finding | None:
    """None for the right dtype, shape and values. Two NaN are the same, two zeros of different sign
    are not.
    """
    stored = cases.stored(case, file, name)
    wanted = f"load_tensor returns {stored.words}"
    if entry.get("array") is not True:
        return Finding(
            wanted, f"something of type {_word(entry.get('type'))}", Mistakes.returns_tensor
        )
    if entry.get("dtype") != expected.dtype.name or found is None:
        explanation = _explain_dtype(stored.dtype, entry)
        return Finding(wanted, explanation.found, explanation.cause, f"{PAGE}#dtypes")
    if found.shape != expected.shape:
        same = found.size == expected.size
        return Finding(
            wanted,
            "an array of another shape" if same else "an array of another size",
            Mistakes.vectors_for_scalars,
            f"{PAGE}#{'header' if same else 'offsets'}",
        )
    if _same(found, expected):
        return None
    explanation = _explain_values(case, file, stored, expected, found)
    return Finding(wanted, explanation.found, explanation.cause, f"{PAGE}#{explanation.anchor}")


def _explain_dtype(dtype: str, entry: Mapping) -> Explanation:
    name = _word(entry.get("dtype"))
    if dtype != "BF16":
        return Explanation(
            f"an array of dtype {name}",
            "Each dtype of the table has one of NumPy's, little endian.",
            "dtypes",
        )
    causes: dict[str, Cause] = {
        "float16": Mistakes.bf16_as_f16,
        "bfloat16": "The package ml_dtypes has a bfloat16, but NumPy does not. float32 holds each of its values exactly.",
        "uint16": Mistakes.bf16_bits,
    }
    otherwise = "A BF16 number is the upper half of a float32: its 16 bits, and 16 zeros below."
    return Explanation(f"BF16 as {name}", causes.get(name, otherwise), "dtypes")


def _explain_values(
    case: Case, file: str, stored: cases.Stored, expected: np.ndarray, found: np.ndarray
) -> Explanation:
    if stored.dtype != "BF16" and expected.nbytes:
        elsewhere = _counted_elsewhere(case.files[file], stored.begin, found, expected.dtype)
        if elsewhere is not None:
            return elsewhere
    if _same(found.byteswap(), expected):
        text = "the bytes of each number in the opposite order"
        return Explanation(text, Mistakes.big_endian_numbers, "dtypes")
    if stored.dtype == "BF16":
        return Explanation("BF16 with other values", Mistakes.bf16_from_f16, "dtypes")
    numbers, wanted = (sorted(each.ravel().tolist(), key=repr) for each in (found, expected))
    if expected.size and numbers == wanted:
        cause = "The last dimension runs fastest, as in NumPy's default order."
        return Explanation("the right numbers in another order", cause, "offsets")
    cause = "Read data_offsets of this name, and count from the end of the header."
    return Explanation("other values", cause, "offsets")


def _counted_elsewhere(
    data: bytes, begin: int, found: np.ndarray, dtype: np.dtype
) -> Explanation | None:
    """Where the offsets were counted from, if that is another place than the header's end."""
    start = 8 + int.from_bytes(data[:8], "little")
    added = "They count from the end of the header: add its length as well."
    places: tuple[tuple[int, str, Cause], ...] = (
        (begin, "counted from the start of the file", Mistakes.offsets_from_file),
        (begin + 8, "counted from the start of the header", added),
        (
            *(start + begin - 8, "short of the eight bytes of the length"),
            Mistakes.offsets_from_header,
        ),
    )
    for at, how, cause in places:
        raw = data[at : at + found.nbytes] if at >= 0 else b""
        if len(raw) == found.nbytes and np.frombuffer(raw, dtype).tobytes() == found.tobytes():
            return Explanation(f"other values: the offsets are {how}", cause, "offsets")
    return None


def _same(found: np.ndarray, expected: np.ndarray) -> bool:
    if found.dtype.kind in "fc":
        return np.array_equal(found, expected, equal_nan=True) and np.array_equal(
            np.signbit(found.real), np.signbit(expected.real)
        )
    return np.array_equal(found, expected)


def _word(name: object) -> str:
    """A type's name, if it is one that many programs have."""
    known = {
        "list",
        "tuple",
        "bytes",
        "dict",
        "Tensor",
        "NoneType",
        "memoryview",
        "bytearray",
        "int",
        "float",
        "bool",
        "str",
        "bfloat16",
        "object",
    }
    known |= {np.dtype(code).name for code in "?bBhHiIlLqQefdFD"}
    return name if name in known else "another type"
