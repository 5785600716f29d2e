"""The rungs of `inspect`. Each looks at one description; the reference's numbers say what it should
have been.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from onnx import ModelProto

from formatlab_exercises.inspect.ask import ANSWER, MODEL
from formatlab_exercises.inspect.judge.counting import CaseFacts
from formatlab_exercises.inspect.judge.misconceptions import PAGE, WAYS, Mistakes
from formatlab_exercises.shared.numbers import number
from nbjudge.contract import Answer, Case, Finding, Reference, View
from nbjudge.findings import explained
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

DEFINITIONS = {
    "ir_version": "the model's field ir_version",
    "opset": "the version of the default domain in opset_import",
    "operators": "the number of nodes of every operator, in all graphs and functions of the model",
    "parameters": "the number of elements of all initializers, in all graphs of the model",
    "bytes": "the size of the serialized model plus the size of each external data file that it refers to",
}


KINDS = dict.fromkeys(DEFINITIONS, "an int") | {"operators": "a dict of str to int"}
ANCHORS = {
    "ir_version": "versions",
    "opset": "opset-imports",
    "operators": "operators",
    "parameters": "initializers",
    "bytes": "bytes",
}
STRUCTURE, NUMERICS = ("ir_version", "opset", "operators"), ("parameters", "bytes")


def read(answer: Answer) -> dict | None:
    """The answer that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    data = outcome.report(answer, ANSWER, description=dict, changed=bool)
    return (
        data if data and all(_is_encoded(value) for value in data["description"].values()) else None
    )


def _is_encoded(value: object) -> bool:
    if isinstance(value, dict) and value.keys() == {"counts"} and isinstance(value["counts"], dict):
        return all(_is_encoded_number(count) for count in value["counts"].values())
    return _is_encoded_number(value)


def _is_encoded_number(value: object) -> bool:
    if isinstance(value, dict):
        return (value.keys() == {"float"} and type(value["float"]) is int) or (
            value.keys() == {"type"} and isinstance(value["type"], str)
        )
    return type(value) is int


def _value(description: Mapping, key: str) -> object:
    """What the answer gives for `key`: an int, a dict of ints, or None. An operator that does not
    occur may be counted, as 0.
    """
    value = description.get(key)
    if key != "operators":
        return number(value)
    return (
        {name: number(count) for name, count in value["counts"].items() if number(count) != 0}
        if isinstance(value, dict) and "counts" in value
        else None
    )


def _expected(reference: Reference) -> dict:
    names = reference["operator_names"].tobytes().decode()
    counts = dict(
        zip(names.split("\n") if names else (), reference["operator_counts"].tolist(), strict=True)
    )
    return {key: counts if key == "operators" else int(reference[key][0]) for key in DEFINITIONS}


def is_dict(view: View) -> Finding | None:
    section = (
        "external-data" if view.answer.outcome == "raised" and len(view.case.files) > 1 else "bytes"
    )
    return outcome.returns("a dict", f"{PAGE}#{section}", read)(view)


def describes_this_model(view: View) -> Finding | None:
    """Breaks when nothing in the description is near this model: not even half of its nodes are
    counted, or half of what is counted is not there, and no number is right.
    """
    description, expected = known(read(view.answer))["description"], _expected(view.reference)
    if any(_value(description, key) == expected[key] for key in NUMERICS):
        return None
    found: Any = _value(description, "operators") or {}
    shared = sum(min(count, found.get(name) or 0) for name, count in expected["operators"].items())
    counted = sum(max(count or 0, 0) for count in found.values())
    if 2 * shared >= max(sum(expected["operators"].values()), counted):
        return None
    if not DEFINITIONS.keys() <= description.keys():
        return has_keys(view)
    return Finding(
        "numbers that come from the model that the function is given",
        "neither the operators nor the parameters nor the bytes are near this model's",
        Mistakes.constants,
    )


def has_keys(view: View) -> Finding | None:
    description = known(read(view.answer))["description"]
    missing = [key for key in DEFINITIONS if key not in description]
    if not missing:
        return None
    expected = f"the keys {', '.join(DEFINITIONS)}"
    return Finding(expected, f"no key {', '.join(missing)}", Mistakes.key_forgotten)


def is_right(*keys: str):
    """Those of the keys that are there. That one is not is what the rung before says."""

    def agrees(view: View) -> Finding | None:
        description, expected = known(read(view.answer))["description"], _expected(view.reference)
        wrong = (
            key for key in keys if key in description and _value(description, key) != expected[key]
        )
        first = next(wrong, None)
        return _explain(view.case, first, description, expected[first]) if first else None

    return agrees


def _explain(case: Case, key: str, description: Mapping, expected: object) -> Finding:
    found = _value(description, key)
    sizes = {name: len(data) for name, data in case.files.items() if name != MODEL}
    facts = CaseFacts(ModelProto.FromString(case.files[MODEL]), sizes)
    undefined = f"This count does not follow the definition of {key}. Read it again, and try it on this case."
    if _is_no_number(found):
        undefined = f"Something else than {KINDS[key]} stands under the key {key}."
    wanted = f"{key}: {DEFINITIONS[key]}{f'; here {_show(expected, found)}' if case.public else ''}"
    ways = () if _is_no_number(found) else WAYS[key]
    finding = explained(wanted, _unrecognised(key, found), [*ways, undefined], found, facts)
    what = f"{key}: {finding.found}{f': {_show(found, expected)}' if case.public and found is not None else ''}"
    return replace(finding, found=what, read=finding.read or f"{PAGE}#{ANCHORS[key]}")


def _is_no_number(found: object) -> bool:
    return found is None or (isinstance(found, dict) and None in found.values())


def _unrecognised(key: str, found: object) -> str:
    if found is None:
        return "a dict of counts is missing" if key == "operators" else "an integer is missing"
    return "other counts" if key == "operators" else "another number"


def _show(value: object, other: object) -> str:
    """A number, or those counts of a histogram in which it differs from the other."""
    if not isinstance(value, dict):
        return str(value)
    other = other if isinstance(other, dict) else {}
    differing = [
        f"{name[:60]} {value.get(name, 0)}"
        for name in sorted({*value, *other})
        if value.get(name, 0) != other.get(name, 0)
    ]
    return ", ".join(differing[:8]) + (", …" if len(differing) > 8 else "")


def leaves_the_argument(view: View) -> Finding | None:
    if not known(read(view.answer))["changed"]:
        return None
    return Finding(
        "the argument is as it was before the call",
        "the model that was passed in is changed",
        Mistakes.model_changed,
    )


def has_whole_numbers(view: View) -> Finding | None:
    description = known(read(view.answer))["description"]
    floats = [key for key in DEFINITIONS if _has_float(description.get(key))]
    if not floats:
        return None
    return Finding("every count is an int", f"{', '.join(floats)}: a float", Mistakes.floats)


def _has_float(value: object) -> bool:
    return isinstance(value, dict) and (
        "float" in value or any(_has_float(count) for count in value.get("counts", {}).values())
    )
