"""Faults that the museum does not show: the lab's own exhibits."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, NodeProto, helper

from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import (
    MODEL,
    Edit,
    Exhibit,
    Specimen,
    copy,
    fresh,
    insert,
    nodes_of,
    sound,
    specimen,
)
from formatlab.models.museum.runs import make_runs

CUT = "A download stopped between two fields of the file. What is left parses, as a model without a graph; so does a file without any bytes."
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


def cut_before_graph(rng: np.random.Generator) -> Specimen:
    """The fields in front of the graph alone, which say who wrote the model."""
    _, whole = sound(healthy.tabular, rng)
    model = ModelProto.FromString(whole[MODEL])
    version = ".".join(str(part) for part in rng.integers(0, 30, 3))
    rest = ModelProto(ir_version=model.ir_version, producer_name="export", producer_version=version)
    files = {**whole, MODEL: rest.SerializeToString()}
    return Specimen(MODEL, files, lambda broken: {**broken, MODEL: whole[MODEL]})


EXHIBITS = {
    "cut-before-graph": Exhibit(
        name="cut-before-graph",
        diagnosis="unreadable",
        rung="parse",
        story=CUT,
        fix="Fetch the missing bytes.",
        build=cut_before_graph,
    ),
    "unsorted-around": Exhibit(
        name="unsorted-around",
        diagnosis="not-sorted",
        rung="checker",
        story=STORY,
        fix="Move the node before the If.",
        build=unsorted_around,
    ),
}
