"""`shapes`: the size of a window operator's output, and what a model says about the shapes of its values.

1. A window spans dilation * (kernel - 1) + 1 positions; it steps by stride over the padded input.
2. With ceil_mode an incomplete last step counts, unless its window starts in the padding at the end.
3. A value's shape is missing, or has an unknown dimension, or a named one, or only numbers. The worst dimension decides.
4. A name that shape inference made up (`unk__0`) is no name.
5. Counted are the outputs of nodes, in every graph, by what their own graph declares. Initializers, graph inputs, and optional
   outputs that are left out are not.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from onnx import ModelProto

from autograder.exercises.base import Answer, Case, Exercise, Finding, Reference, RungSpec, WrongType
from autograder.exercises.shapes import cases as shapes_cases
from autograder.exercises.shapes.symptoms import CLASSES, CONV, KINDS, READINGS, formula, reading
from autograder.rungs import outcome
from autograder.wire import WireError, safe_json

SIGNATURES = {
    "conv_output_size": "conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False) -> int",
    "shape_coverage": "shape_coverage(model) -> dict",
}
ANSWER, MODEL = "answer.json", shapes_cases.MODEL
READS = {"conv_output_size": CONV, "shape_coverage": KINDS}
RAISES = -(2**62)  # in a list of sizes: the function raises ValueError
LARGEST = 2**63


def _encode(value: object) -> object:
    """A JSON form of a number that keeps its kind: an int, an int written as a float, or anything else by its type."""
    try:
        if not isinstance(value, (bool, np.bool_)):
            number = operator.index(value)
            return number if -LARGEST <= number < LARGEST else {"type": "int"}
    except TypeError:
        pass
    if isinstance(value, (float, np.floating)) and abs(value) < LARGEST and float(value).is_integer():
        return {"float": int(value)}
    return {"type": type(value).__name__}


def _number(value: object) -> int | None:
    """The number in an encoded value, whether int or float; None for anything else."""
    number = value.get("float") if isinstance(value, dict) else value
    return number if type(number) is int else None


def _read(case: Case, answer: Answer) -> dict | None:
    """The answer that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    try:
        data = safe_json(answer.files.get(ANSWER, b""))
    except WireError:
        return None
    key, kind = ("sizes", list) if _asks_for_sizes(case) else ("counts", dict)
    return data if isinstance(data, dict) and isinstance(data.get("changed"), bool) and isinstance(data.get(key), kind) else None


def _sizes(case: Case, answer: Answer) -> list[int | None]:
    """The sizes found, RAISES where the function raised ValueError, None where there is no number; as many as were asked for."""
    asked, given = case.parameters["sizes"], (_read(case, answer) or {}).get("sizes", [])
    given = [*given, *[None] * len(asked)][: len(asked)]
    return [RAISES if size == {"raised": "ValueError"} else _number(size) for size in given]


def _counts(case: Case, answer: Answer) -> dict[str, int | None]:
    counts = (_read(case, answer) or {}).get("counts", {})
    return {name: _number(counts.get(name)) for name in CLASSES}


def _asks_for_sizes(case: Case) -> bool:
    return case.parameters["function"] == "conv_output_size"


def _exists(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    function = case.parameters["function"]
    return outcome.exists(SIGNATURES[function], READS[function])(case, answer, reference)


def _type(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    function = case.parameters["function"]
    expected = "an int, or raises ValueError" if _asks_for_sizes(case) else "a dict"
    finding = outcome.returns(expected, READS[function])(case, answer, reference)
    if finding is None and answer.outcome == "returned" and _read(case, answer) is None:
        return Finding(expected, "no readable answer", "The notebook interfered with how the answer is written down.", READS[function])
    return finding


def _looks_at_its_argument(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Breaks when next to nothing in the answer is right, and no known mistake explains it."""
    if _asks_for_sizes(case):
        expected, found = reference["sizes"].tolist(), _sizes(case, answer)
        right = {want for want, have in zip(expected, found, strict=True) if want == have}
        if 3 * len(right) >= len(set(expected)) or _formula(case, found)[1]:
            return None
        what = "nearly every size is wrong"
    else:
        expected, found = reference["counts"].tolist(), _counts(case, answer)
        numbers = [max(found[name] or 0, 0) for name in CLASSES]
        shared = sum(map(min, expected, numbers))
        if 2 * shared >= max(sum(expected), sum(numbers)) or _reading(case, answer) is not None:
            return None
        what = "the counts are nowhere near this model's"
    cause = "The answer does not come from the arguments: it is fixed, or taken from a variable outside the function."
    return Finding("an answer that follows from the arguments", what, cause, READS[case.parameters["function"]])


def _counts_each_value_once(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    if _asks_for_sizes(case):
        return None
    found, total = _counts(case, answer), int(reference["counts"].sum())
    absent = [name for name in CLASSES if name not in _read(case, answer)["counts"]]
    if absent:
        text = f"no key {', '.join(absent)}"
        return Finding(f"the keys {', '.join(CLASSES)}", text, "A key is left out, or spelled otherwise. A count may be 0.", KINDS)
    if None in found.values():
        return Finding("every count is an int", "a count that is no number", "Something else than a number stands under a key.", KINDS)
    if list(found.values()) == reference["counts"].tolist():
        return None
    expected = "each named output of a node counted once, in every graph of the model"
    expected += f": {total} in all" if case.public else ""
    shown = f": {sum(found.values())} in all" if case.public else ""
    way = _reading(case, answer)
    if way is not None and way.scope:
        symptom = READINGS["scope"][way.scope]
        return Finding(expected, symptom.found + shown, symptom.cause, symptom.read)
    if way is None and sum(found.values()) != total:
        cause = "Some values are counted twice, or not at all, or something else than the output of a node is counted."
        return Finding(expected, f"{'more' if sum(found.values()) > total else 'fewer'} values than there are{shown}", cause, KINDS)
    return None


def _judges_shapes_rightly(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    if _asks_for_sizes(case):
        return None
    found, expected = _counts(case, answer), dict(zip(CLASSES, reference["counts"].tolist(), strict=True))
    if found == expected or None in found.values():
        return None
    way = _reading(case, answer)
    wanted = "static, named, unknown and missing shapes, each as the task defines it"
    if case.public:
        wanted += f": {_show(expected)}"
    shown = f": {_show(found)}" if case.public else ""
    wrong = [READINGS[field][name] for field, name in way._asdict().items() if name and field != "scope"] if way else []
    if wrong:
        return Finding(wanted, wrong[0].found + shown, wrong[0].cause, wrong[0].read)
    if way is not None and way.scope not in ("declarations", "value_info"):
        return None  # only the wrong values are counted, which the rung before has said
    off = [name for name in CLASSES if found[name] != expected[name]]
    cause = "Take one value of each class that differs, and read its declaration field by field: shape, dim_value, dim_param."
    return Finding(wanted, f"other counts of {', '.join(off)}{shown}", cause, KINDS)


def _computes_sizes(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    if not _asks_for_sizes(case):
        return None
    asked, expected, found = case.parameters["sizes"], reference["sizes"].tolist(), _sizes(case, answer)
    wrong = [i for i, (want, have) in enumerate(zip(expected, found, strict=True)) if want != have]
    if not wrong:
        return None
    first = wrong[0]
    given = [*_read(case, answer)["sizes"], *[None] * len(asked)][first]
    what = f"{len(wrong)} of {len(asked)} are wrong" if case.public else "some are wrong"
    symptom, _ = _formula(case, found)
    if symptom is None and isinstance(given, dict) and "raised" in given:
        name = str(given["raised"])
        symptom_text = f"it raises {name if name in outcome.NAMED_TYPES else 'an exception'} where a window fits"
        cause = outcome.CAUSES.get(name, "The arguments may be given by position or by name, and all but two may be left out.")
    elif symptom is None:
        symptom_text, cause = "other numbers", "Draw the positions of a short input, mark where each window starts, and count."
    else:
        symptom_text, cause = symptom.found, symptom.cause
    if not case.public:
        return Finding("the number of windows, in every case of this kind", f"{symptom_text}; {what}", cause, CONV)
    wanted = f"{_call(asked[first])} {_result(expected[first])}"
    return Finding(wanted, f"{symptom_text}; {what}, this one {_result(found[first], given)}", cause, CONV)


def _is_tidy(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    data = _read(case, answer)
    if data["changed"]:
        cause = "Reading a field that is not set is harmless; add(), append() and inference in place are not. Work on a copy."
        return Finding("the model is as it was before the call", "the model that was passed in is changed", cause, KINDS)
    numbers = data["sizes"] if _asks_for_sizes(case) else [data["counts"].get(name) for name in CLASSES]
    if any(isinstance(number, dict) and "float" in number for number in numbers):
        cause = "math.floor and // of ints give ints; / and numpy.floor give floats."
        return Finding("every number is an int", "a float", cause, READS[case.parameters["function"]])
    return None


def _formula(case: Case, found: list[int | None]) -> tuple:
    if None in found:
        return None, False
    return formula(case.parameters["sizes"], [None if size == RAISES else size for size in found])


def _reading(case: Case, answer: Answer) -> object:
    counts = _counts(case, answer)
    return None if None in counts.values() else reading(case.files[MODEL], counts)


def _show(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in CLASSES)


def _call(arguments: Mapping) -> str:
    values = {name: tuple(value) if name == "padding" else value for name, value in arguments.items()}
    first = [str(values.pop(name)) for name in ("size", "kernel")]
    return f"conv_output_size({', '.join([*first, *(f'{name}={value}' for name, value in values.items())])})"


def _result(size: int | None, given: object = None) -> str:
    if size == RAISES:
        return "raises ValueError"
    if size is None:
        return "raises" if isinstance(given, dict) and "raised" in given else "is no whole number"
    return f"is {size}"


class Shapes(Exercise):
    id: ClassVar[str] = "shapes"
    assignment: ClassVar[str] = "day-50"
    notebook: ClassVar[str] = "shapes"
    grade_id: ClassVar[str] = "check-shapes"
    functions: ClassVar[Mapping[str, str]] = SIGNATURES
    minutes: ClassVar[int] = 40
    # One function alone is worth half. A wrong formula or a wrong judgement costs 40 %, counting the wrong values 20 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, _exists, cap_some=0.5, cap_all=0.0),
        RungSpec("type", 0.0, _type, cap_some=0.5, cap_all=0.0),
        RungSpec("loads", 0.4, _looks_at_its_argument, cap_some=0.5, cap_all=0.0),
        RungSpec("contract", 0.6, _counts_each_value_once, cap_some=0.8, cap_all=0.8),
        RungSpec("structure", 1.4, _judges_shapes_rightly, cap_some=0.6, cap_all=0.6),
        RungSpec("numerics", 1.4, _computes_sizes, cap_some=0.6, cap_all=0.6),
        RungSpec("quality", 0.2, _is_tidy, cap_some=0.9, cap_all=0.9),
    )

    def public_cases(self) -> list[Case]:
        return shapes_cases.public_cases()

    def cases(self, seed: int) -> list[Case]:
        return shapes_cases.cases(seed)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        if _asks_for_sizes(case):
            answer = {"sizes": _ask_sizes(functions["conv_output_size"], case.parameters["sizes"]), "changed": False}
        else:
            answer = _ask_counts(functions["shape_coverage"], ModelProto.FromString(case.files[MODEL]))
        return {ANSWER: json.dumps(answer).encode()}

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        if _asks_for_sizes(case):
            return {"sizes": np.array(_sizes(case, answer), np.int64)}
        return {"counts": np.array([_counts(case, answer)[name] for name in CLASSES], np.int64)}


def _ask_sizes(function: Callable, asked: list[Mapping]) -> list:
    """What the function gives for each; {"raised": type} where it raises. Raises itself when every call raises another than ValueError."""
    found, last = [], None
    for arguments in asked:
        named = {name: tuple(value) if name == "padding" else value for name, value in arguments.items()}
        try:
            found.append(_encode(function(named.pop("size"), named.pop("kernel"), **named)))
        except NotImplementedError:
            raise
        except Exception as error:
            last = last if isinstance(error, ValueError) else error
            found.append({"raised": "ValueError" if isinstance(error, ValueError) else type(error).__name__})
    if last is not None and all(isinstance(size, dict) and "raised" in size for size in found):
        raise last
    if all(size == {"type": "NoneType"} for size in found):
        raise WrongType("an int", "NoneType")
    return found


def _ask_counts(function: Callable, model: ModelProto) -> dict:
    before = model.SerializeToString(deterministic=True)
    counts = function(model)
    if not isinstance(counts, Mapping):
        raise WrongType("a dict", type(counts).__name__)
    changed = model.SerializeToString(deterministic=True) != before
    return {"counts": {str(name): _encode(count) for name, count in counts.items()}, "changed": changed}


EXERCISE = Shapes()
