"""Findings of `dropout`: what a broken rung looks like, and the mistake that most often stands behind it.

A hidden case's finding names no value of the model: what a student's code writes into a name could carry the hidden input out.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from onnx import ModelProto, NodeProto
from onnx.numpy_helper import to_array

from autograder.contract import Case, Finding
from exercises.dropout.judge.case_facts import Subject
from exercises.shared.judge.surgery import listed, name_of
from workbench import graphs
from workbench.graphs import Unwritten
from workbench.numerics import Difference

PAGE = "day-50/05-graph-surgery"


def unwritten(case: Case, subject: Subject, model: ModelProto, found: list[Unwritten]) -> Finding:
    """A name that is read where nobody writes it; the mask, the captured and the renamed ones have causes of their own."""
    first = found[0]
    expected = "every name that is read is written before, by a node, an initializer or a graph input"
    reader = "an output of the graph" if first.node is None else f"a node ({first.node.op_type})"
    what = f"the name {name_of(first.name)}" if case.public else "a name"
    text = f"{reader} needs {what}, which nothing writes"
    anchor = "rewiring"
    written = {name for node in graphs.nodes(model) for name in node.output}
    kept = sum(node.op_type not in ("Constant", "Dropout") for node in graphs.nodes(model))
    gone = subject.remaining.total() - kept
    if first.later:
        text = f"{reader} reads {what}, which is written further down"
        cause = "The nodes are out of order. A list of nodes has to be sorted: a value's writer stands before its readers."
        anchor = "what-a-graph-is"
    elif first.name in subject.masks:
        text = f"the mask of a removed Dropout is still used, by {reader}"
        cause = "A Dropout has a second output, the mask. Where something uses it, nodes that make an all-True tensor must write it."
        anchor = "masks"
    elif first.name in subject.sources and first.name in subject.sources.values():
        cause = "One Dropout reads another's output. Follow a series to its start: what the first one reads is what all their readers get."
    elif first.name in subject.sources and 2 * gone >= subject.remaining.total():
        text = f"{text}; {gone} nodes besides the Dropouts are gone"
        cause = (
            "The Dropout's output lost its writer, and what nobody reads any more was cleaned away with everything before it. In "
            "onnx-graphsurgeon a tensor's `outputs` are the nodes that read it: assigning tensors to it does not connect anything."
        )
        anchor = "a-snippet-that-destroys"
    elif first.name in subject.sources and first.node is None:
        cause = "The output was written by a Dropout. Its name has to be kept: let the writer take that name, or put an Identity there."
        anchor = "graph-outputs" if first.depth == 0 else "subgraphs"
    elif first.name in subject.sources and first.depth:
        cause = "A subgraph reads values of the graph around it. Its nodes have to be rewired too when a Dropout outside goes."
        anchor = "subgraphs"
    elif first.name in subject.sources:
        cause = "The Dropout is gone, and its readers still ask for its output. Let every reader read the Dropout's input instead."
    elif first.name in subject.sources.values() and written & subject.sources.keys():
        cause = (
            "The writer of the Dropout's input was made to write the Dropout's output, and others read that input too. Change what the "
            "Dropout's readers read, not what its producer writes."
        )
    else:
        cause = "Too much was removed: something that is still read lost its writer."
    return Finding(expected, text, cause, f"{PAGE}#{anchor}")


def same_output_twice() -> Finding:
    return Finding(
        "graph outputs of different names",
        "two graph outputs of the same name",
        "The Dropout's output was a graph output, and took the name of the Dropout's input, which is one already. Keep both names.",
        f"{PAGE}#graph-outputs",
    )


def constant_output() -> Finding:
    return Finding(
        "every output depends on the graph's inputs",
        "an output that depends on no input",
        "The outputs of one run are stored in the model as constants. Another input needs another output.",
        f"{PAGE}#proving-equivalence",
    )


def more_constants() -> Finding:
    return Finding(
        "no more numbers in initializers and Constants than before",
        "the constants have grown",
        "Something that is computed from the inputs is stored instead. An all-True mask needs one number: its shape comes from the input.",
        f"{PAGE}#masks",
    )


def left_over(subject: Subject, model: ModelProto, left: list[NodeProto]) -> Finding:
    """Dropouts that are still there: which ones they are tells how they were missed."""
    expected = "no Dropout in any graph of the model"
    found = f"{len(left)} of {subject.dropouts} Dropouts are left"
    inside = {id(node) for node in model.graph.node}
    in_main = [node for node in left if id(node) in inside]
    names = {node.output[0] for node in left if node.output}
    special = subject.outputs | {
        name for node in left if len(node.output) > 1 and node.output[1] in subject.masks for name in node.output[:1]
    }
    if any(node.op_type == "Dropout" for function in model.functions for node in function.node):
        return Finding(expected, f"{found}, in a function", "A function's nodes are nodes of the model too.", f"{PAGE}#subgraphs")
    if not in_main:
        cause = (
            "graph.node lists the nodes of one graph. The branches of an If and the body of a Loop are graphs in its attributes: descend."
        )
        return Finding(expected, f"{found}, in subgraphs only", cause, f"{PAGE}#subgraphs")
    if len(left) == subject.dropouts:
        if _switched_off(subject, model, left):
            cause = (
                "Setting training_mode to False makes Dropouts idle, not absent. And an initializer belongs to all its readers: where "
                "the exporter shares it, the edit changes them too."
            )
            return Finding(expected, f"{found}, with another training_mode", cause, f"{PAGE}#shared-initializers")
        return Finding(expected, f"{found}: nothing was removed", "The model comes back as it went in.", f"{PAGE}#dropout")
    if names <= subject.neighbours:
        cause = "Removing from a list while a for loop goes over it skips the next element. Go over a copy: list(graph.node)."
        return Finding(expected, f"{found}, each right behind another one", cause, f"{PAGE}#rewiring")
    if names <= special:
        cause = "Those whose output is a graph output, or whose mask is used, are passed over: a general optimizer does that, to be safe."
        return Finding(expected, f"{found}, at graph outputs or with a mask in use", cause, f"{PAGE}#graph-outputs")
    cause = "Some Dropouts are passed over: those that look otherwise than the first one (other inputs, no name, another place)."
    return Finding(expected, found, cause, f"{PAGE}#dropout")


def _switched_off(subject: Subject, model: ModelProto, left: list[NodeProto]) -> bool:
    """Is a training_mode that was a constant another constant now, or another input of the Dropout?"""
    return bool(_edited(subject.model, model) & subject.training) or any(
        node.input[2:3] and node.input[2] not in subject.training for node in left
    )


def _edited(original: ModelProto, model: ModelProto) -> set[str]:
    """The names of initializers whose value changed."""
    before, now = ({tensor.name: tensor for tensor in which.graph.initializer} for which in (original, model))
    return {name for name in before.keys() & now.keys() if not np.array_equal(to_array(before[name]), to_array(now[name]))}


def missing(lost: Counter[str]) -> Finding:
    return Finding(
        "every node but the Dropouts is still there and serves an output",
        f"missing: {listed(lost)}",
        "More than the Dropouts was removed: a condition that matches other operators too, or a clean-up after a link was cut.",
        f"{PAGE}#dead-ends",
    )


def new_operators(new: Counter[str]) -> Finding:
    return Finding(
        "no new operators, but an Identity for a graph output and what makes a mask that is used",
        f"new: {listed(new)}",
        "An optimizer, or another model, wrote nodes of its own into the graph. Only Dropouts have to go.",
        f"{PAGE}#dropout",
    )


def does_not_run(case: Case, message: str) -> Finding:
    return Finding(
        "the model runs on inputs of the shapes and names that the argument takes",
        message if case.public else "it loads, and fails when it runs",
        "A name, a type or a size was fixed that the argument leaves open, or a loop was added that does not end.",
        f"{PAGE}#proving-equivalence",
    )


def random() -> Finding:
    return Finding(
        "the same outputs for the same inputs at ORT_DISABLE_ALL",
        "two runs on the same inputs differ",
        "A Dropout in training mode is still at work. Higher optimization levels hide it; this one runs the graph as it is written.",
        f"{PAGE}#dropout",
    )


def differs(case: Case, subject: Subject, model: ModelProto, level: str, difference: Difference) -> Finding:
    """Outputs that are not the reference's: by their form, then by what was changed on the way."""
    expected = difference.expected if difference.kind == "value" else f"{difference.kind}: {difference.expected}"
    where = f" in output {name_of(difference.output)}" if case.public and difference.output else ""
    found = f"{difference.found}{where}, at {level}"
    expected = f"the outputs of the same model with each Dropout passing its input on: {expected}"
    if difference.kind != "value":
        cause = "A Dropout's output has its input's shape and type, and its mask is Boolean. Something else stands in its place."
        return Finding(expected, found, cause, f"{PAGE}#masks" if subject.masks else f"{PAGE}#rewiring")
    if _edited(subject.model, model):
        cause = "An initializer has another value than before, and other nodes read it too. Edit the nodes, not what they share."
        return Finding(expected, found, cause, f"{PAGE}#shared-initializers")
    if subject.masks:
        cause = "At inference nothing is dropped, so the mask is True everywhere: neither False nor random, and not the Dropout's input."
        return Finding(expected, found, cause, f"{PAGE}#masks")
    if level == "ORT_ENABLE_ALL":
        cause = "The model is right as it is written and wrong once optimized: look for a value that is written twice."
        return Finding(expected, found, cause, f"{PAGE}#proving-equivalence")
    cause = (
        "A reader now reads another value than the Dropout's input. Follow a series of Dropouts to its start, and rename inside each "
        "subgraph on its own: two branches may use the same name for different values."
    )
    return Finding(expected, found, cause, f"{PAGE}#rewiring")


def stand_ins(count: int) -> Finding:
    return Finding(
        "an Identity only where it writes an output of its graph",
        f"{count} Identity {'node stands' if count == 1 else 'nodes stand'} where a Dropout stood",
        "The operator was swapped instead of removed. Let the readers read the Dropout's input, and the node is not needed.",
        f"{PAGE}#rewiring",
    )


def unused_initializers(case: Case, names: tuple[str, ...]) -> Finding:
    return Finding(
        "no initializer that nothing reads",
        f"unused: {', '.join(map(name_of, names[:4]))}" if case.public else f"{len(names)} unused",
        "Ratio and training_mode stay behind when their Dropouts go. Remove what nothing reads any more; shared ones still have readers.",
        f"{PAGE}#dead-ends",
    )


def dead_nodes(constants: int, dead: Counter[str]) -> Finding:
    return Finding(
        "no node that serves no output",
        f"unused: {listed(dead + Counter({'Constant': constants}))}",
        "A Constant, or what computes a ratio, served a Dropout alone. Look at what the removed nodes read, until nothing more is unread.",
        f"{PAGE}#dead-ends",
    )


def not_idempotent(again: str) -> Finding:
    return Finding(
        "a second call finds nothing to do and changes nothing",
        "the second call raises" if again == "raised" else "the second call changes the nodes again",
        "The function counts on there being a Dropout, or edits more than Dropouts. A model without one comes back as it is.",
        f"{PAGE}#dropout",
    )
