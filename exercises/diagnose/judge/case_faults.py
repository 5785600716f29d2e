"""Faults that the museum does not show: the lab's own exhibits."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, NodeProto, helper

from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import (
    Edit,
    Exhibit,
    Specimen,
    copy,
    fresh,
    insert,
    nodes_of,
    specimen,
)
from formatlab.models.museum.runs import make_runs

STORY = "A branch of an If reads a name that a node behind the If gives, in the graph around it: a tool put a new node in too late."


def unsorted_around(rng: np.random.Generator) -> Specimen:
    """A branch reads what a later node of the outer graph writes."""
    subject = healthy.branches(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    return specimen(broken, runs, _read_too_early(broken, rng))


def _read_too_early(model: ModelProto, rng: np.random.Generator) -> Edit:
    [at] = nodes_of(model.graph, "If")
    chosen = model.graph.node[at].attribute[int(rng.integers(2))].g
    right = chosen.node[0].input[0]
    [name] = fresh(model, rng, right)
    chosen.node[0].input[0] = name
    insert(model.graph, at + 1, [helper.make_node("Identity", [right], [name])])

    def repair(mended: ModelProto) -> None:
        late = NodeProto.FromString(mended.graph.node[at + 1].SerializeToString())
        del mended.graph.node[at + 1]
        insert(mended.graph, at, [late])

    return repair


EXHIBITS = {
    "unsorted-around": Exhibit(
        "unsorted-around",
        "not-sorted",
        "checker",
        STORY,
        "Move the node before the If.",
        unsorted_around,
    )
}
