"""`optimizers`: what does each optimization level of ONNX Runtime do to a model? Read it from the
graphs that the sessions save.

1. Five sessions on the CPU provider, one for each level, each saves its graph as `<level>.onnx`.
2. The counts are those of the saved graphs, subgraphs included, with the domain of every operator
   that is not ONNX's own.
3. The source is only read.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from formatlab_exercises.optimizers.processor import block_size
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

MODEL, REPORT = "model.onnx", "report.json"
LEVELS = {
    "disable": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "layout": "ORT_ENABLE_LAYOUT",
    "all": "ORT_ENABLE_ALL",
}
SIGNATURE = "optimize_levels(path, directory) -> dict"
# ONNX Runtime fills channels up to whole blocks, so a saved graph may hold several times the
# source's weights.
ROOM = 1 << 20
LARGEST = 2**53


class Optimizers(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 50
    needs = ()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """The files `<level>.onnx` that there are, and `report.json`: the counts, and what else
        happened in the two folders.
        """
        source, directory = scratch / "source", scratch / "levels"
        source.mkdir()
        directory.mkdir()
        for name, data in case.files.items():
            (source / name).write_bytes(data)
        returned = functions["optimize_levels"](source / MODEL, directory)
        if not isinstance(returned, Mapping):
            raise WrongType("a dict", type(returned).__name__)
        names = {f"{level}.onnx" for level in LEVELS}
        files = {
            path.name: _read(path, case)
            for path in sorted(directory.iterdir())
            if path.name in names and path.is_file()
        }
        report = {
            "levels": {str(level): _encode(counts) for level, counts in returned.items()},
            "others": sorted(path.name for path in directory.iterdir() if path.name not in names)[
                :8
            ],
            "changed": any(
                not (source / name).is_file() or (source / name).read_bytes() != data
                for name, data in case.files.items()
            ),
            "block": block_size(),
        }
        return {REPORT: json.dumps(report).encode(), **files}


def _read(path: Path, case: Case) -> bytes:
    if path.stat().st_size > ROOM + 8 * sum(map(len, case.files.values())):
        raise WrongType(
            "graphs of about the source's size", f"one of {path.stat().st_size >> 20} MB"
        )
    return path.read_bytes()


def _encode(counts: object) -> dict:
    """Counts as JSON: `{"counts": {key: int}, "plain": bool}`, or `{"type": name}` for what is no
    mapping to whole numbers.
    """
    if not isinstance(counts, Mapping):
        return {"type": type(counts).__name__}
    encoded = {str(key): _number(count) for key, count in counts.items()}
    if None in encoded.values():
        return {"type": "dict of other things than counts"}
    plain = all(
        isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        for count in counts.values()
    )
    return {"counts": encoded, "plain": plain}


def _number(count: Any) -> int | None:
    if isinstance(count, (float, np.floating)) and float(count).is_integer():
        count = int(count)
    try:
        number = operator.index(count)
    except TypeError:
        return None
    return number if 0 <= number < LARGEST else None


EXERCISE = Optimizers()
