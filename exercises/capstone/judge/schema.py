"""The schema of a passport: its keys and their types, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from exercises.capstone.passport import A_DICT, FILES, MODELS


def problem(found: object) -> tuple[str, str] | None:
    """The first place where a passport differs from its schema, and what belongs there; None for a
    good one.
    """
    if not isinstance(found, dict):
        return "the passport", A_DICT
    for key, (is_right, words) in TOP.items():
        if key not in found or not is_right(found[key]):
            return key, words
    for position, entry in enumerate(found["artefacts"]):
        if not isinstance(entry, dict) or entry.get("file") not in FILES:
            return f"artefacts[{position}]['file']", f"one of {', '.join(FILES)}"
        for key, (is_right, words) in (MODEL if entry["file"] in MODELS else FILE).items():
            if key not in entry or not is_right(entry[key]):
                return f"artefacts[{position}]['{key}']", words
    names = [entry["file"] for entry in found["artefacts"]]
    return ("artefacts", "one entry for each file") if len(set(names)) < len(names) else None


def entries(found: Mapping) -> dict[str, dict]:
    """The artefacts' entries by their file's name, in the order of the pipeline."""
    named = {entry["file"]: entry for entry in found["artefacts"]}
    return {name: named[name] for name in FILES if name in named}


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _maps(value: object, is_right: Callable) -> bool:
    return isinstance(value, dict) and all(map(is_right, value.values()))


def _is_signature(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("name"), str)
        and isinstance(one.get("dtype"), str)
        and isinstance(one.get("shape"), list)
        and all(type(size) in (str, int) for size in one["shape"])
        for one in value
    )


Rule = tuple[Callable[[object], bool], str]
TOP: Mapping[str, Rule] = {
    "artefacts": (lambda value: isinstance(value, list), "a list with one dict for each file"),
    "budget": (
        lambda value: (
            isinstance(value, dict)
            and _is_number(value.get("bytes"))
            and _is_number(value.get("sqnr_db"))
        ),
        "a dict with the numbers bytes and sqnr_db",
    ),
    "chosen": (lambda value: value is None or value in MODELS, "the name of an ONNX file, or None"),
    "met": (lambda value: type(value) is bool, "True or False"),
}
FILE: Mapping[str, Rule] = {
    "sha256": (
        lambda value: isinstance(value, str) and bool(re.fullmatch("[0-9a-fA-F]{64}", value)),
        "a str of 64 hexadecimal digits",
    ),
    "bytes": (_is_count, "an int"),
    "elements": (lambda value: _maps(value, _is_count), "a dict from dtype names to ints"),
}
MODEL: Mapping[str, Rule] = {
    **FILE,
    "producer": (
        lambda value: (
            isinstance(value, dict)
            and all(isinstance(value.get(key), str) for key in ("name", "version"))
        ),
        "a dict with the strings name and version",
    ),
    "ir_version": (_is_count, "an int"),
    "opset_imports": (
        lambda value: _maps(value, _is_count),
        "a dict from each domain to its version, an int",
    ),
    "inputs": (_is_signature, "a list of dicts with name, dtype and shape"),
    "outputs": (_is_signature, "a list of dicts with name, dtype and shape"),
    "sqnr_db": (_is_number, "a number"),
}
