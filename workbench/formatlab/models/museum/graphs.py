"""Exhibits whose graph breaks a rule of the standard: what the checker looks for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import GraphProto, ModelProto, helper, numpy_helper

from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import Edit, fault, fresh, insert, nodes_of, readers
from formatlab.models.museum.net import ACTIVATIONS

UNKNOWN = "unknown-operator"
MISSING = "missing-value"
UNSORTED = "not-sorted"
DUPLICATE = "duplicate-name"
VERSIONS = "bad-versions"
WITH_BRANCHES = (*healthy.PLAIN, healthy.branches)


@fault(
    "misspelt-operator",
    UNKNOWN,
    "checker",
    story="A converter that was written by hand misspells an operator. ONNX has a fixed list of names.",
    fix="Use the operator's name as the standard has it.",
)
def misspelt_operator(model: ModelProto, rng: np.random.Generator) -> Edit:
    node = model.graph.node[rng.choice(nodes_of(model.graph))]
    at = list(model.graph.node).index(node)
    right = node.op_type
    node.op_type = str(
        rng.choice([right.lower() + "_", right + "2d", "Op" + right, right[:-1] + right[-1] * 2])
    )
    return lambda mended: _set_operator(mended, at, right)


@fault(
    "operator-from-the-future",
    UNKNOWN,
    "checker",
    story="Gelu entered the standard with opset 20, and this model names an older one: the number was lowered to suit an older runtime.",
    fix="Write the opset that the operators need.",
    families=(
        lambda rng: healthy.tabular(rng, opset=20),
        lambda rng: healthy.image(rng, opset=20),
        lambda rng: healthy.tokens(rng, opset=20),
    ),
)
def operator_from_the_future(model: ModelProto, rng: np.random.Generator) -> Edit:
    at = int(rng.choice(nodes_of(model.graph, *ACTIVATIONS)))
    original = model.graph.node[at]
    restore = helper.make_node(original.op_type, original.input, original.output)
    model.graph.node[at].CopyFrom(helper.make_node("Gelu", original.input, original.output))
    model.opset_import[0].version = int(rng.integers(18, 20))

    def repair(mended: ModelProto) -> None:
        mended.opset_import[0].version = 20
        mended.graph.node[at].CopyFrom(restore)

    return repair


@fault(
    "dangling-input",
    MISSING,
    "checker",
    story="A node was removed and its reader was forgotten: the reader reads a name that no node writes any more.",
    fix="Let the reader read what the removed node read.",
    families=WITH_BRANCHES,
)
def dangling_input(model: ModelProto, rng: np.random.Generator) -> Edit:
    given = {name for node in model.graph.node for name in node.output}
    places = [
        (at, position)
        for at, node in enumerate(model.graph.node)
        for position, name in enumerate(node.input)
        if name in given
    ]
    at, position = places[rng.integers(len(places))]
    right = model.graph.node[at].input[position]
    [model.graph.node[at].input[position]] = fresh(model, rng, right)

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at].input[position] = right

    return repair


@fault(
    "dangling-in-branch",
    MISSING,
    "checker",
    story="A branch of an If reads a name of the graph around it, and an optimizer that does not look into branches removed that name.",
    fix="Let the branch read a name that the outer graph gives.",
    families=(healthy.branches,),
)
def dangling_in_branch(model: ModelProto, rng: np.random.Generator) -> Edit:
    which = int(rng.integers(2))
    right = _branch(model, which).node[0].input[0]
    [_branch(model, which).node[0].input[0]] = fresh(model, rng, right)

    def repair(mended: ModelProto) -> None:
        _branch(mended, which).node[0].input[0] = right

    return repair


@fault(
    "output-without-giver",
    MISSING,
    "checker",
    story="The graph declares an output that no node writes: the output of the last node was renamed, and the declaration was not.",
    fix="Let the last node give the promised name.",
    families=WITH_BRANCHES,
)
def output_without_giver(model: ModelProto, rng: np.random.Generator) -> Edit:
    right = model.graph.node[-1].output[0]
    [model.graph.node[-1].output[0]] = fresh(model, rng, right)

    def repair(mended: ModelProto) -> None:
        mended.graph.node[-1].output[0] = right

    return repair


@fault(
    "unsorted",
    UNSORTED,
    "checker",
    story="A tool appended a node at the end of the list, behind the nodes that read it. "
    "ONNX Runtime sorts the nodes itself and runs the model.",
    fix="Sort the nodes.",
    families=WITH_BRANCHES,
)
def unsorted(model: ModelProto, rng: np.random.Generator) -> Edit:
    return _move_last(lambda any_model: any_model.graph, model, rng)


@fault(
    "unsorted-branch",
    UNSORTED,
    "checker",
    story="The order is wrong inside a branch of an If: a tool sorted the main graph and not its branches.",
    fix="Sort the branch's nodes too.",
    families=(healthy.branches,),
)
def unsorted_branch(model: ModelProto, rng: np.random.Generator) -> Edit:
    which = int(rng.integers(2))
    return _move_last(lambda any_model: _branch(any_model, which), model, rng)


@fault(
    "two-givers",
    DUPLICATE,
    "checker",
    story="The graph was written like a program that assigns to a variable twice. In ONNX a name is written once: static single assignment.",
    fix="Give the second result a name of its own.",
)
def two_givers(model: ModelProto, rng: np.random.Generator) -> Edit:
    first, second = sorted(
        int(at) for at in rng.choice(len(model.graph.node) - 1, 2, replace=False)
    )
    return _give_again(model, second, model.graph.node[first].output[0])


@fault(
    "given-and-stored",
    DUPLICATE,
    "checker",
    story="A node writes a name that an initializer already has: two graphs were merged that use the same name.",
    fix="Rename the node's output, also in the nodes that read it.",
)
def given_and_stored(model: ModelProto, rng: np.random.Generator) -> Edit:
    at = int(rng.integers(len(model.graph.node) - 1))
    unread = {name for node in list(model.graph.node)[: at + 1] for name in node.input}
    stored = [tensor.name for tensor in model.graph.initializer]
    return _give_again(model, at, next((name for name in stored if name not in unread), stored[-1]))


@fault(
    "one-node-gives-twice",
    DUPLICATE,
    "checker",
    story="A Split writes both of its halves under one name, so the Concat after it cannot say which half it reads.",
    fix="Give the halves two names.",
    families=(healthy.tabular, healthy.tokens),
)
def one_node_gives_twice(model: ModelProto, rng: np.random.Generator) -> Edit:
    at = int(rng.choice(nodes_of(model.graph, *ACTIVATIONS)))
    name = model.graph.node[at].output[0]
    whole, one, other = fresh(model, rng, name, 3)
    model.graph.node[at].output[0] = whole
    split = helper.make_node("Split", [whole], [one, one], axis=-1, num_outputs=2)
    insert(model.graph, at + 1, [split, helper.make_node("Concat", [one, one], [name], axis=-1)])
    _forget_shapes(model)

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at + 1].output[1] = mended.graph.node[at + 2].input[1] = other

    return repair


@fault(
    "stored-twice",
    DUPLICATE,
    "checker",
    story="Two initializers share a name. ONNX Runtime takes one of them and does not say which.",
    fix="Remove the one that is not meant.",
)
def stored_twice(model: ModelProto, rng: np.random.Generator) -> Edit:
    original = model.graph.initializer[rng.integers(len(model.graph.initializer))]
    other = rng.normal(size=tuple(original.dims)).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(other, original.name))

    def repair(mended: ModelProto) -> None:
        del mended.graph.initializer[-1]

    return repair


@fault(
    "no-opset",
    VERSIONS,
    "checker",
    story="opset_import is empty, so no operator has a meaning.",
    fix="Write the opset that the model was made for.",
    families=WITH_BRANCHES,
)
def no_opset(model: ModelProto, _rng: np.random.Generator) -> Edit:
    version = model.opset_import[0].version
    del model.opset_import[:]
    return lambda mended: mended.opset_import.append(helper.make_opsetid("", version))


@fault(
    "no-default-opset",
    VERSIONS,
    "checker",
    story="opset_import names a domain, but not the default one, from which the operators come. ONNX Runtime guesses a version.",
    fix="Add the version of the default domain.",
    families=WITH_BRANCHES,
)
def no_default_opset(model: ModelProto, rng: np.random.Generator) -> Edit:
    version = model.opset_import[0].version
    model.opset_import[0].CopyFrom(helper.make_opsetid("ai.onnx.ml", int(rng.integers(3, 5))))
    return lambda mended: mended.opset_import.append(helper.make_opsetid("", version))


@fault(
    "domain-not-imported",
    VERSIONS,
    "checker",
    story="A node calls a function of the model's own domain, and opset_import does not name that domain.",
    fix="Import the domain.",
    families=(healthy.with_function,),
)
def domain_not_imported(model: ModelProto, _rng: np.random.Generator) -> Edit:
    del model.opset_import[0]
    return lambda mended: mended.opset_import.append(helper.make_opsetid("lab.ops", 1))


def _branch(model: ModelProto, which: int) -> GraphProto:
    [node] = [node for node in model.graph.node if node.op_type == "If"]
    return node.attribute[which].g


def _set_operator(model: ModelProto, at: int, operator: str) -> None:
    model.graph.node[at].op_type = operator


def _forget_shapes(model: ModelProto) -> None:
    del model.graph.value_info[:]


def _give_again(model: ModelProto, at: int, taken: str) -> Edit:
    """Let the node at `at` give the name `taken`, and those who read its output read that."""
    right = model.graph.node[at].output[0]
    places = list(readers(model.graph, right))
    for node, position in places:
        model.graph.node[node].input[position] = taken
    model.graph.node[at].output[0] = taken

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at].output[0] = right
        for node, position in places:
            mended.graph.node[node].input[position] = right

    return repair


def _move_last(
    graph_of: Callable[[ModelProto], GraphProto], model: ModelProto, rng: np.random.Generator
) -> Edit:
    """Put one node that is read by another behind all others."""
    graph = graph_of(model)
    at = int(rng.integers(len(graph.node) - 1))
    moved = graph.node.pop(at)
    graph.node.append(moved)

    def repair(mended: ModelProto) -> None:
        insert(graph_of(mended), at, [graph_of(mended).node.pop()])

    return repair
