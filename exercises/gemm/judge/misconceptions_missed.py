"""What students get wrong in `gemm` who do not fuse every pair that may be fused: `rungs.Missed`
says which were missed.
"""

from __future__ import annotations

from formatlab_exercises.gemm.judge.misconceptions import FUSING, GRAPH_OUTPUTS, SUBGRAPHS
from nbjudge.findings import Causes

PAGE = "day-50/05-graph-surgery"


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


@MISSED.misconception(f"{PAGE}#a-snippet-that-destroys")
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


@MISSED.misconception(f"{PAGE}#a-snippet-that-destroys")
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
