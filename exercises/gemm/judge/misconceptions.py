"""What students get wrong in `gemm`, in the order in which it is asked."""

from __future__ import annotations

from autograder.findings import Misconception, Section, cause, misconception
from workbench import graphs

PAGE = "day-50/05-graph-surgery"
FUSING = Section(f"{PAGE}#fusing-a-pair")
REWIRING = Section(f"{PAGE}#rewiring")
GRAPH_OUTPUTS = Section(f"{PAGE}#graph-outputs")
SUBGRAPHS = Section(f"{PAGE}#subgraphs")
DEAD_ENDS = Section(f"{PAGE}#dead-ends")


class Mistakes:
    """Those that a rung recognises by itself."""

    two_outputs_of_one_name = GRAPH_OUTPUTS.cause("""A sum was renamed to a name that is an output
        already. Let the Gemm write what the Add wrote.""")
    more_constants = FUSING.cause("""A Gemm reads the weight and the bias that the pair read:
        nothing has to be copied, stretched or transposed.""")

    # Pairs that may not become a Gemm. `case_facts` finds what keeps a pair apart.
    rank = FUSING.mistake("""MatMul takes vectors, matrices and stacks of matrices. Gemm takes
        matrices only.""")
    unknown_rank = FUSING.cause("""The number of dimensions is unknown, so you cannot prove that it
        is two. Shape inference gives this value no shape.""")
    bias_rank = FUSING.mistake("""The sum then has three dimensions too, even if the first is 1; a
        Gemm's result has two.""")
    widens = FUSING.mistake("""Add stretches both of its inputs, Gemm only the bias. A product with
        one row or one column keeps it in a Gemm.""")
    unproven = FUSING.mistake("""Two names can be two different numbers, and one of them can be 1.
        Only the same name, the same number, or 1 is safe.""")
    as_declared = FUSING.mistake("""What is declared of the product may be another name. Its
        dimensions are the first of its first factor and the second of its second factor.""")
    unknown_size = FUSING.mistake("""A dimension without a number and without a name is equal to
        nothing, not even to another one like it: dim_value reads as 0 in both.""")
    shared = REWIRING.mistake("""The MatMul has to stay for its other readers, and the Gemm computes
        the product again. Count the readers inside subgraphs too.""")
    twice = FUSING.cause("""The bias is the product itself, so the MatMul has to stay and nothing is
        saved.""")
    output = GRAPH_OUTPUTS.cause("""A caller of the graph can ask for the product by its name, so
        the MatMul stays.""")
    integers = FUSING.mistake("""The operator's schema allows this type, but ONNX Runtime has no
        Gemm for it. Look at the element type.""")
    other_graph = SUBGRAPHS.mistake("""The product is computed before the If, and the Add is in a
        branch. Both nodes of a pair are in the same graph.""")

    # Other operators than expected.
    nodes_added = FUSING.mistake("""Nodes were added that no pair needs: a Gemm reads what the pair
        read and writes what the Add wrote.""")
    product_computed_twice = REWIRING.cause("""A Gemm computes its product itself. Remove the MatMul
        if only the Add reads it. If it has other readers, do not fuse the pair.""")
    more_than_pairs = DEAD_ENDS.mistake("""More than the pairs was removed or replaced. Each pair
        gives one Gemm; nothing else changes.""")

    # What it computes, and what is left to tidy.
    batch_taken_for_granted = FUSING.cause("""A shape that the argument leaves open was taken for
        granted. What holds for one batch need not hold for the next.""")
    new_identity = FUSING.cause("The Gemm can write what the Add wrote.")
    matmul_left = DEAD_ENDS.mistake("No node reads the MatMul of a fused pair any more. Remove it.")
    weights_copied = DEAD_ENDS.cause("""A weight or bias was copied for the Gemm, and the old one
        stayed. The Gemm reads the same names as the pair.""")
    fuses_twice = FUSING.cause("""A model without a pair comes back as it is, and every pair is
        fused at the first call.""")


# For each obstacle: what the pair is, and why it may not become a Gemm.
OBSTACLES: dict[str, tuple[str, Misconception]] = {
    "rank": ("a pair whose factors do not both have two dimensions", Mistakes.rank),
    "unknown rank": ("a pair of whose shapes too little is known", Mistakes.unknown_rank),
    "bias rank": ("a pair whose bias has three dimensions", Mistakes.bias_rank),
    "widens": ("a pair whose bias makes the result larger than the product", Mistakes.widens),
    "unproven": (
        "a pair whose bias has a dimension of another name than the product's",
        Mistakes.unproven,
    ),
    "declared": (
        "a pair whose bias fits what is declared of the product, and not the factors",
        Mistakes.as_declared,
    ),
    "unknown size": (
        "a pair whose bias or product has a dimension of unknown size",
        Mistakes.unknown_size,
    ),
    "shared": ("a pair whose product something else reads", Mistakes.shared),
    "twice": ("an Add that reads its product twice", Mistakes.twice),
    "output": ("a pair whose product is an output of its graph", Mistakes.output),
    "type": ("a pair of integers", Mistakes.integers),
    "other graph": ("a pair whose MatMul and Add stand in different graphs", Mistakes.other_graph),
}


# A name that is read and that no node writes.


@misconception(f"{PAGE}#adding-a-node")
def at_the_matmul(view, loose):
    """The Gemm reads the bias, which may be computed between the MatMul and the Add. Put it where
    the Add stood.
    """
    return loose.at.later and f"{loose.reader} reads {loose.what}, which is written further down"


@misconception(GRAPH_OUTPUTS)
def outputs_forgotten(view, loose):
    """The product is an output of its graph. Then its MatMul stays, and the pair is not fused."""
    return loose.name in view.facts.all_products and loose.is_output


@misconception(REWIRING)
def readers_not_counted(view, loose):
    """The MatMul is gone, and other nodes than the Add read its product. Count all readers, in
    every subgraph, before you fuse.
    """
    return loose.name in view.facts.all_products


@cause(f"{PAGE}#replacing-a-node")
def sum_renamed(view, loose):
    """The Add is gone, and other nodes still read its sum. The Gemm writes the sum under the Add's
    own name.
    """
    return loose.name in view.facts.pairs


@cause(DEAD_ENDS)
def too_much_removed(view, loose):
    """Too much was removed: no node writes a value that is still read."""
    return True


UNWRITTEN = (at_the_matmul, outputs_forgotten, readers_not_counted, sum_renamed, too_much_removed)


# Pairs that were missed.


@misconception(FUSING)
def gemm_without_bias(missed):
    """A Gemm of two inputs is a MatMul by another name. The Gemm takes the bias as its third input,
    and the Add goes.
    """
    return missed.products_of_gemms and f"{missed.text}, and their products are written by a Gemm"


@misconception(FUSING)
def float32_only(missed):
    """ONNX Runtime has a Gemm for FLOAT16, FLOAT and DOUBLE. A pair of any of these types is fused."""
    stays = set(missed.results) <= missed.view.facts.not_single
    return stays and f"{missed.text}, of another type than FLOAT"


@misconception(FUSING)
def none_fused(missed):
    """Print the dimensions that the function sees. Initializers have none in value_info: theirs are
    tensor.dims. A dimension with a name has dim_value 0: its name is dim_param.
    """
    return missed.is_all and f"{missed.text}: none was fused"


@misconception(SUBGRAPHS)
def subgraphs_not_entered(missed):
    """graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its
    attributes: descend, and know there the dimensions of the outer graph's values.
    """
    return missed.is_nested and f"{missed.text}, in subgraphs only"


@misconception(FUSING)
def product_first_only(missed):
    """An Add may read its product first or second: x @ W + b and b + x @ W are the same pair."""
    return missed.is_second and f"{missed.text}, each with the product as the second input"


@cause(GRAPH_OUTPUTS)
def sums_at_outputs_passed_over(missed):
    """The product must not be an output. The sum may: the Gemm writes it under the same name."""
    outputs = {value.name for value in missed.view.before.graph.output}
    return set(missed.results) <= outputs and f"{missed.text}, each writing a graph output"


@misconception(FUSING)
def numbers_only(missed):
    """A dimension may have a name: then dim_value is 0 and dim_param holds it. A batch of any size
    is no obstacle.
    """
    facts = missed.view.facts
    return (
        set(missed.results) == facts.named.intersection(facts.legal)
        and f"{missed.text}, each with a named dimension"
    )


@misconception(FUSING)
def stricter_than_needed(missed):
    """The rule that is applied is stricter than the conditions. Weights and biases may be
    initializers, Constants, inputs or computed, a dimension may be a name, a bias may have
    dimensions of 1, and either factor may be the constant one.
    """
    return True


MISSED = (
    *(
        gemm_without_bias,
        float32_only,
        none_fused,
        subgraphs_not_entered,
        product_first_only,
        sums_at_outputs_passed_over,
        numbers_only,
    ),
    stricter_than_needed,
)


@cause(FUSING)
def factors_exchanged(view, level, difference):
    """Gemm(A, B, C) is A @ B + C: the factors in the order of the MatMul, then the bias, and the
    attributes alpha, beta, transA and transB at their defaults.
    """
    return True


def wrongly_fused(view) -> str | None:
    """The obstacle of the first pair that must stay and that a Gemm has replaced."""
    gemms = {
        name
        for node in graphs.nodes(view.after)
        if node.op_type == "Gemm" and not graphs.domain(node.domain)
        for name in node.output
    }
    return next(
        (obstacle for result, obstacle in view.facts.pairs.items() if obstacle and result in gemms),
        None,
    )
