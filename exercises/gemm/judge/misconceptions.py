"""What students get wrong in `gemm`, in the order in which it is asked."""

from __future__ import annotations

from formatlab import graphs
from formatlab_exercises.shared.judge.models import edited_initializers
from nbjudge.findings import Causes, Misconception, Section

PAGE = "day-50/05-graph-surgery"
FUSING = Section(f"{PAGE}#fusing-a-pair")
REWIRING = Section(f"{PAGE}#rewiring")
GRAPH_OUTPUTS = Section(f"{PAGE}#graph-outputs")
SUBGRAPHS = Section(f"{PAGE}#subgraphs")
DEAD_ENDS = Section(f"{PAGE}#dead-ends")


class Mistakes:
    """Those that a rung recognises by itself."""

    two_outputs_of_one_name = GRAPH_OUTPUTS.cause("""You gave a sum the name of an output that
        the graph already has. Let the Gemm write what the Add wrote.""")
    more_constants = FUSING.cause("""A Gemm reads the weight and the bias that the pair read:
        nothing has to be copied, stretched or transposed.""")

    # Pairs that may not become a Gemm. `case_facts` finds what keeps a pair apart.
    rank = FUSING.mistake("""MatMul takes vectors, matrices and stacks of matrices. Gemm takes
        matrices only.""")
    factors = FUSING.mistake("""A stack of matrices times a vector has two dimensions too. Look at
        both factors, and not at the product.""")
    unknown_rank = FUSING.mistake("""Inference gives this value no shape, so you cannot prove how
        many dimensions it has. Its list of dimensions is empty, as a single number's is: ask
        HasField('shape').""")
    bias_rank = FUSING.mistake("""The sum then has three dimensions too, even if the first is 1; a
        Gemm's result has two.""")
    widens = FUSING.mistake("""Add stretches both of its inputs, Gemm only the bias. A product with
        one row or one column keeps it in a Gemm.""")
    unproven = FUSING.mistake("""Two names can be two different numbers, and one of them can be 1.
        Only the same name, the same number, or 1 is safe.""")
    position = FUSING.mistake("""The bias has a name of the product, in another place. Compare its
        last dimension with the columns and the one before with the rows.""")
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
    namesake = SUBGRAPHS.mistake("""Two branches may use one name for values of different shapes.
        Keep what you know of a graph's values apart from what you know of another one's.""")
    other_graph = SUBGRAPHS.mistake("""The product is computed before the If, and the Add is in a
        branch. A pair is fused only if both nodes are in the same graph.""")

    # Other operators than expected.
    nodes_added = FUSING.mistake("""Nodes were added that no pair needs: a Gemm reads what the pair
        read and writes what the Add wrote.""")
    product_computed_twice = REWIRING.cause("""A Gemm computes its product itself. Remove the MatMul
        if only the Add reads it. If it has other readers, do not fuse the pair.""")
    bias_lost = FUSING.mistake("""A Gemm adds its third input. A Gemm of the two factors alone leaves
        the bias out.""")
    librarys_rule = FUSING.mistake("""onnxscript's own rule looks at the numbers of dimensions alone,
        and asks neither for the bias nor for the type. A rule of yours may use the rewriter, under
        a name of its own.""")
    another_domain = FUSING.mistake("""Operators of two domains may have the same name, and be
        different ones. A pair is of ONNX's own domain, which is "" or "ai.onnx": look at
        node.domain, not only at node.op_type.""")
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
    "factors": (
        "a pair whose product has two dimensions, and whose factors have three and one,",
        Mistakes.factors,
    ),
    "unknown rank": ("a pair of whose shapes too little is known", Mistakes.unknown_rank),
    "bias rank": ("a pair whose bias has three dimensions", Mistakes.bias_rank),
    "widens": ("a pair whose bias makes the result larger than the product", Mistakes.widens),
    "unproven": (
        "a pair whose bias has a dimension of another name than the product's",
        Mistakes.unproven,
    ),
    "position": (
        "a pair whose bias has the name of another dimension of the product",
        Mistakes.position,
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
    "namesake": (
        "a pair that would fit if it had the shapes of another graph's values of the same names",
        Mistakes.namesake,
    ),
    "other graph": ("a pair whose MatMul and Add stand in different graphs", Mistakes.other_graph),
}


# A name that is read and that no node writes.
UNWRITTEN = Causes()


@UNWRITTEN.misconception(f"{PAGE}#adding-a-node")
def at_the_matmul(view, loose):
    """The Gemm reads the bias, which may be computed between the MatMul and the Add. Put it where
    the Add stood.
    """
    return loose.at.later and _is_bias(loose) and _too_late(loose)


@UNWRITTEN.misconception(f"{PAGE}#order-and-cycles")
def behind_its_readers(view, loose):
    """A node that reads the sum now stands in front of the Gemm. Put the Gemm where the Add stood:
    nodes are sorted, and places in the list change as you insert and remove.
    """
    return loose.at.later and _too_late(loose)


@UNWRITTEN.misconception(GRAPH_OUTPUTS)
def outputs_forgotten(view, loose):
    """The product is an output of its graph. Then its MatMul stays, and the pair is not fused."""
    return loose.name in view.facts.all_products and loose.is_output


@UNWRITTEN.misconception(REWIRING)
def read_twice(view, loose):
    """The Add reads the product as both of its inputs. Count how often the name is read, and not
    how many nodes read it.
    """
    return loose.name in view.facts.all_products and _is_bias(loose)


@UNWRITTEN.misconception(REWIRING)
def readers_not_counted(view, loose):
    """The MatMul is gone, and other nodes than the Add read its product. Count all readers, in
    every subgraph, before you fuse.
    """
    return loose.name in view.facts.all_products


@UNWRITTEN.cause(f"{PAGE}#replacing-a-node")
def sum_renamed(view, loose):
    """The Add is gone, and other nodes still read its sum. The Gemm writes the sum under the Add's
    own name.
    """
    return loose.name in view.facts.pairs


@UNWRITTEN.cause(DEAD_ENDS)
def too_much_removed(view, loose):
    """Too much was removed: no node writes a value that is still read."""
    return True


def _too_late(loose) -> str:
    return f"{loose.reader} reads {loose.what}, which is written further down"


def _is_bias(loose) -> bool:
    """Whether a Gemm reads the name as its bias."""
    node = loose.at.node
    return node is not None and node.op_type == "Gemm" and loose.name in node.input[2:]


WRONG_OUTPUTS = Causes()


@WRONG_OUTPUTS.misconception(FUSING)
def weights_edited(view, level, difference):
    """An initializer holds other numbers than before. A fusion moves no number: the Gemm reads the
    weight and the bias as they are.
    """
    return edited_initializers(view.before, view.after)


@WRONG_OUTPUTS.misconception(FUSING)
def factors_exchanged(view, level, difference):
    """Gemm(A, B, C) is A @ B + C: the factors in the order of the MatMul, then the bias, and the
    attributes alpha, beta, transA and transB at their defaults.
    """
    return True


def wrongly_fused(view) -> tuple[str, Misconception] | None:
    """What has become a Gemm and must not, and why: the first such pair, and how many there are."""
    gemms = {
        name
        for node in graphs.nodes(view.after)
        if node.op_type == "Gemm" and not graphs.domain(node.domain)
        for name in node.output
    }
    found = [
        obstacle for result, obstacle in view.facts.pairs.items() if obstacle and result in gemms
    ]
    if not found:
        return None
    what, why = OBSTACLES[found[0]]
    more = f", as have {len(found) - 1} other pairs that must stay" if len(found) > 1 else ""
    return f"{what} has become a Gemm{more}", why


# Pairs that may be fused and were not: `rungs.Missed` says which.
MISSED = Causes()


@MISSED.misconception(FUSING)
def gemm_without_bias(missed):
    """A Gemm of two inputs is a MatMul by another name. The Gemm takes the bias as its third input,
    and the Add goes.
    """
    return missed.products_of_gemms and f"{missed.text}, and their products are written by a Gemm"


@MISSED.misconception(FUSING)
def zero_is_unknown(missed):
    """A dimension of 0 is a number, and it is known. dim_value reads as 0 where there is none, too:
    ask HasField("dim_value").
    """
    return missed.are("zero") and f"{missed.text}, each with a dimension of 0"


@MISSED.misconception(FUSING)
def float32_only(missed):
    """ONNX Runtime has a Gemm for FLOAT16, FLOAT and DOUBLE. A pair of any of these types is fused."""
    return missed.are_among("not single") and f"{missed.text}, of another type than FLOAT"


@MISSED.misconception("day-50/line-3-ship#a-snippet-that-destroys")
def first_pair_only(missed):
    """The function stops at its first pair. Go on until no Add is left that you have not looked at."""
    return missed.is_all_but_first and f"{missed.text}: only the first was fused"


@MISSED.misconception(FUSING)
def not_inferred(missed):
    """The shape of what a node computes stands in value_info, after shape inference. Run
    onnx.shape_inference.infer_shapes, and look there too.
    """
    return (
        missed.of_many
        and missed.are("inferred")
        and f"{missed.text}, each reading what a node computes"
    )


@MISSED.misconception(GRAPH_OUTPUTS)
def outputs_not_looked_up(missed):
    """value_info does not list the graph's outputs: their shapes are in graph.output."""
    return missed.are("reads an output") and f"{missed.text}, each reading an output of the graph"


@MISSED.misconception(FUSING)
def ones_refused(missed):
    """A bias may have fewer dimensions than the product, none at all, and dimensions of 1: a Gemm
    stretches it as Add does.
    """
    several = missed.are_among("ones") and len(missed.view.facts.having("ones")) > 3
    if several or missed.are("ones"):
        return f"{missed.text}, each with a bias that the Gemm would stretch"
    return False


@MISSED.misconception(FUSING)
def made_up_names(missed):
    """Inference gives a dimension that it cannot know a name such as unk__0, and the same name
    wherever it is the same number. It is a name like any other.
    """
    return missed.are("made up") and f"{missed.text}, each with a name that inference made up"


@MISSED.misconception(FUSING)
def first_product_only(missed):
    """Both inputs of the Add are products. Ask for each of the two whether its pair may be fused: if
    one has to stay, the other may go.
    """
    return missed.are_among("two products") and f"{missed.text}, each an Add of two products"


@MISSED.misconception("day-50/line-3-ship#a-snippet-that-destroys")
def next_node_skipped(missed):
    """If you remove a node from a list that you go over, the next one moves to its place and is
    skipped. Go over list(graph.node).
    """
    return missed.are("behind a sum") and f"{missed.text}, each directly behind another Add"


@MISSED.misconception(SUBGRAPHS)
def names_of_other_graphs(missed):
    """Two branches may use one name for different values. Count a product's readers in its own
    graph and in the graphs inside that, and nowhere else.
    """
    return missed.are("shares names") and f"{missed.text}, in branches that use the same names"


@MISSED.misconception(SUBGRAPHS)
def one_level_deep(missed):
    """A branch can hold an If in turn. Let the function that edits a graph call itself for each
    graph inside.
    """
    return missed.are("two levels deep") and f"{missed.text}, in a graph inside a subgraph"


@MISSED.misconception(FUSING)
def none_fused(missed):
    """Print the dimensions that the function sees. Initializers have none in value_info: theirs are
    tensor.dims. A dimension with a name has dim_value 0: its name is dim_param. A bias of one
    dimension is as long as the product has columns.
    """
    return missed.is_all and f"{missed.text}: none was fused"


@MISSED.misconception(SUBGRAPHS)
def subgraphs_not_entered(missed):
    """graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its
    attributes: descend, and know there the dimensions of the outer graph's values.
    """
    return missed.is_nested and f"{missed.text}, in subgraphs only"


@MISSED.misconception(FUSING)
def product_first_only(missed):
    """An Add may read its product first or second: x @ W + b and b + x @ W are the same pair."""
    return missed.is_second and f"{missed.text}, each with the product as the second input"


@MISSED.cause(GRAPH_OUTPUTS)
def sums_at_outputs_passed_over(missed):
    """The product must not be an output. The sum may: the Gemm writes it under the same name."""
    outputs = {value.name for value in missed.view.before.graph.output}
    return set(missed.results) <= outputs and f"{missed.text}, each writing a graph output"


@MISSED.misconception(FUSING)
def numbers_only(missed):
    """A dimension may have a name: then dim_value is 0 and dim_param holds it. A batch of any size
    is no obstacle.
    """
    return missed.are("named") and f"{missed.text}, each with a named dimension"


@MISSED.misconception(FUSING)
def stricter_than_needed(missed):
    """The rule that is applied is stricter than the conditions. Weights and biases may be
    initializers, Constants, inputs or computed, a dimension may be a name, a bias may have
    dimensions of 1, either factor may be the constant one, and other nodes may stand between MatMul
    and Add.
    """
    return True
