"""The rungs of `safetensors`, each on one case. What is shown of a hidden case is the kind of its
fault, never a byte, name or value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from formatlab_exercises.safetensors.ask import FUNCTIONS, LARGE, REPORT, file_names
from formatlab_exercises.safetensors.judge import cases
from formatlab_exercises.safetensors.judge.case_faults import FAULTS
from formatlab_exercises.safetensors.judge.case_files import File
from formatlab_exercises.safetensors.judge.misconceptions import Mistakes
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, also
from nbjudge.rungs import outcome

PAGE = "day-50/07-safetensors"
METADATA = "__metadata__"

# Far above what Python needs for a header, far below the file of 64 MiB and the length that a
# hostile file claims.
MOST_BYTES = 8 << 20
DEPTH = 24
# Of the arrays that `call` writes. np.dtype reads any text as a description of a type, some with a
# parser of Python's, and raises whatever that raises.
DTYPES = {np.dtype(code).name: np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"}
# What a case asks for, and the function that it calls.
FUNCTION_OF = {"header": "read_header", "tensors": "load_tensor", "files": "validate"}
SECTION_OF = {"header": "header", "tensors": "offsets", "files": "hostile-headers"}
HEADER_ANSWER = "a dict, or ValueError for a header that cannot be read"
CAUSES: dict[str, Cause] = {
    "error": Mistakes.unpacks_short_files,
    "RecursionError": Mistakes.lets_recursion_through,
    "OverflowError": "A length of 2**63 is no size that Python can read. Compare it with what is there before you use it.",
    "MemoryError": "A length from the file was believed. Compare it with what is there before you use it.",
    "AssertionError": Mistakes.asserts,
    "KeyError": "A field is taken from a dict that may not have it. Look at the keys first.",
    "TypeError": "A value from the file has another type than the code expects. Look at its type before you compute with it.",
    "AttributeError": "A value from the file has another type than the code expects. Look at its type before you compute with it.",
    "IndexError": "Something is shorter than the code expects. Look at its length first.",
    "SafetensorError": Mistakes.library_error,
}
exists = outcome.exists_of(
    lambda case: (
        FUNCTIONS[FUNCTION_OF[case.parameters["ask"]]],
        f"{PAGE}#{SECTION_OF[case.parameters['ask']]}",
    )
)


def entries(answer: Answer) -> list[dict]:
    """The entries of the report that `call` wrote; none when it is anything else (the runner box is
    not trusted).
    """
    found = _report(answer).get("entries")
    if isinstance(found, list) and all(
        isinstance(entry, dict) and isinstance(entry.get("outcome"), str) for entry in found
    ):
        return found
    return []


def array(answer: Answer, at: int) -> np.ndarray | None:
    """The array that answers question `at`; None where there is none that can be read."""
    entry = entries(answer)[at]
    try:
        return np.frombuffer(answer.files[f"{at}.bin"], DTYPES[entry["dtype"]]).reshape(
            entry["shape"]
        )
    except (KeyError, TypeError, ValueError):
        return None


def is_dict(view: View) -> Finding | None:
    """`read_header` returns a dict or raises ValueError, and nothing else."""
    read = f"{PAGE}#{_anchor(view.case)}"
    finding = outcome.returns(HEADER_ANSWER, read, _of_length(1))(view)
    if finding is not None and view.answer.outcome == "raised":
        return replace(finding, cause=_cause(view.answer.error.get("type", "")))
    return finding


def is_header(view: View) -> Finding | None:
    """The header is the JSON object that stands in the file; where there is none, ValueError."""
    name, entry = cases.fault_of_header(view.case), entries(view.answer)[0]
    if name is not None:
        if entry["outcome"] == "refused":
            return None
        executed = runs_nothing(view)
        if executed is not None:
            return executed
        fault = FAULTS[name]
        return Finding(
            f"read_header raises ValueError: {fault.words}",
            "it returns a dict",
            fault.cause,
            f"{PAGE}#{fault.anchor}",
        )
    expected = json.loads(view.reference["header"].tobytes())
    if entry["outcome"] == "returned" and entry.get("header") == expected:
        return None
    return wrong_header(view.case, expected, entry)


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


class Explanation(NamedTuple):
    """`found` says what the answer looks like, `cause` why, `anchor` where that is explained."""

    found: str
    cause: Cause
    anchor: str


def _offsets(entry: object) -> list[int] | None:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    good = (
        isinstance(offsets, list) and len(offsets) == 2 and all(type(at) is int for at in offsets)
    )
    return offsets if good else None


def runs_nothing(view: View) -> Finding | None:
    """No program that stands in a file was executed."""
    if _report(view.answer).get("executed") is not True:
        return None
    function = FUNCTION_OF[view.case.parameters["ask"]]
    return Finding(
        f"{function} reads the file as data",
        "a program that stands in the file was executed",
        Mistakes.evaluates,
    )


def tells_valid(view: View) -> Finding | None:
    """`validate` returns None for the valid files and raises ValueError for the others."""
    files = cases.corpus(view.case)
    finding = _no_answer(view, len(files))
    if finding is not None:
        return finding
    found, valid = entries(view.answer), view.reference["valid"].tolist()
    finding = _returns_something(found)
    if finding is not None:
        return finding
    if all(entry["outcome"] == "refused" for entry in found):
        return Finding(
            "validate accepts a valid file",
            "it refuses every file",
            "A rule is stricter than the format, or is applied to the wrong bytes. Try it on a file that the library wrote.",
            f"{PAGE}#header",
        )
    ranks = {None: -1} | {fault: rank for rank, fault in enumerate(FAULTS)}
    wrong = [
        (ranks[file.fault], name, file, entry)
        for (name, file), entry, is_valid in zip(files.items(), found, valid, strict=True)
        if entry["outcome"] != ("returned" if is_valid else "refused")
    ]
    # The plainest first, not the one that happens to lie first.
    return _wrong_verdict(view.case, *min(wrong, key=lambda item: item[:2])[1:]) if wrong else None


def _returns_something(found: Sequence[dict]) -> Finding | None:
    for entry in found:
        kind = str(entry.get("type"))
        if entry["outcome"] == "returned" and kind != "NoneType":
            shown = kind if kind in outcome.NAMED_TYPES else "something else"
            expected = "validate returns None, or raises ValueError"
            read = f"{PAGE}#hostile-headers"
            return Finding(expected, f"it returns {shown}", Mistakes.returns_bool, read)
    return None


# Why a valid file of a kind is refused, where it is another reason than for most.
REFUSED = {
    "empty_metadata": Mistakes.refuses_empty_metadata,
    "whitespace": Mistakes.spaces_alone,
    "no_name": Mistakes.refuses_no_name,
    "many_dimensions": Mistakes.few_dimensions,
    "largest_dimension": Mistakes.signed_numbers,
}


def _wrong_verdict(case: Case, name: str, file: File, entry: Mapping) -> Finding:
    where = f" ({name})" if case.public else ""
    if file.fault is None:
        expected = f"validate accepts a valid file{where}"
        cause = REFUSED.get(file.kind, Mistakes.refuses_empty_tensors)
        return Finding(expected, _how_it_refuses(case, entry), cause)
    fault = FAULTS[file.fault]
    expected = f"validate raises ValueError: {fault.words}{where}"
    read = f"{PAGE}#{fault.anchor}"
    if entry["outcome"] == "returned":
        return Finding(expected, "it accepts the file", fault.cause, read)
    kind = str(entry.get("type"))
    found = kind if case.public or kind in CAUSES else "another exception"
    return Finding(expected, f"it raises {found}", _cause(kind), read)


def _how_it_refuses(case: Case, entry: Mapping) -> str:
    if case.public:
        return f"it raises {entry.get('type')}: {entry.get('text')}"
    refused = entry["outcome"] == "refused"
    return "it refuses a valid file" if refused else "it raises an exception"


def loads_tensors(view: View) -> Finding | None:
    """Every tensor has the dtype, the shape and the values that are stored; KeyError for a name
    that is not there.
    """
    asks = view.case.parameters["asks"]
    finding = _no_answer(view, len(asks))
    if finding is not None:
        return finding
    missing = set(view.reference["missing"].tolist())
    for at, ((file, name), entry) in enumerate(zip(asks, entries(view.answer), strict=True)):
        finding = (
            _of_no_tensor(view.case, entry)
            if at in missing
            else _of_tensor(view, at, file, name, entry)
        )
        if finding is not None:
            return finding
    return None


def _of_no_tensor(case: Case, entry: dict) -> Finding | None:
    if entry["outcome"] == "no_key":
        return None
    is_returned = entry["outcome"] == "returned"
    what = "it returns something" if is_returned else f"it raises {_type(case, entry)}"
    expected = "load_tensor raises KeyError for a name that no tensor has"
    return Finding(expected, what, Mistakes.no_key_is_none)


def _of_tensor(view: View, at: int, file: str, name: str, entry: dict) -> Finding | None:
    if entry["outcome"] == "returned":
        wanted = view.reference[str(at)]
        return wrong_array(
            view.case, file, name, expected=wanted, entry=entry, found=array(view.answer, at)
        )
    said = _type(view.case, entry)
    if view.case.public:
        said = f"{said}: {entry.get('text')}"
    stored = cases.stored(view.case, file, name)
    expected = f"load_tensor returns {stored.words}"
    return Finding(expected, f"it raises {said}", stored.trap, f"{PAGE}#{stored.anchor}")


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


def is_frugal(view: View) -> Finding | None:
    """Of a large file only the header and what was asked for is read, and no buffer is made because
    a header claims a length.
    """
    used = {at: _used(entry) for at, entry in enumerate(entries(view.answer))}
    wasted = {at: most for at, most in used.items() if most > MOST_BYTES}
    return _wasteful(view.case, wasted) if wasted else None


def _used(entry: Mapping) -> int:
    """How many bytes were held at most, or read, whichever is more."""
    return max((n for key in ("held", "read") if type(n := entry.get(key)) is int), default=0)


def _wasteful(case: Case, wasted: Mapping[int, int]) -> Finding:
    """`wasted` says how many bytes were used for the questions for which there were too many."""
    function = "load_tensor" if case.parameters["ask"] == "tensors" else "validate"
    if LARGE in case.files:
        share = "all" if max(wasted.values()) >= cases.LARGE_BYTES else "much"
        return Finding(
            f"{function} reads the header and no more of the data than it needs",
            f"it holds or reads megabytes of a large file: {share} of it",
            Mistakes.copies_map,
        )
    if {name for at, name in enumerate(file_names(case)) if at in wasted} <= {
        *case.parameters["sizes"]
    }:
        return Finding(
            f"{function} refuses a header of more than 100 000 000 bytes before it reads it",
            "it holds or reads megabytes of it",
            Mistakes.no_limit,
        )
    return Finding(
        f"{function} makes no buffer for a length that the file cannot hold",
        "it asks for megabytes because a file of some hundred bytes says so",
        Mistakes.believes_length,
    )


def _no_answer(view: View, count: int) -> Finding | None:
    """What `is_dict` says of `read_header`, said of a function that is asked `count` times."""
    ask = view.case.parameters["ask"]
    expected, read = FUNCTIONS[FUNCTION_OF[ask]], f"{PAGE}#{SECTION_OF[ask]}"
    return outcome.returns(expected, read, _of_length(count))(view)


def _of_length(count: int) -> Callable[[Answer], list[dict] | None]:
    """The report's entries, if there are as many as there were questions."""

    def readable(answer: Answer) -> list[dict] | None:
        found = entries(answer)
        return found if len(found) == count else None

    return readable


def _report(answer: Answer) -> dict:
    # Deeper than any header may be, which holds lists in objects in an object.
    return outcome.report(answer, REPORT, DEPTH) or {}


def _anchor(case: Case) -> str:
    name = cases.fault_of_header(case)
    return FAULTS[name].anchor if name else "header"


def _type(case: Case, entry: Mapping) -> str:
    kind = str(entry.get("type"))
    return kind if case.public or kind in CAUSES or kind == "ValueError" else "an exception"


def _cause(kind: str) -> Cause:
    return CAUSES.get(
        kind,
        "A file that breaks the rules is to be refused with a ValueError, whatever else goes wrong with it.",
    )
