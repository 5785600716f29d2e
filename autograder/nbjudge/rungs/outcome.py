"""The first rungs of every ladder: is there an answer at all (`exists`), and is it of the kind that
was asked for (`returns`).

What a student's code says about a hidden case (the text of an exception, what it found) is never
shown: it could carry the hidden input out. Of an exception only its type is named there, and only
if it is a well-known one.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any, TypeVar

from nbjudge.contract import Answer, Case, Finding, Inspect, View
from nbjudge.wire import MAX_ANSWER, MAX_DEPTH, WireError, safe_json

Found = TypeVar("Found")
# Of onnx, numpy and onnxruntime, by the names under which they reach a student.
LIBRARY_ERRORS = frozenset(
    {
        "ValidationError",
        "InferenceError",
        "ConvertError",
        "ParseError",
        "DecodeError",
        "EncodeError",
        "LinAlgError",
        "AxisError",
        "EPFail",
        "Fail",
        "InvalidArgument",
        "InvalidGraph",
        "InvalidProtobuf",
        "ModelLoaded",
        "NoModel",
        "NoSuchFile",
        "NotImplemented",
        "RuntimeException",
    }
)
NAMED_TYPES = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type)
) | {"NoneType", "ModelProto", "ndarray"}

INTERFERED = "The notebook interfered with how the answer is written down."
# What an exception of that type always means. Of others nothing is known but what they say.
CAUSES = {
    "FileNotFoundError": "The code opens a file that is not there.",
    "IndexError": "The code asks for a position that the sequence does not have.",
    "KeyError": "The code asks for a key that the dictionary does not have.",
    "NameError": "The function uses a name that no cell above it defines. Run the notebook from the top, in a new kernel.",
    "RecursionError": "The function calls itself without coming closer to an end.",
    "StopIteration": "next() finds nothing, and has no default to return.",
}
# These say something about the code and nothing about the subject, so no section explains them.
ABOUT_NO_SECTION = frozenset(
    {"FileNotFoundError", "ImportError", "ModuleNotFoundError", "NameError", "UnboundLocalError"}
)
# How much of an exception's text is shown as it stands. Of a longer one the beginning is, and the last
# sentences, where libraries say what they mean.
WHOLE_TEXT = 420
BEGINNING = 120
END = 300
# What was found, the cause and its name, for a call that did not come back.
ENDS = {
    "timeout": (
        "no answer within the time limit",
        "A loop that never ends, or much more work than the task needs.",
        "never-ends",
    ),
    "killed": (
        "the process ended before it answered",
        "The code ended its own process, crashed a library, or used more memory or processor time than it may.",
        "ends-its-process",
    ),
    "too_large": (
        "an answer over the size limit",
        "The answer holds far more than was asked for.",
        "too-large",
    ),
}
SURVIVES = "an answer that can be loaded and run within the checker's limits"
_UNCHECKED = {
    "deadline": (
        "the answer took longer than the limit",
        "The answer is far more expensive to run than the model that went in.",
    ),
    "memory": (
        "the answer needed more memory than the limit",
        "A tensor in the answer is far larger than anything in the model that went in.",
    ),
    "over": (
        "the answer took longer than what was left of the submission's time",
        "This answer, or others of the submission, are far more expensive to run than the models that went in.",
    ),
}
_CRASHED = (
    "the answer crashed the process that looked at it",
    "The bytes are not what they claim to be.",
)
NOT_CALLED = (
    "no usable answer",
    "The notebook stopped before this function could be called.",
    "not-called",
)


NOT_DONE = "The exercise is not done yet, or its cell was not run."
NOT_DEFINED = (
    "No cell defines it: the one that should ended with an error, which stands below that cell, "
    "or gives it another name."
)


def exists(signature: str, read: str) -> Inspect:
    """Breaks when the function is missing or still the stub."""

    def is_there(view: View) -> Finding | None:
        if view.answer.outcome != "missing":
            return None
        wanted = f"a function {signature}"
        if view.answer.error.get("type") == "NotImplementedError":
            found = "the stub: it raises NotImplementedError"
            return Finding(wanted, found, NOT_DONE, read, misconception="not-done")
        return Finding(wanted, "no such function", NOT_DEFINED, read, misconception="not-defined")

    return is_there


def exists_of(asked: Callable[[Case], tuple[str, str]]) -> Inspect:
    """`exists`, where a case calls one of several functions: `asked` gives the signature of that
    one, and the section to read again.
    """

    def is_there(view: View) -> Finding | None:
        return exists(*asked(view.case))(view)

    return is_there


def report(
    answer: Answer, file: str, depth: int = MAX_DEPTH, /, **kinds: type
) -> dict[str, Any] | None:
    """What `Exercise.call` wrote into `file`: JSON with these keys and types, nested at most as
    deep as `depth` says. None for anything else: the runner box is not trusted.
    """
    try:
        found = safe_json(answer.files.get(file, b""), depth, MAX_ANSWER)
    except WireError:
        return None
    return (
        found
        if isinstance(found, dict)
        and all(type(found.get(key)) is kind for key, kind in kinds.items())
        else None
    )


def known(found: Found | None) -> Found:
    """What a rung behind `returns` reads of an answer: that gate has let no answer through that
    cannot be read. Raises ValueError where it stands before the gate.
    """
    if found is None:
        raise ValueError("an answer was looked at that cannot be read: the gate stands behind it")
    return found


def returns(
    expected: str, read: str, readable: Callable[[Answer], object] = lambda _answer: True
) -> Inspect:
    """Breaks when the function raised, did not come back, or returned something else than
    `expected` (words for it).

    `readable` gives None for an answer that is not what `Exercise.call` writes.
    """

    def returns_it(view: View) -> Finding | None:
        answer = view.answer
        if answer.outcome == "missing":
            return None
        if answer.outcome == "returned":
            is_read = readable(answer) is not None
            return None if is_read else Finding(expected, "no readable answer", INTERFERED, read)
        if answer.outcome == "wrong_type":
            return _other_type(view.case, answer, expected, read)
        if answer.outcome == "unchecked":
            return Finding(SURVIVES, *unchecked(answer.error.get("why", "")))
        found, cause, named = _end(view.case, answer)
        section = "" if answer.error.get("type") in ABOUT_NO_SECTION else read
        return Finding(
            f"the function returns {expected}", found, cause, section, misconception=named
        )

    return returns_it


def unchecked(why: str) -> tuple[str, str]:
    """What was found, and the cause, of an answer that its checker did not survive."""
    return _UNCHECKED.get(why, _CRASHED)


def _other_type(case: Case, answer: Answer, expected: str, read: str) -> Finding:
    is_none = answer.error.get("found") == "NoneType"
    named = "returns-nothing" if is_none else "returns-something-else"
    return Finding(
        expected, _wrong_type(case, answer), _wrong_type_cause(answer), read, misconception=named
    )


def _end(case: Case, answer: Answer) -> tuple[str, str, str]:
    """What is found where a call ended otherwise, its cause, and the mistake's name."""
    if answer.outcome == "raised":
        return _raised(case, answer), _cause(case, answer), _named(answer)
    return ENDS.get(answer.outcome, NOT_CALLED)


def _named(answer: Answer) -> str:
    """The id of a mistake that ends in an exception: by its type, if that is a well-known one."""
    name = answer.error.get("type", "")
    return (
        f"raises-{re.sub(r'(?<=[a-z])(?=[A-Z])', '-', name).lower()}"
        if _is_known(name)
        else "raises"
    )


def _raised(case: Case, answer: Answer) -> str:
    name, text, line = (answer.error.get(key, "") for key in ("type", "text", "line"))
    if not case.public:
        return f"it raises {name if _is_known(name) else 'an exception'}"
    where = f", in the line: {line}" if line else ""
    return f"it raises {name}: {_shortened(text)}{where}" if text else f"it raises {name}{where}"


def _shortened(text: str) -> str:
    """Without the middle, if it is long."""
    if len(text) <= WHOLE_TEXT:
        return text
    sentences = [part for part in re.split(r"(?<=[.!?:]) +", text) if part]
    return f"{text[:BEGINNING]} … {' '.join(sentences[-2:])[-END:]}"


def _cause(case: Case, answer: Answer) -> str:
    """Of an exception that is not known here there is no guess. What it says of a public case stands
    in what was found, so it is not said again.
    """
    if answer.error.get("type", "") in CAUSES:
        return CAUSES[answer.error["type"]]
    if case.public and answer.error.get("text"):
        return ""
    return (
        "Call the function on an input of your own that has what the case's name says, and read what "
        "the exception says."
    )


def _wrong_type(case: Case, answer: Answer) -> str:
    found = answer.error.get("found", "")
    return found if case.public or found in NAMED_TYPES else "something else"


def _wrong_type_cause(answer: Answer) -> str:
    if answer.error.get("found") == "NoneType":
        return "A function without a return statement returns None."
    return "Another thing is returned than the exercise asks for."


def _is_known(name: str) -> bool:
    known = getattr(builtins, name, None) if name.isidentifier() else None
    return name in LIBRARY_ERRORS or (isinstance(known, type) and issubclass(known, BaseException))
