"""The museum of broken models: small files, each wrong in exactly one way, with the diagnosis and
the repair.

`EXHIBITS` maps each exhibit's name to it; `build(name, seed)` makes a specimen;
`first_failure(path)` climbs the validation ladder.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import numpy as np

from formatlab.models.museum import files, graphs, numbers, runtime, shapes
from formatlab.models.museum.exhibit import EXHIBITS, Exhibit, Specimen
from formatlab.models.museum.ladder import RUNGS, Failure, first_failure
from formatlab.models.museum.runs import ACCURACY, TOLERANCE, Run, read_runs, relative_error

__all__ = [
    "ACCURACY",
    "DIAGNOSES",
    "EXHIBITS",
    "RUNGS",
    "TOLERANCE",
    "Exhibit",
    "Failure",
    "Run",
    "Specimen",
    "build",
    "first_failure",
    "put",
    "read_runs",
    "relative_error",
]

# What each diagnosis says about the model. The first that applies, from the top, is the one.
DIAGNOSES = {
    "unreadable": "the bytes are not a whole file of their format",
    files.EXTERNAL: "the file with the weights is missing, too short, or outside of the model's folder",
    graphs.VERSIONS: "the opset of a domain that a node uses is missing, or an opset or the IR version is newer than ONNX Runtime knows",
    graphs.UNKNOWN: "an operator of the default domain that does not exist at the model's opset",
    graphs.DUPLICATE: "one name is used more than once, by nodes, initializers or inputs",
    graphs.MISSING: "a node reads a name, or a graph has an output, that nothing writes",
    graphs.UNSORTED: "a node comes before the node that writes what it reads",
    shapes.MISMATCH: "shape inference finds an operator that cannot take what it reads: rank, sizes or type do not fit",
    shapes.FALSE: "shape inference finds a declared type or shape that contradicts what the operators give",
    runtime.NO_KERNEL: "the checker lets every operator pass, and ONNX Runtime has no implementation of one of them",
    numbers.STATIC: "it runs with one batch size and refuses others",
    numbers.RANDOM: "it gives different outputs for the same input, at one of the optimization levels at least",
    numbers.WRONG: "its outputs are not the expected ones, in a session or in the reference evaluator",
    numbers.LABELS: "its outputs are the expected ones, and it fails at its task",
    "healthy": "every rung holds",
}


def build(name: str, seed: int = 0) -> Specimen:
    """The exhibit of that name, deterministic in `seed`: another seed makes another model around
    the same fault. Raises KeyError.
    """
    return EXHIBITS[name].build(np.random.default_rng([seed, crc32(name.encode())]))


def put(specimen_files: dict[str, bytes], folder: str | Path) -> None:
    """Write files by their relative paths into `folder`."""
    for name, data in specimen_files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
