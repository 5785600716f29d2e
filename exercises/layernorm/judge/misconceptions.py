"""Findings of `layernorm`: what a broken rung looks like, and the mistake that most often stands behind it."""

from __future__ import annotations

from collections import Counter

from onnx import ModelProto

from autograder.contract import Case, Finding
from exercises.layernorm.judge.case_facts import Place, Subject
from exercises.shared.judge.surgery import listed, name_of
from workbench import graphs
from workbench.graphs import Unwritten
from workbench.numerics import Difference

PAGE = "day-50/05-graph-surgery"
HERE = f"{PAGE}#removing-layernorm"


def unwritten(case: Case, subject: Subject, model: ModelProto, found: list[Unwritten]) -> Finding:
    """A name that is read where nobody writes it; statistics, outputs and captured values have causes of their own."""
    first = found[0]
    expected = "every name that is read is written before, by a node, an initializer or a graph input"
    reader = "an output of the graph" if first.node is None else f"a node ({first.node.op_type})"
    what = f"the name {name_of(first.name)}" if case.public else "a name"
    text = f"{reader} needs {what}, which nothing writes"
    anchor = "rewiring"
    if first.later:
        text = f"{reader} reads {what}, which is written further down"
        cause = "The nodes are out of order: a value's writer stands before its readers."
        anchor = "what-a-graph-is"
    elif first.name in subject.statistics:
        text = f"Mean or InvStdDev of a removed LayerNormalization is still read, by {reader}"
        cause = "The node has up to three outputs. While one of the other two is read, the node stays, and nobody reads its first."
        anchor = "dead-ends"
    elif first.name in subject.sources and first.node is None:
        cause = "The output was written by a LayerNorm. Its name has to be kept: let the writer take it, or put an Identity there."
        anchor = "graph-outputs" if first.depth == 0 else "subgraphs"
    elif first.name in subject.sources and first.depth:
        cause = "A subgraph reads values of the graph around it. Its nodes have to be rewired too when a LayerNorm outside goes."
        anchor = "subgraphs"
    elif first.name in subject.sources:
        cause = "The LayerNorm is gone, and its readers still ask for its result. Let every reader read the LayerNorm's input instead."
    elif first.name in subject.sources.values() and first.node is None and first.depth:
        cause = "A graph inside a node writes its outputs itself: where a LayerNorm wrote one, an Identity brings the outer value in."
        anchor = "subgraphs"
    elif first.name in subject.sources.values():
        cause = "What the LayerNorm read has lost its writer, and others read it too. Change what the readers read, not the producer."
    else:
        cause = "An inner value of a LayerNorm has readers outside, or too much was removed. What somebody else reads stays."
        anchor = "dead-ends"
    return Finding(expected, text, cause, f"{PAGE}#{anchor}")


def output_twice() -> Finding:
    cause = "The result was a graph output, and took the name of the LayerNorm's input, which is one already. Keep both names."
    return Finding("graph outputs of different names", "two graph outputs of the same name", cause, f"{PAGE}#graph-outputs")


def constant_output() -> Finding:
    return Finding(
        "every output depends on the graph's inputs",
        "an output that depends on no input",
        "The outputs of one run are stored in the model as constants. Another input needs another output.",
        f"{PAGE}#proving-equivalence",
    )


def more_constants() -> Finding:
    cause = "Nothing has to be stored to take a node out. A neutral scale of ones is a LayerNorm still."
    return Finding("no more numbers in initializers and Constants than before", "the constants have grown", cause, HERE)


def left_over(subject: Subject, left: tuple[Place, ...]) -> Finding:
    """LayerNorms that are still there: which ones they are tells how they were missed."""
    expected = "no LayerNorm whose result is read, fused or spelt out, in any graph of the model"
    found = f"{len(left)} of {len(subject.norms)} LayerNorms are left"
    if len(left) == len(subject.norms):
        if left[0].fused:
            return Finding(expected, f"{found}: nothing was removed", "The model comes back as it went in.", HERE)
        form = "an attribute" if graphs.opset(subject.model) < 18 else "an input"
        cause = f"Mean, Sub, square, mean, Add, Sqrt and Div are the LayerNorm here, and the axes of ReduceMean are {form} in this opset."
        if all(place.axes > 1 for place in left):
            cause = "Both means go over the last two axes here: a LayerNorm may normalise more than the last one."
        return Finding(expected, f"{found}: nothing was removed, and all are spelt out", cause, HERE)
    if all(place.nested for place in left):
        cause = "graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its attributes: descend."
        return Finding(expected, f"{found}, in subgraphs only", cause, f"{PAGE}#subgraphs")
    if all(place.is_output for place in left):
        cause = "Where a LayerNorm writes an output, no node reads its result. Its name stays, and something else has to write it."
        return Finding(expected, f"{found}, at graph outputs", cause, f"{PAGE}#graph-outputs")
    squares = {place.square for place in left}
    if (
        len(left) > 1
        and len(squares) == 1
        and {place for place in subject.norms if place.square in squares} == set(left)
        and not left[0].fused
    ):
        cause = f"The square of the centred value is written as {left[0].square} here. Some exporters write Pow(d, 2), others Mul(d, d)."
        return Finding(expected, f"{found}, each with a {left[0].square} as its square", cause, HERE)
    if not any(place.fused for place in left):
        cause = (
            "They are spelt out otherwise than those that were found: inputs of Mul and Add change places, the axes are written "
            "as -1 or from the front, and there may be more than one."
        )
        return Finding(expected, f"{found}, all spelt out", cause, HERE)
    cause = "Some nodes are passed over: those without a bias, with statistics in use, or with another axis attribute than the first one."
    return Finding(expected, found, cause, HERE)


def missing(lost: Counter[str]) -> Finding:
    """Operators that should have stayed."""
    expected = "every node besides the LayerNorms is still there and serves an output"
    if {"Div", "ReduceMean", "Sqrt"} <= lost.keys():
        cause = (
            "Something that only looks like a LayerNorm was taken for one. x - mean(x) above, the root of the variance of the same "
            "x below, both over the last axes: an RMSNorm, an InstanceNorm and the mean of another value are none."
        )
        return Finding(expected, f"missing: {listed(lost)}", cause, HERE)
    if lost.keys() & {"Sub", "ReduceMean", "LayerNormalization"}:
        cause = "An inner value of a LayerNorm is read from outside: what computes it stays, though the LayerNorm goes."
        return Finding(expected, f"missing: {listed(lost)}", cause, f"{PAGE}#dead-ends")
    if lost.keys() & {"Mul", "Add"}:
        cause = "A Mul or Add behind a LayerNorm is its scale or bias only if the other input is a constant of one number per column."
        return Finding(expected, f"missing: {listed(lost)}", cause, HERE)
    cause = "More than the LayerNorms was removed: a condition that matches other nodes too, or a clean-up after a link was cut."
    return Finding(expected, f"missing: {listed(lost)}", cause, f"{PAGE}#dead-ends")


def still_there(new: Counter[str]) -> Finding:
    """More nodes than should have stayed, all of kinds that a LayerNorm is made of."""
    expected = "what remains of a LayerNorm is what somebody else reads"
    if new.keys() <= {"Mul", "Add"}:
        cause = "Scale and bias belong to the LayerNorm. Who reads its result reads what comes before the mean, not the Div."
        return Finding(expected, f"left: {listed(new)}", cause, HERE)
    cause = "A part of the LayerNorm still computes something that is read: the readers of its result read its input, not an inner value."
    return Finding(expected, f"left: {listed(new)}", cause, HERE)


def new_operators(new: Counter[str]) -> Finding:
    return Finding(
        "no new operators, but an Identity for a graph output",
        f"new: {listed(new)}",
        "An optimizer, or another model, wrote nodes of its own into the graph. LayerNorms only have to go.",
        HERE,
    )


def does_not_run(case: Case, message: str) -> Finding:
    return Finding(
        "the model runs on inputs of the shapes and names that the argument takes",
        message if case.public else "it loads, and fails when it runs",
        "A name, a type or a size was fixed that the argument leaves open.",
        f"{PAGE}#proving-equivalence",
    )


def random() -> Finding:
    return Finding(
        "the same outputs for the same inputs at ORT_DISABLE_ALL",
        "two runs on the same inputs differ",
        "Nothing in these models is random, so something that is was put in.",
        f"{PAGE}#proving-equivalence",
    )


def differs(case: Case, subject: Subject, level: str, difference: Difference) -> Finding:
    expected = difference.expected if difference.kind == "value" else f"{difference.kind}: {difference.expected}"
    where = f" in output {name_of(difference.output)}" if case.public and difference.output else ""
    if subject.statistics:
        cause = "Mean and InvStdDev are those of the LayerNorm's own input. A reader of one of them now reads something else."
    else:
        cause = (
            "A reader now reads another value than the LayerNorm's input: in a series that is the first one's, in a branch that of the "
            "same branch. The outputs of the original model are no guide: they have to change."
        )
    return Finding(
        f"the outputs of the same model with Identity in place of each LayerNorm: {expected}",
        f"{difference.found}{where}, at {level}",
        cause,
        HERE,
    )


def stand_ins(count: int) -> Finding:
    found = f"{count} Identity {'node stands' if count == 1 else 'nodes stand'} where a LayerNorm stood"
    cause = "The operator was swapped instead of removed. Let the readers read the LayerNorm's input, and the node is not needed."
    return Finding("an Identity only where it writes an output of its graph", found, cause, f"{PAGE}#rewiring")


def unused_initializers(case: Case, names: tuple[str, ...]) -> Finding:
    found = f"unused: {', '.join(map(name_of, names[:4]))}" if case.public else f"{len(names)} unused"
    cause = "Scale, bias, epsilon and axes stay behind when their LayerNorm goes. Remove what nothing reads any more."
    return Finding("no initializer that nothing reads", found, cause, f"{PAGE}#dead-ends")


def dead_nodes(constants: int, dead: Counter[str]) -> Finding:
    text = f"unused: {listed(dead + Counter({'Constant': constants}))}"
    cause = "The nodes of a LayerNorm have no readers left once its readers are rewired. Remove them, until nothing more is unread."
    return Finding("no node that serves no output", text, cause, f"{PAGE}#dead-ends")


def not_idempotent(again: str) -> Finding:
    found = "the second call raises" if again == "raised" else "the second call changes the nodes again"
    cause = "A model without a LayerNorm comes back as it is."
    return Finding("a second call finds nothing to do and changes nothing", found, cause, HERE)
