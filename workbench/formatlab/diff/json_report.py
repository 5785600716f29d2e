"""A comparison as JSON. `schema.json` describes it, and docs/diff.md explains it."""

from __future__ import annotations

import json
import math
from importlib import resources
from typing import Any

from formatlab.diff.changes import Change
from formatlab.diff.comparison import Comparison
from formatlab.diff.reading import Model
from formatlab.diff.words import plain

VERSION = 1
# A change in a thousand places names so many of them.
MEMBERS = 1000


def schema() -> dict[str, Any]:
    """The JSON Schema of what `to_json` gives."""
    text = resources.files("formatlab.diff").joinpath("schema.json").read_text(encoding="utf-8")
    return json.loads(text)


def to_json(found: Comparison) -> dict[str, Any]:
    nodes_a, nodes_b, same = found.counts
    return {
        "schema": VERSION,
        "same": found.is_same,
        "headline": found.headline,
        "a": _model(found.a, nodes_a),
        "b": _model(found.b, nodes_b),
        "nodes_in_both": same,
        "changes": [_change(each) for each in found.changes],
        "remarks": [_change(each) for each in found.remarks],
        "agreement": _agreement(found),
    }


def _model(model: Model, nodes: int) -> dict[str, Any]:
    return {
        "path": None if model.path is None else plain(str(model.path), 1000),
        "bytes": model.bytes,
        "nodes": nodes,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "text": change.text,
        "where": change.where,
        "count": len(change.singles),
        "a": list(change.a[:MEMBERS]),
        "b": list(change.b[:MEMBERS]),
        "details": _finite(change.details),
        "members": [
            {"text": each.text, "where": each.where, "details": _finite(each.details)}
            for each in change.members[:MEMBERS]
        ],
    }


def _finite(details: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN and no infinity."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in details.items()
    }


def _agreement(found: Comparison) -> dict[str, Any] | None:
    if found.agreement is None:
        return None
    first = found.agreement.first
    return {
        "verdict": found.agreement.verdict,
        "text": found.agreement.text,
        "inputs": found.agreement.runs,
        "first": None if first is None else {"a": plain(first[0]), "b": plain(first[1])},
        "sqnr_db": found.agreement.sqnr_db,
        "yardstick": found.agreement.yardstick,
    }
