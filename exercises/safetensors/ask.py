"""`safetensors`: read the format by hand, take one tensor out of a file without the rest, refuse a
file that lies.

1. `read_header` returns the JSON object of the header, or raises ValueError where there is none to
   read.
2. `load_tensor` returns one tensor as it was stored, BF16 as float32, and reads no more than it
   needs.
3. `validate` raises ValueError for every file that breaks a rule of the format, and for no other.
4. Nothing that stands in a file is ever executed, and no length is believed before it is compared
   with the file.
"""

from __future__ import annotations

import builtins
import json
import os
import tracemalloc
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

REPORT = "report.json"
FUNCTIONS = by_name(
    "read_header(data: bytes) -> dict",
    "load_tensor(path, name) -> numpy.ndarray",
    "validate(path) -> None, or raises ValueError",
)
SUFFIX = ".safetensors"
DATA, TAIL = "data", "tail"
LARGE = f"large{SUFFIX}"
# A file that runs code sets this on the module `builtins`, and does nothing else.
MARKER = "safetensors_exercise_code_ran"
LARGEST_ANSWER = 1 << 20


class SafeTensors(Exercise):
    functions = FUNCTIONS
    minutes = 115

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """`report.json`, one entry for each question asked, and the bytes of the array that answers
        question i as `<i>.bin`.
        """
        vars(builtins).pop(MARKER, None)
        arrays: dict[str, bytes] = {}
        if case.parameters["ask"] == "header":
            entries = [_read_header(functions["read_header"], case.files[DATA])]
        else:
            _write(case, scratch)
            if case.parameters["ask"] == "tensors":
                entries, arrays = _load(functions["load_tensor"], case, scratch)
            else:
                entries = _validate(functions["validate"], case, scratch)
        report = {"executed": vars(builtins).pop(MARKER, False) is True, "entries": entries}
        return {
            REPORT: json.dumps(
                report, default=lambda value: {"type": type(value).__name__}, skipkeys=True
            ).encode(),
            **arrays,
        }


def file_names(case: Case) -> list[str]:
    """The files of a case in the order in which they are asked about: the large one last."""
    return sorted(
        (name for name in case.files if name.endswith(SUFFIX)),
        key=lambda name: (name == LARGE, name),
    )


def _write(case: Case, scratch: Path) -> None:
    """The case's files; a large one gets a hole, which takes no room on the disk."""
    for name, data in case.files.items():
        if name.endswith(SUFFIX):
            (scratch / name).write_bytes(data)
    if TAIL in case.files:
        with open(scratch / LARGE, "r+b") as file:
            file.seek(case.parameters["tail"])
            file.write(case.files[TAIL])
    for name, size in case.parameters.get("sizes", {}).items():
        os.truncate(scratch / name, size)


def _read_header(read_header: Callable, data: bytes) -> dict:
    try:
        header = read_header(data)
    except ValueError as error:
        return _error(error)
    except Exception as error:
        if hasattr(builtins, MARKER):
            return _error(error)
        raise
    if not isinstance(header, Mapping):
        raise WrongType("a dict", type(header).__name__)
    return {"outcome": "returned", "header": dict(header)}


def _load(load_tensor: Callable, case: Case, scratch: Path) -> tuple[list[dict], dict[str, bytes]]:
    entries, arrays = [], {}
    for at, (file, name) in enumerate(case.parameters["asks"]):
        entry, value = _called(partial(load_tensor, scratch / file, name), measured=file == LARGE)
        if isinstance(value, np.generic):
            # Arithmetic on arrays without dimensions gives scalars: the same number.
            value = np.asarray(value)
        if isinstance(value, np.ndarray):
            native = value.astype(value.dtype.newbyteorder("="))
            entry |= {"array": True, "dtype": native.dtype.name, "shape": list(native.shape)}
            if native.dtype.kind in "biufc" and native.nbytes <= LARGEST_ANSWER:
                arrays[f"{at}.bin"] = native.tobytes()
        entries.append(entry)
    return entries, arrays


def _validate(validate: Callable, case: Case, scratch: Path) -> list[dict]:
    paths = [scratch / name for name in file_names(case)]
    lengths = case.parameters["measured"]
    if lengths:
        # What a first call imports is not to be measured.
        _outcome(lambda: validate(paths[0]))
    return [
        _called(partial(validate, path), measured=lengths or path.name == LARGE)[0]
        for path in paths
    ]


def _called(call: Callable[[], object], measured: bool) -> tuple[dict, object]:
    """How the call went, what it returned, and, if `measured`, how many bytes it held at most and
    how many it read from files.
    """
    if not measured:
        return _outcome(call)
    before = _bytes_read()
    tracemalloc.start()
    try:
        entry, value = _outcome(call)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return {**entry, "held": held, "read": max(_bytes_read() - before, 0)}, value


def _outcome(call: Callable[[], object]) -> tuple[dict, object]:
    try:
        value = call()
    except NotImplementedError:
        raise
    except Exception as error:
        return _error(error), None
    return {"outcome": "returned", "type": type(value).__name__}, value


def _error(error: Exception) -> dict:
    try:
        text = str(error)[:200]
    except Exception:
        text = ""
    kind = (
        "refused"
        if isinstance(error, ValueError)
        else "no_key"
        if isinstance(error, KeyError)
        else "raised"
    )
    return {"outcome": kind, "type": type(error).__name__, "text": text}


def _bytes_read() -> int:
    """The bytes that this process has asked files for; 0 where the system does not say. Mapped
    memory does not count.
    """
    try:
        return int(Path("/proc/self/io").read_text().split()[1])
    except OSError:
        return 0


EXERCISE = SafeTensors()
