"""Findings of `gemm`: what a broken rung looks like, and the mistake that most often stands behind it."""

from __future__ import annotations

from collections import Counter

from onnx import ModelProto

from autograder.contract import Case, Finding
from exercises.gemm.judge.case_facts import Subject, is_default
from exercises.shared.judge.surgery import listed, name_of
from workbench import graphs
from workbench.graphs import Unwritten
from workbench.loading import Unloadable
from workbench.numerics import Difference

PAGE = "day-50/05-graph-surgery"
FUSING = f"{PAGE}#fusing-a-pair"
# For each obstacle: what the pair is, why it may not become a Gemm, and the section that says so.
OBSTACLES = {
    "rank": ("a pair whose factors do not both have two dimensions", "MatMul takes stacks of matrices and vectors, Gemm only matrices."),
    "unknown rank": (
        "a pair of whose shapes too little is known",
        "Not known is not two. If shape inference gives a value no shape, nothing is proved about it.",
    ),
    "bias rank": (
        "a pair whose bias has three dimensions",
        "The sum then has three dimensions too, even if the first is 1; a Gemm's result has two.",
    ),
    "widens": (
        "a pair whose bias makes the result larger than the product",
        "Add stretches both of its inputs, Gemm only the bias. A product with one row or one column keeps it in a Gemm.",
    ),
    "unproven": (
        "a pair whose bias has a dimension of another name than the product's",
        "Two names may stand for two numbers, and one of them may be 1. Only the same name, the same number, or 1 is safe.",
    ),
    "shared": (
        "a pair whose product something else reads",
        "The MatMul has to stay for its other readers, and the Gemm computes the product again. Count the readers inside subgraphs too.",
    ),
    "twice": (
        "an Add that reads its product twice",
        "The bias is the product itself, so the MatMul has to stay and nothing is saved.",
    ),
    "output": ("a pair whose product is an output of its graph", "Whoever runs the graph asks for the product by name: the MatMul stays."),
    "type": ("a pair of integers", "The operator's schema allows them, ONNX Runtime has no such Gemm. Look at the element type."),
    "other graph": (
        "a pair whose MatMul and Add stand in different graphs",
        "The product is computed before the If; the Add is in a branch. A pair stands in one graph.",
    ),
}
NONE_FUSED = (
    "Print the dimensions that the function sees. Initializers have none in value_info: theirs are tensor.dims. A dimension with a name "
    "has dim_value 0: its name is dim_param."
)
ANCHORS = {"shared": "rewiring", "output": "graph-outputs", "other graph": "subgraphs"}


def _read(obstacle: str) -> str:
    return f"{PAGE}#{ANCHORS.get(obstacle, 'fusing-a-pair')}"


def wrongly_fused(subject: Subject, model: ModelProto) -> str | None:
    """The obstacle of the first pair that must stay and that a Gemm has replaced."""
    gemms = {name for node in graphs.nodes(model) if is_default(node, "Gemm") for name in node.output}
    return next((obstacle for result, obstacle in subject.pairs.items() if obstacle and result in gemms), None)


def fused_too_much(obstacle: str) -> Finding:
    what, cause = OBSTACLES[obstacle]
    return Finding("only pairs that may be fused are fused", f"{what} has become a Gemm", cause, _read(obstacle))


def refused(case: Case, subject: Subject, model: ModelProto, problem: Unloadable) -> Finding | None:
    """A model that nobody loads because of a pair that may not be fused."""
    obstacle = wrongly_fused(subject, model)
    if obstacle is None:
        return None
    what, cause = OBSTACLES[obstacle]
    text = f": {problem.found}" if case.public else ""
    return Finding(problem.expected, f"it refuses the model, where {what} has become a Gemm{text}", cause, _read(obstacle))


def unwritten(case: Case, subject: Subject, model: ModelProto, found: list[Unwritten]) -> Finding:
    """A name that is read where nobody writes it: a product that others read, a bias that is computed later, a sum that was renamed."""
    first = found[0]
    expected = "every name that is read is written before, by a node, an initializer or a graph input"
    reader = "an output of the graph" if first.node is None else f"a node ({first.node.op_type})"
    what = f"the name {name_of(first.name)}" if case.public else "a name"
    text = f"{reader} needs {what}, which nothing writes"
    products = {product for products in subject.products.values() for product in products}
    if first.later:
        text = f"{reader} reads {what}, which is written further down"
        cause = "The Gemm reads the bias, which may be computed between the MatMul and the Add. Put it where the Add stood."
        return Finding(expected, text, cause, f"{PAGE}#adding-a-node")
    if first.name in products and first.node is None:
        cause = "The product is an output of its graph. Then its MatMul stays, and the pair is not fused."
        return Finding(expected, text, cause, f"{PAGE}#graph-outputs")
    if first.name in products:
        where = "subgraphs" if first.depth else "rewiring"
        cause = "The MatMul is gone, and not only the Add read its product. Count all readers, in every subgraph, before you fuse."
        return Finding(expected, text, cause, f"{PAGE}#{where}")
    if first.name in subject.pairs:
        cause = "The Add is gone, and who read its sum still does. The Gemm writes the sum under the Add's own name."
        return Finding(expected, text, cause, f"{PAGE}#replacing-a-node")
    cause = "Too much was removed: something that is still read lost its writer."
    return Finding(expected, text, cause, f"{PAGE}#dead-ends")


def output_twice() -> Finding:
    cause = "A sum was renamed to a name that is an output already. Let the Gemm write what the Add wrote."
    return Finding("graph outputs of different names", "two graph outputs of the same name", cause, f"{PAGE}#graph-outputs")


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
        "A Gemm reads the weight and the bias that the pair read: nothing has to be copied, stretched or transposed.",
        FUSING,
    )


def wrong_nodes(subject: Subject, model: ModelProto, live: Counter[str]) -> Finding:
    """Other operators than expected: pairs that were missed, a MatMul that stayed, nodes that came or went besides."""
    count = len(subject.legal)
    expected = f"{count} {'pair' if count == 1 else 'pairs'} fused, and every other node as it was"
    adds = {name for node in graphs.nodes(model) if is_default(node, "Add") for name in node.output}
    missed = [result for result in subject.legal if result in adds]
    if missed:
        return _missed(subject, model, expected, missed)
    missing, new = subject.expected - live, live - subject.expected
    if new.keys() - {"MatMul", "Gemm"}:
        cause = "Nodes were added that no pair needs: a Gemm reads what the pair read and writes what the Add wrote."
        return Finding(expected, f"new: {listed(new)}", cause, FUSING)
    if set(new) == {"MatMul"} and not missing:
        cause = "A Gemm computes its product itself. One that only the Add read has to go; one with other readers stays, unfused."
        return Finding(expected, f"{new['MatMul']} MatMul more than there should be", cause, f"{PAGE}#rewiring")
    cause = "More than the pairs was removed or replaced. Each pair gives one Gemm; nothing else changes."
    return Finding(expected, f"missing: {listed(missing)}, new: {listed(new) or 'nothing'}", cause, f"{PAGE}#dead-ends")


def _missed(subject: Subject, model: ModelProto, expected: str, missed: list[str]) -> Finding:
    found = f"{len(missed)} of {len(subject.legal)} are still MatMul and Add"
    in_main = {name for node in model.graph.node for name in node.output}
    adds = {node.output[0]: node for node in graphs.nodes(subject.model) if is_default(node, "Add")}
    gemms = {name for node in graphs.nodes(model) if is_default(node, "Gemm") for name in node.output}
    products = {product for result in missed for product in subject.products[result]}
    if gemms & products:
        cause = "A Gemm of two inputs is a MatMul by another name. The Gemm takes the bias as its third input, and the Add goes."
        return Finding(expected, f"{found}, and their products are written by a Gemm", cause, FUSING)
    if len(missed) == len(subject.legal):
        return Finding(expected, f"{found}: none was fused", NONE_FUSED, FUSING)
    if in_main.isdisjoint(missed):
        cause = "graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its attributes: descend."
        return Finding(expected, f"{found}, in subgraphs only", cause, f"{PAGE}#subgraphs")
    second = {result for result in subject.legal if adds[result].input[0] not in subject.products[result]}
    stored = {tensor.name for graph, _ in graphs.walk(subject.model.graph) for tensor in graph.initializer}
    if second == set(missed) and all(adds[result].input[0] in stored for result in missed):
        cause = "An Add may read its product first or second: x @ W + b and b + x @ W are the same pair."
        return Finding(expected, f"{found}, each with the product as the second input", cause, FUSING)
    if all(result in {value.name for value in subject.model.graph.output} for result in missed):
        cause = "The product must not be an output. The sum may: the Gemm writes it under the same name."
        return Finding(expected, f"{found}, each writing a graph output", cause, f"{PAGE}#graph-outputs")
    if set(missed) == subject.named.intersection(subject.legal):
        cause = "A dimension may have a name: then dim_value is 0 and dim_param holds it. A batch of any size is no obstacle."
        return Finding(expected, f"{found}, each with a named dimension", cause, FUSING)
    cause = (
        "The rule that is applied is stricter than the conditions. Weights and biases may be initializers, Constants, inputs or computed, "
        "a dimension may be a name, a bias may have dimensions of 1, and either factor may be the constant one."
    )
    return Finding(expected, found, cause, FUSING)


def does_not_run(case: Case, message: str) -> Finding:
    return Finding(
        "the model runs on inputs of the shapes and names that the argument takes",
        message if case.public else "it loads, and fails when it runs",
        "A shape that the argument leaves open was taken for granted. What holds for one batch need not hold for the next.",
        FUSING,
    )


def random() -> Finding:
    return Finding(
        "the same outputs for the same inputs at ORT_DISABLE_ALL",
        "two runs on the same inputs differ",
        "Nothing in these models is random, so something that is was put in.",
        f"{PAGE}#proving-equivalence",
    )


def differs(case: Case, level: str, difference: Difference) -> Finding:
    expected = difference.expected if difference.kind == "value" else f"{difference.kind}: {difference.expected}"
    where = f" in output {name_of(difference.output)}" if case.public and difference.output else ""
    cause = (
        "Gemm(A, B, C) is A @ B + C: the factors in the order of the MatMul, then the bias, and the attributes alpha, beta, transA and "
        "transB at their defaults."
    )
    return Finding(f"the outputs of the argument: {expected}", f"{difference.found}{where}, at {level}", cause, FUSING)


def stand_ins(count: int) -> Finding:
    found = f"{count} new Identity {'node' if count == 1 else 'nodes'}"
    return Finding("no new Identity: the Gemm writes the sum's name", found, "The Gemm can write what the Add wrote.", FUSING)


def dead_nodes(constants: int, dead: Counter[str]) -> Finding:
    cause = "The MatMul of a fused pair has no reader any more, and stays in the file until somebody removes it."
    return Finding(
        "no node that serves no output", f"unused: {listed(dead + Counter({'Constant': constants}))}", cause, f"{PAGE}#dead-ends"
    )


def unused_initializers(case: Case, names: tuple[str, ...]) -> Finding:
    found = f"unused: {', '.join(map(name_of, names[:4]))}" if case.public else f"{len(names)} unused"
    cause = "A weight or bias was copied for the Gemm, and the old one stayed. The Gemm reads the same names as the pair."
    return Finding("no initializer that nothing reads", found, cause, f"{PAGE}#dead-ends")


def not_idempotent(again: str) -> Finding:
    found = "the second call raises" if again == "raised" else "the second call changes the nodes again"
    cause = "A model without a pair comes back as it is, and every pair is fused at the first call."
    return Finding("a second call finds nothing to do and changes nothing", found, cause, FUSING)
