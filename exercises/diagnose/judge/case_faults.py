"""Faults that the museum does not show: the lab's own exhibits."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from formatlab.models.builder import value
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
from formatlab.models.museum.healthy import Healthy
from formatlab.models.museum.net import Net
from formatlab.models.museum.runs import make_runs

CUT = "A download stopped between two fields of the file. What is left parses, as a model without a graph; so does a file without any bytes."
STORY = "A branch of an If reads a name that a node behind the If gives, in the graph around it: a tool put a new node in too late."

EXCHANGED = "A branch of an If declares its output with another size than its nodes give: the nodes were exchanged, and the declaration stayed."
FUSED = "The default level makes one MaxPool of a Pad and a MaxPool, which is wrong for negative numbers. Without optimizations all is right."
NOT_A_NUMBER = "Two float16 values overflow, and their difference is NaN. On most CPUs ONNX Runtime computes in float32 and hides it."


def with_twins(rng: np.random.Generator) -> Healthy:
    """Both branches of an If use one name for a value of their own."""
    subject = healthy.branches(rng)
    [at] = nodes_of(subject.model.graph, "If")
    first, second = (attribute.g for attribute in subject.model.graph.node[at].attribute)
    for names in (second.node[0].output, second.node[1].input):
        names[0] = first.node[0].output[0]
    del subject.model.graph.value_info[:]
    return subject


def with_names_of_values(rng: np.random.Generator) -> Healthy:
    """Each node has the name of the value that it writes."""
    subject = healthy.tabular(rng)
    for node in subject.model.graph.node:
        node.name = node.output[0]
    return subject


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


def sibling_branch(rng: np.random.Generator) -> Specimen:
    """A branch reads what the other branch writes."""
    subject = healthy.branches(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    [at] = nodes_of(broken.graph, "If")
    which = int(rng.integers(2))
    last = broken.graph.node[at].attribute[which].g.node[-1]
    right = last.input[0]
    last.input[0] = broken.graph.node[at].attribute[1 - which].g.node[0].output[0]

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at].attribute[which].g.node[-1].input[0] = right

    return specimen(broken, runs, repair)


def declared_in_branch(rng: np.random.Generator) -> Specimen:
    """A branch declares another type of its output, or another size of an inner value."""
    subject = healthy.branches(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    [at] = nodes_of(broken.graph, "If")
    which = int(rng.integers(2))
    output = broken.graph.node[at].attribute[which].g.output[0].type.tensor_type
    right = output.shape.dim[-1].dim_value
    output.shape.dim[-1].dim_value = right + int(rng.integers(1, 4))

    def repair(mended: ModelProto) -> None:
        branch = mended.graph.node[at].attribute[which].g
        branch.output[0].type.tensor_type.shape.dim[-1].dim_value = right

    return specimen(broken, runs, repair)


def padded_pooling(rng: np.random.Generator) -> Specimen:
    """Zeros around negative numbers, and the largest of each window: the default level lets the
    MaxPool pad, whose border is minus infinity. The level without optimizations does not.
    """
    channels, classes = int(rng.integers(1, 4)), int(rng.integers(3, 6))
    height, width = (int(n) for n in rng.choice([6, 8, 10], 2))
    net = Net(rng)
    x = net.name("input", "image", "pixels", "photo")
    pads = net.initializer(np.array([0, 0, 1, 1, 0, 0, 1, 1]))
    negative = net.node("Neg", net.node("Softplus", x))
    padded = net.node("Pad", negative, pads)
    pooled = net.node("MaxPool", padded, kernel_shape=[2, 2], strides=[2, 2])
    flat = net.node("Flatten", pooled)
    numbers = channels * (height // 2 + 1) * (width // 2 + 1)
    logits = net.linear(flat, numbers, classes)
    inputs = [value(x, "batch", channels, height, width)]
    model = net.model(inputs, [value(logits, "batch", classes)])
    runs = make_runs(Healthy(model, (channels, height, width)), rng)

    def repair(mended: ModelProto) -> None:
        for node in mended.graph.node:
            if node.op_type == "Neg":
                node.op_type = "Relu"

    return specimen(model, runs, repair)


def no_number(rng: np.random.Generator) -> Specimen:
    """Two float16 values overflow, and their difference is no number."""
    subject = healthy.half(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    del broken.graph.value_info[:]
    at = next(
        place
        for place in nodes_of(broken.graph, "Cast")
        if broken.graph.node[place].attribute[0].i == TensorProto.FLOAT
    )
    start = broken.graph.node[at].input[0]
    factor, large, larger, again, nothing, same = fresh(broken, rng, start, 6)
    insert(
        broken.graph,
        at,
        [
            helper.make_node("Mul", [start, factor], [large]),
            helper.make_node("Mul", [large, factor], [larger]),
            helper.make_node("Mul", [large, factor], [again]),
            helper.make_node("Sub", [larger, again], [nothing]),
            helper.make_node("Add", [start, nothing], [same]),
        ],
    )
    broken.graph.node[at + 5].input[0] = same
    number = np.array(2.0 ** rng.integers(10, 13), np.float16)
    broken.graph.initializer.append(numpy_helper.from_array(number, factor))

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at + 5].input[0] = start
        del mended.graph.node[at : at + 5]
        del mended.graph.initializer[-1]

    return specimen(broken, runs, repair)


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
    "sibling-branch": Exhibit(
        name="sibling-branch",
        diagnosis="missing-value",
        rung="checker",
        story="A branch of an If reads a name that only the other branch writes, and only one of the two runs.",
        fix="Let the branch read a name of its own.",
        build=sibling_branch,
    ),
    "declared-in-branch": Exhibit(
        name="declared-in-branch",
        diagnosis="false-declaration",
        rung="full_check",
        story=EXCHANGED,
        fix="Declare what the branch gives.",
        build=declared_in_branch,
    ),
    "padded-pooling": Exhibit(
        name="padded-pooling",
        diagnosis="wrong-numbers",
        rung="parity",
        story=FUSED,
        fix="Switch the fusion off, or pad with a Concat.",
        build=padded_pooling,
    ),
    "no-number": Exhibit(
        name="no-number",
        diagnosis="wrong-numbers",
        rung="parity",
        story=NOT_A_NUMBER,
        fix="Take the factors out.",
        build=no_number,
    ),
}
