"""The schema of a passport, as JSON Schema. A `description` says what belongs there; students read it
where something else stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from jsonschema import Draft202012Validator, validators

from formatlab_exercises.capstone.passport import A_DICT, FILES, MODELS

TEXT = {"type": "string"}
NUMBER = {"type": "number", "description": "a number"}
COUNT = {"type": "integer", "minimum": 0, "description": "an int"}
SIGNATURE = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": TEXT,
            "dtype": TEXT,
            "shape": {"type": "array", "items": {"type": ["string", "integer"]}},
        },
        "required": ["name", "dtype", "shape"],
    },
    "description": "a list of dicts with name, dtype and shape",
}
FILE: dict[str, Any] = {
    "sha256": {
        "type": "string",
        "pattern": "^[0-9a-fA-F]*$",
        "minLength": 64,
        "maxLength": 64,
        "description": "a str of 64 hexadecimal digits",
    },
    "bytes": COUNT,
    "elements": {
        "type": "object",
        "additionalProperties": COUNT,
        "description": "a dict from dtype names to ints",
    },
}
MODEL: dict[str, Any] = {
    **FILE,
    "producer": {
        "type": "object",
        "properties": {"name": TEXT, "version": TEXT},
        "required": ["name", "version"],
        "description": "a dict with the strings name and version",
    },
    "ir_version": COUNT,
    "opset_imports": {
        "type": "object",
        "additionalProperties": COUNT,
        "description": "a dict from each domain to its version, an int",
    },
    "inputs": SIGNATURE,
    "outputs": SIGNATURE,
    "sqnr_db": NUMBER,
}
PASSPORT: dict[str, Any] = {
    "artefacts": {"type": "array", "description": "a list with one dict for each file"},
    "budget": {
        "type": "object",
        "properties": {"bytes": NUMBER, "sqnr_db": NUMBER},
        "required": ["bytes", "sqnr_db"],
        "description": "a dict with the numbers bytes and sqnr_db",
    },
    "chosen": {"enum": [*MODELS, None], "description": "the name of an ONNX file, or None"},
    "met": {"type": "boolean", "description": "True or False"},
}
ENTRY: dict[str, Any] = {"file": {"enum": list(FILES), "description": f"one of {', '.join(FILES)}"}}

# JSON Schema takes 1.0 for an integer. A count in a passport is Python's int.
Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda checker, value: type(value) is int
    ),
)


def problem(found: object, lines: Set[str]) -> tuple[str, str] | None:
    """The first place where one of these lines of a passport differs from its schema, or its list of
    entries does, and what belongs there; None for a good one.
    """
    if not isinstance(found, dict):
        return "the passport", A_DICT
    for wrong in _wrong(found, PASSPORT, lines | {"artefacts"}):
        return wrong
    for position, entry in enumerate(found["artefacts"]):
        for key, words in _wrong_of_entry(entry, lines):
            return f"artefacts[{position}]['{key}']", words
    names = [entry["file"] for entry in found["artefacts"]]
    return ("artefacts", "one entry for each file") if len(set(names)) < len(names) else None


def _wrong_of_entry(entry: object, lines: Set[str]) -> Iterator[tuple[str, str]]:
    if not isinstance(entry, dict):
        yield "file", ENTRY["file"]["description"]
        return
    yield from _wrong(entry, ENTRY, {"file"})
    yield from _wrong(entry, MODEL if entry["file"] in MODELS else FILE, lines)


def _wrong(
    found: dict, properties: Mapping[str, dict], lines: Set[str]
) -> Iterator[tuple[str, str]]:
    """Of these keys those that are missing or hold something else, in the order of the schema, each
    with what belongs there.
    """
    for key, schema in properties.items():
        is_right = key in found and Validator(schema).is_valid(found[key])
        if key in lines and not is_right:
            yield key, schema["description"]


def entries(found: Mapping) -> dict[str, dict]:
    """The artefacts' entries by their file's name, in the order of the pipeline."""
    named = {entry["file"]: entry for entry in found["artefacts"]}
    return {name: named[name] for name in FILES if name in named}
