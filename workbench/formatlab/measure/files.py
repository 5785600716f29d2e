"""Results as JSON files: written in schema 2, read in schemas 1 and 2."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from formatlab.measure.card import Card
from formatlab.measure.measurements import Measurements
from formatlab.measure.variant import Variant
from formatlab.show.table import in_one_line

# Schema 1 had no single calls: a value of `seconds` was the mean of `calls` calls.
SCHEMA = 2
READABLE = (1, 2)
# What `from_json` computes again.
DERIVED = ("schema", "verdict", "resolution", "summary")
RECORDED = Path(__file__).parent / "recorded"


class NotResults(ValueError):
    """A file that holds no results that this version reads. The text says why."""


def to_json(results: Measurements) -> dict:
    """What `DERIVED` names is there for other readers."""
    found = {
        "verdict": results.verdict,
        "resolution": results.resolution,
        "summary": _summary(results),
    }
    return _rounded({"schema": SCHEMA, **asdict(results), **found})


def text(results: Measurements) -> str:
    """One line for each list of numbers."""
    indented = json.dumps(to_json(results), indent=1, allow_nan=False)
    return re.sub(r"\[[\d\s.,e+-]+\]", lambda found: re.sub(r"\s+", " ", found[0]), indented) + "\n"


def fields(data: object) -> dict[str, Any]:
    """The fields of the measurements that `to_json` wrote. Raises NotResults."""
    data = data if isinstance(data, Mapping) else {}
    schema = data.get("schema")
    if schema not in READABLE:
        raise NotResults(
            f"this is no results file of a schema that can be read, {' or '.join(map(str, READABLE))}: its schema is {schema!r}"
        )
    found = {key: value for key, value in data.items() if key not in DERIVED}
    try:
        control = found["control"]
        return found | {
            "variants": tuple(Variant.from_json(each) for each in found["variants"]),
            "control": control and Variant.from_json(control),
            "card": Card.from_json(found["card"]),
            "load_average": tuple(found["load_average"]),
        }
    except (KeyError, TypeError) as problem:
        raise NotResults(f"this results file is incomplete: {problem}") from None


def load(path: Path) -> object:
    """What a file holds as JSON, with nothing in its texts that drives a terminal: whoever shows a
    file need not have written it. Raises NotResults, and OSError where there is no file.
    """
    try:
        return _shown(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as problem:
        raise NotResults(f"{path.name} is not JSON: {problem}") from None


def _shown(value: object) -> object:
    if isinstance(value, str):
        return "\n".join(map(in_one_line, value.split("\n")))
    if isinstance(value, list):
        return [_shown(each) for each in value]
    if isinstance(value, dict):
        return {_shown(key): _shown(each) for key, each in value.items()}
    return value


def recorded(name: str) -> Path:
    """Where the course keeps what it measured. Raises LookupError with the names that there are."""
    path = RECORDED / f"{name}.json"
    if not path.is_file():
        there = ", ".join(sorted(each.stem for each in RECORDED.glob("*.json")))
        raise LookupError(f"nothing is recorded as {name!r}; there are {there}")
    return path


def _summary(results: Measurements) -> dict:
    return {
        variant.name: {
            "median": variant.median,
            "median_interval": list(results.interval(variant.name)[:2]),
            **{f"p{share}": variant.quantile(share / 100) for share in (10, 90, 99)},
            "n": len(variant.latencies),
            "items_per_second": variant.throughput,
            "ratio": results.ratio(variant.name).value,
            "ratio_interval": list(results.ratio(variant.name).interval[:2]),
            "autocorrelation": results.dependence(variant.name),
        }
        for variant in results.variants
    }


def _rounded(value):
    """Floats to six digits: more is noise, and makes files long."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
