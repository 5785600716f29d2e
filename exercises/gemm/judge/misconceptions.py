"""What students get wrong in `gemm`, in the order in which it is asked."""

from __future__ import annotations

from autograder.findings import Misconception, cause, misconception
from workbench import graphs

PAGE = "day-50/05-graph-surgery"
FUSING = f"{PAGE}#fusing-a-pair"


# Pairs that may not become a Gemm. `case_facts` finds what keeps a pair apart.


@misconception(FUSING)
def rank():
    """MatMul takes vectors, matrices and stacks of matrices. Gemm takes matrices only."""


@cause(FUSING)
def unknown_rank():
    """The number of dimensions is unknown, so you cannot prove that it is two. Shape inference
    gives this value no shape.
    """


@misconception(FUSING)
def bias_rank():
    """The sum then has three dimensions too, even if the first is 1; a Gemm's result has two."""


@misconception(FUSING)
def widens():
    """Add stretches both of its inputs, Gemm only the bias. A product with one row or one column
    keeps it in a Gemm.
    """


@misconception(FUSING)
def unproven():
    """Two names can be two different numbers, and one of them can be 1. Only the same name, the
    same number, or 1 is safe.
    """


@misconception(f"{PAGE}#rewiring")
def shared():
    """The MatMul has to stay for its other readers, and the Gemm computes the product again. Count
    the readers inside subgraphs too.
    """


@cause(FUSING)
def twice():
    """The bias is the product itself, so the MatMul has to stay and nothing is saved."""


@cause(f"{PAGE}#graph-outputs")
def output():
    """A caller of the graph can ask for the product by its name, so the MatMul stays."""


@misconception(FUSING)
def integers():
    """The operator's schema allows this type, but ONNX Runtime has no Gemm for it. Look at the
    element type.
    """


@misconception(f"{PAGE}#subgraphs")
def other_graph():
    """The product is computed before the If, and the Add is in a branch. Both nodes of a pair are
    in the same graph.
    """


# For each obstacle: what the pair is, and why it may not become a Gemm.
OBSTACLES: dict[str, tuple[str, Misconception]] = {
    "rank": ("a pair whose factors do not both have two dimensions", rank),
    "unknown rank": ("a pair of whose shapes too little is known", unknown_rank),
    "bias rank": ("a pair whose bias has three dimensions", bias_rank),
    "widens": ("a pair whose bias makes the result larger than the product", widens),
    "unproven": ("a pair whose bias has a dimension of another name than the product's", unproven),
    "shared": ("a pair whose product something else reads", shared),
    "twice": ("an Add that reads its product twice", twice),
    "output": ("a pair whose product is an output of its graph", output),
    "type": ("a pair of integers", integers),
    "other graph": ("a pair whose MatMul and Add stand in different graphs", other_graph),
}


# A name that is read and that no node writes.


@misconception(f"{PAGE}#adding-a-node")
def at_the_matmul(view, loose):
    """The Gemm reads the bias, which may be computed between the MatMul and the Add. Put it where
    the Add stood.
    """
    return loose.at.later and f"{loose.reader} reads {loose.what}, which is written further down"


@misconception(f"{PAGE}#graph-outputs")
def outputs_forgotten(view, loose):
    """The product is an output of its graph. Then its MatMul stays, and the pair is not fused."""
    return loose.name in view.facts.all_products and loose.is_output


@misconception(f"{PAGE}#rewiring")
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


@cause(f"{PAGE}#dead-ends")
def too_much_removed(view, loose):
    """Too much was removed: no node writes a value that is still read."""
    return True


UNWRITTEN = (at_the_matmul, outputs_forgotten, readers_not_counted, sum_renamed, too_much_removed)


@cause(f"{PAGE}#graph-outputs")
def two_outputs_of_one_name():
    """A sum was renamed to a name that is an output already. Let the Gemm write what the Add wrote."""


@cause(FUSING)
def more_constants():
    """A Gemm reads the weight and the bias that the pair read: nothing has to be copied, stretched
    or transposed.
    """


# Pairs that were missed.


@misconception(FUSING)
def gemm_without_bias(missed):
    """A Gemm of two inputs is a MatMul by another name. The Gemm takes the bias as its third input,
    and the Add goes.
    """
    return missed.products_of_gemms and f"{missed.text}, and their products are written by a Gemm"


@misconception(FUSING)
def none_fused(missed):
    """Print the dimensions that the function sees. Initializers have none in value_info: theirs are
    tensor.dims. A dimension with a name has dim_value 0: its name is dim_param.
    """
    return missed.is_all and f"{missed.text}: none was fused"


@misconception(f"{PAGE}#subgraphs")
def subgraphs_not_entered(missed):
    """graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its
    attributes: descend.
    """
    return missed.is_nested and f"{missed.text}, in subgraphs only"


@misconception(FUSING)
def product_first_only(missed):
    """An Add may read its product first or second: x @ W + b and b + x @ W are the same pair."""
    return missed.is_second and f"{missed.text}, each with the product as the second input"


@cause(f"{PAGE}#graph-outputs")
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
        none_fused,
        subgraphs_not_entered,
        product_first_only,
        sums_at_outputs_passed_over,
        numbers_only,
    ),
    stricter_than_needed,
)


# Other operators than expected.


@misconception(FUSING)
def nodes_added():
    """Nodes were added that no pair needs: a Gemm reads what the pair read and writes what the Add
    wrote.
    """


@cause(f"{PAGE}#rewiring")
def product_computed_twice():
    """A Gemm computes its product itself. Remove the MatMul if only the Add reads it. If it has
    other readers, do not fuse the pair.
    """


@misconception(f"{PAGE}#dead-ends")
def more_than_pairs():
    """More than the pairs was removed or replaced. Each pair gives one Gemm; nothing else changes."""


# What it computes, and what is left to tidy.


@cause(FUSING)
def batch_taken_for_granted():
    """A shape that the argument leaves open was taken for granted. What holds for one batch need
    not hold for the next.
    """


@cause(FUSING)
def factors_exchanged(view, level, difference):
    """Gemm(A, B, C) is A @ B + C: the factors in the order of the MatMul, then the bias, and the
    attributes alpha, beta, transA and transB at their defaults.
    """
    return True


@cause(FUSING)
def new_identity():
    """The Gemm can write what the Add wrote."""


@misconception(f"{PAGE}#dead-ends")
def matmul_left():
    """No node reads the MatMul of a fused pair any more. Remove it."""


@cause(f"{PAGE}#dead-ends")
def weights_copied():
    """A weight or bias was copied for the Gemm, and the old one stayed. The Gemm reads the same
    names as the pair.
    """


@cause(FUSING)
def fuses_twice():
    """A model without a pair comes back as it is, and every pair is fused at the first call."""


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
