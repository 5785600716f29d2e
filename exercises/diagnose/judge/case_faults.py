"""Faults that the museum does not show: the lab's own exhibits."""

from __future__ import annotations

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from formatlab.models import to_bytes
from formatlab.models.builder import value
from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import (
    MODEL,
    RUNS,
    Edit,
    Exhibit,
    Files,
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
from formatlab.models.museum.runs import ACCURACY, Run, make_runs, write_runs

CUT = "A download stopped between two fields of the file. What is left parses, as a model without a graph; so does a file without any bytes."
STORY = "A branch of an If reads a name that a node behind the If gives, in the graph around it: a tool put a new node in too late."

EXCHANGED = "A branch of an If declares its output with another size than its nodes give: the nodes were exchanged, and the declaration stayed."
FUSED = "The default level makes one MaxPool of a Pad and a MaxPool, which is wrong for negative numbers. Without optimizations all is right."
NO_OUTPUT = "A branch of an If has an output that none of its nodes writes: the last node was renamed, and the declaration was not."
FAR = "A branch inside a branch reads a name that a late node of the main graph writes: a tool sorted each graph by itself."
DEEP = "A branch inside a branch declares an inner value with another size: the file was edited, and value_info was renewed at the top alone."
DRAWN = "Both branches of an If add noise. No node of the main graph draws, so that it is easily overlooked."
SOME_LABELS = (
    "Some rows were given wrong labels, so that the model is right about fewer than it should be."
)
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


def nested(rng: np.random.Generator) -> Healthy:
    """Each branch of an If holds an If, whose branches do the work."""
    subject = healthy.branches(rng)
    [at] = nodes_of(subject.model.graph, "If")
    condition = subject.model.graph.node[at].input[0]
    for branch in _branches(subject.model.graph):
        [output] = branch.output
        names = fresh(subject.model, rng, output.name, 4)
        graphs = {}
        for attribute, inner, last in (
            ("then_branch", names[0], names[1]),
            ("else_branch", names[2], names[3]),
        ):
            first, second = (NodeProto.FromString(node.SerializeToString()) for node in branch.node)
            first.output[0] = second.input[0] = inner
            second.output[0] = last
            graphs[attribute] = helper.make_graph(
                [first, second],
                attribute,
                [],
                [_renamed(output, last)],
                value_info=[_renamed(output, inner)],
            )
        del branch.node[:]
        branch.node.append(helper.make_node("If", [condition], [output.name], **graphs))
    del subject.model.graph.value_info[:]
    return subject


def _branches(graph: GraphProto) -> list[GraphProto]:
    """The branches of the graph's only If."""
    [at] = nodes_of(graph, "If")
    return [attribute.g for attribute in graph.node[at].attribute]


def _inner_branch(model: ModelProto, places: tuple[int, int]) -> GraphProto:
    """A branch of a branch, by its place and that of the branch around it."""
    return _branches(_branches(model.graph)[places[0]])[places[1]]


def _renamed(declared: ValueInfoProto, name: str) -> ValueInfoProto:
    made = ValueInfoProto.FromString(declared.SerializeToString())
    made.name = name
    return made


def idle_noise(rng: np.random.Generator) -> Files:
    """Noise is drawn, multiplied by zero, and added."""
    subject = healthy.tabular(rng)
    runs = make_runs(subject, rng)
    model = copy(subject.model)
    name = model.graph.node[0].output[0]
    drawn, nothing, zero, clean = fresh(model, rng, name, 4)
    model.graph.node[0].output[0] = clean
    insert(
        model.graph,
        1,
        [
            helper.make_node("RandomNormalLike", [clean], [drawn]),
            helper.make_node("Mul", [drawn, zero], [nothing]),
            helper.make_node("Add", [clean, nothing], [name]),
        ],
    )
    model.graph.initializer.append(numpy_helper.from_array(np.array(0, np.float32), zero))
    return {MODEL: to_bytes(model), RUNS: write_runs(runs)}


def noise_in_branches(rng: np.random.Generator) -> Specimen:
    """Each branch adds noise to what it gives."""
    subject = healthy.branches(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    for branch in _branches(broken.graph):
        inner = branch.node[0].output[0]
        drawn, noisy = fresh(broken, rng, inner, 2)
        branch.node[1].input[0] = noisy
        draw = helper.make_node("RandomNormalLike", [inner], [drawn])
        insert(branch, 1, [draw, helper.make_node("Add", [inner, drawn], [noisy])])

    def repair(mended: ModelProto) -> None:
        for branch in _branches(mended.graph):
            del branch.node[1:3]
            branch.node[1].input[0] = branch.node[0].output[0]

    return specimen(broken, runs, repair)


def _rows_of_tens(subject: Healthy, rng: np.random.Generator) -> tuple[list[Run], int]:
    """Runs whose rows are a multiple of ten together, all of them right, and how many may be wrong."""
    while True:
        runs = make_runs(subject, rng)
        rows = sum(len(run.labels) for run in runs)
        if rows % 10 == 0:
            for run in runs:
                [logits] = run.expected.values()
                run.labels[:] = logits.argmax(-1)
            return runs, round(rows * (1 - ACCURACY))


def _take_wrong(run: Run, rows: int) -> None:
    """The next class, for the first rows of a run."""
    [logits] = run.expected.values()
    run.labels[:rows] = (run.labels[:rows] + 1) % logits.shape[-1]


def just_enough(rng: np.random.Generator) -> Files:
    """Right about as many rows as it has to be, and wrong about several of one run."""
    subject = healthy.tabular(rng)
    runs, most = _rows_of_tens(subject, rng)
    _take_wrong(runs[2], most)
    return {MODEL: to_bytes(subject.model), RUNS: write_runs(runs)}


def too_few(rng: np.random.Generator) -> Specimen:
    """Right about most rows, and about two fewer than it has to be."""
    subject = healthy.tabular(rng)
    runs, most = _rows_of_tens(subject, rng)
    right = [Run(run.feeds, run.expected, run.labels.copy()) for run in runs]
    _take_wrong(runs[0], most + 2)
    return specimen(copy(subject.model), runs, lambda _: None, right)


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
    """A branch declares another size of its output."""
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


def output_of_a_branch(rng: np.random.Generator) -> Specimen:
    """The last node of a branch writes another name than the branch gives out."""
    subject = healthy.branches(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    which = int(rng.integers(2))
    last = _branches(broken.graph)[which].node[-1]
    right = last.output[0]
    [last.output[0]] = fresh(broken, rng, right, 1)

    def repair(mended: ModelProto) -> None:
        _branches(mended.graph)[which].node[-1].output[0] = right

    return specimen(broken, runs, repair)


def unsorted_far_around(rng: np.random.Generator) -> Specimen:
    """A branch of a branch reads what a later node of the main graph writes."""
    subject = nested(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    places = (int(rng.integers(2)), int(rng.integers(2)))
    [at] = nodes_of(broken.graph, "If")
    reader = _inner_branch(broken, places).node[0]
    right = reader.input[0]
    [reader.input[0]] = fresh(broken, rng, right, 1)
    insert(broken.graph, at + 1, [helper.make_node("Identity", [right], [reader.input[0]])])

    def repair(mended: ModelProto) -> None:
        _inner_branch(mended, places).node[0].input[0] = right
        del mended.graph.node[at + 1]

    return specimen(broken, runs, repair)


def declared_far_inside(rng: np.random.Generator) -> Specimen:
    """A branch of a branch declares another size of an inner value."""
    subject = nested(rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    places = (int(rng.integers(2)), int(rng.integers(2)))
    inner = _inner_branch(broken, places).value_info[0].type.tensor_type.shape
    right = inner.dim[-1].dim_value
    inner.dim[-1].dim_value = right + int(rng.integers(1, 4))

    def repair(mended: ModelProto) -> None:
        declared = _inner_branch(mended, places).value_info[0].type.tensor_type.shape
        declared.dim[-1].dim_value = right

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
    "output-of-a-branch": Exhibit(
        name="output-of-a-branch",
        diagnosis="missing-value",
        rung="checker",
        story=NO_OUTPUT,
        fix="Let a node write the name.",
        build=output_of_a_branch,
    ),
    "unsorted-far-around": Exhibit(
        name="unsorted-far-around",
        diagnosis="not-sorted",
        rung="checker",
        story=FAR,
        fix="Move the node before the If.",
        build=unsorted_far_around,
    ),
    "declared-far-inside": Exhibit(
        name="declared-far-inside",
        diagnosis="false-declaration",
        rung="full_check",
        story=DEEP,
        fix="Remove value_info from all graphs.",
        build=declared_far_inside,
    ),
    "noise-in-branches": Exhibit(
        name="noise-in-branches",
        diagnosis="random-output",
        rung="parity",
        story=DRAWN,
        fix="Remove the noise.",
        build=noise_in_branches,
    ),
    "too-few-labels": Exhibit(
        name="too-few-labels",
        diagnosis="wrong-labels",
        rung="metric",
        story=SOME_LABELS,
        fix="Correct the labels.",
        build=too_few,
    ),
}
HEALTHY_FILES = {
    "healthy-drawn-for-nothing": idle_noise,
    "healthy-just-enough": just_enough,
}
