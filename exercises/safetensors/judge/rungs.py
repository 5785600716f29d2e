"""The rungs of `safetensors`, each on one case. What is shown of a hidden case is the kind of its
fault, never a byte, name or value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from formatlab_exercises.safetensors.ask import FUNCTIONS, LARGE, REPORT, file_names
from formatlab_exercises.safetensors.judge import cases
from formatlab_exercises.safetensors.judge.case_faults import FAULTS
from formatlab_exercises.safetensors.judge.case_files import File
from formatlab_exercises.safetensors.judge.findings import PAGE, wrong_array, wrong_header
from formatlab_exercises.safetensors.judge.misconceptions import Mistakes
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause
from nbjudge.rungs import outcome

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
