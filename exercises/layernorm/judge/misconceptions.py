"""What students get wrong in `layernorm`, in the order in which it is asked."""

from __future__ import annotations

from formatlab import graphs
from nbjudge.findings import Causes, Section

PAGE = "day-50/05-graph-surgery"
HERE = Section(f"{PAGE}#removing-layernorm")
GRAPH_OUTPUTS = Section(f"{PAGE}#graph-outputs")
PROVING_EQUIVALENCE = Section(f"{PAGE}#proving-equivalence")
REWIRING = Section(f"{PAGE}#rewiring")
DEAD_ENDS = Section(f"{PAGE}#dead-ends")


# A name that is read and that no node writes.
UNWRITTEN = Causes()


@UNWRITTEN.cause(f"{PAGE}#what-a-graph-is")
def out_of_order(view, loose):
    """The nodes are out of order: the node that writes a value comes before the nodes that read it."""
    return loose.at.later and f"{loose.reader} reads {loose.what}, which is written further down"


@UNWRITTEN.misconception(DEAD_ENDS)
def statistics_dropped(view, loose):
    """The node has up to three outputs. If one of the other two is still read, the node stays, and
    nothing reads its first output.
    """
    is_one = loose.name in view.facts.statistics
    return (
        is_one
        and f"Mean or InvStdDev of a removed LayerNormalization is still read, by {loose.reader}"
    )


@UNWRITTEN.misconception(GRAPH_OUTPUTS)
def output_lost(view, loose):
    """The output was written by a LayerNorm. Its name has to be kept: let the writer take it, or
    put an Identity there.
    """
    return loose.name in view.facts.sources and loose.is_output


@UNWRITTEN.cause(f"{PAGE}#subgraphs")
def each_graph_alone(view, loose):
    """A subgraph reads values of the graph around it. Its nodes have to be rewired too when a
    LayerNorm outside goes.
    """
    return loose.name in view.facts.sources and loose.depth


@UNWRITTEN.cause(REWIRING)
def not_rewired(view, loose):
    """The LayerNorm is gone, and its readers still read its result. Let every reader read the
    LayerNorm's input instead.
    """
    return loose.name in view.facts.sources


@UNWRITTEN.misconception(f"{PAGE}#subgraphs")
def outer_value_as_output(view, loose):
    """A graph inside a node writes its outputs itself: where a LayerNorm wrote one, an Identity
    brings the outer value in.
    """
    return loose.name in view.facts.sources.values() and loose.is_output and loose.depth


@UNWRITTEN.misconception(REWIRING)
def producer_renamed(view, loose):
    """No node writes the LayerNorm's input any more, and others read it too. Change what the
    readers read, not the producer.
    """
    return loose.name in view.facts.sources.values()


@UNWRITTEN.misconception(DEAD_ENDS)
def inner_nodes_deleted(view, loose):
    """An inner value of a LayerNorm has readers outside, or too much was removed. What is still
    read stays.
    """
    return True


class Mistakes:
    """Those that a rung recognises by itself."""

    two_outputs_of_one_name = GRAPH_OUTPUTS.cause("""The result was a graph output, and took the
        name of the LayerNorm's input, which is one already. Keep both names.""")
    more_constants = HERE.cause("""You need to store nothing to remove a node. A LayerNorm with a
        scale of ones is still a LayerNorm.""")
    new_operators = HERE.cause("""An optimizer, or another model, wrote nodes of its own into the
        graph. Remove the LayerNorms only.""")
    fixes_what_was_open = PROVING_EQUIVALENCE.cause("""A name, a type or a size was fixed that the
        argument leaves open.""")

    # What is left to tidy.
    identity_instead = REWIRING.mistake("""The operator was swapped instead of removed. Let the
        readers read the LayerNorm's input, and the node is not needed.""")
    stale_initializers = DEAD_ENDS.mistake("""Scale, bias, epsilon and axes stay behind when their
        LayerNorm goes. Remove what nothing reads any more.""")
    stale_nodes = DEAD_ENDS.mistake("""The nodes of a LayerNorm have no readers left once its
        readers are rewired. Remove them, until nothing more is unread.""")
    counts_on_a_layernorm = HERE.cause("A model without a LayerNorm comes back as it is.")


# Operators that should have stayed.
MISSING = Causes()


@MISSING.misconception(HERE)
def another_domain(lost):
    """Operators of two domains may have the same name, and be different ones. The operators of a
    LayerNorm have ONNX's own domain, "" or "ai.onnx": look at node.domain, not only at node.op_type.
    """
    return any("::" in name for name in lost.counts)


@MISSING.misconception(HERE)
def epsilon_computed(lost):
    """The epsilon of a LayerNorm is a constant. Where a node computes it, or a caller gives it, the
    nodes stay.
    """
    return lost.has("Div", "Exp", "ReduceMean", "Sqrt")


@MISSING.misconception(HERE)
def number_of_more_dimensions(lost):
    """Epsilon and the exponent are one number each, with as many dimensions as x at most. One that
    has more gives the result more dimensions than x, so the nodes are no LayerNorm.
    """
    return lost.are_any(lost.view.facts.widened)


@MISSING.misconception(f"{PAGE}#subgraphs")
def across_graphs(lost):
    """All nodes of a LayerNorm are in one graph. A Div in a branch that reads a centered value of the
    graph around it is none, and a Mul in a branch is no scale of a quotient outside.
    """
    return lost.are_any(lost.view.facts.across)


@MISSING.misconception(HERE)
def takes_a_relative(lost):
    """Something that only looks like a LayerNorm was taken for one. A LayerNorm divides x - mean(x)
    by the root of the variance of the same x, and both go over the last axes. An RMSNorm or an
    InstanceNorm does not.
    """
    return lost.has("Div", "ReduceMean", "Sqrt")


@MISSING.cause(DEAD_ENDS)
def inner_value_read(lost):
    """Another node reads an inner value of a LayerNorm. The nodes that compute this value stay,
    although the LayerNorm is removed.
    """
    return lost.has_any("Sub", "ReduceMean", "LayerNormalization")


@MISSING.misconception(HERE)
def affine_of_anything(lost):
    """A Mul behind a LayerNorm is its scale only if nothing else reads the quotient and the other
    input is a constant of shape [width]. The same holds for the bias, an Add behind the scale.
    """
    return lost.has_any("Mul", "Add")


@MISSING.cause(DEAD_ENDS)
def more_than_layernorms(lost):
    """More than the LayerNorms was removed: a condition that matches other nodes too, or a clean-up
    after a link was cut.
    """
    return True


# More nodes than should have stayed.
STILL_THERE = Causes()


@STILL_THERE.misconception(HERE)
def affine_left(new):
    """Scale and bias belong to the LayerNorm. The readers of its result read what comes before the
    mean, not the Div.
    """
    return new.keys() <= {"Mul", "Add"}


@STILL_THERE.misconception(HERE)
def inner_value_taken(new):
    """A part of the LayerNorm still computes something that is read: the readers of its result read
    its input, not an inner value.
    """
    return True


# Outputs that are not the reference's.
WRONG_OUTPUTS = Causes()


@WRONG_OUTPUTS.cause(HERE)
def statistics_of_another(view, level, difference):
    """Mean and InvStdDev are those of the LayerNorm's own input. A reader of one of them now reads
    something else.
    """
    return view.facts.statistics


@WRONG_OUTPUTS.cause(HERE)
def reads_another_value(view, level, difference):
    """A reader now reads a value that is not the LayerNorm's input. Where LayerNorms follow each
    other, that is the input of the first one. Inside a branch it is a value of the same branch. The
    outputs of the original model do not help you: they have to change.
    """
    return True


# LayerNorms that are still there: which ones they are tells how they were missed.
LEFT_OVER = Causes()


@LEFT_OVER.misconception(HERE)
def nothing_removed(left):
    """The model comes back as it went in."""
    return left.is_all and left.places[0].fused and f"{left.text}: nothing was removed"


@LEFT_OVER.misconception(HERE)
def axes_in_order(left):
    """One mean lists its axes as 1, 2 and the other one as 2, 1: the same axes, in any order. Sort
    them before you compare.
    """
    return {place for place in left.view.facts.norms if not place.in_order} == set(
        left.places
    ) and f"{left.text}, each with its axes in two orders"


@LEFT_OVER.misconception(HERE)
def numbers_in_one_form(left):
    """The exponent 2 may be an array of one element with a dimension or two, and it may be a whole
    number.
    """
    return {place for place in left.view.facts.norms if not place.scalar} == set(
        left.places
    ) and f"{left.text}, each with an exponent of one element that has dimensions"


@LEFT_OVER.misconception(HERE)
def last_axis_only(left):
    """Both means go over the last two axes here: a LayerNorm may normalize more than the last one."""
    return left.is_all and all(place.axes > 1 for place in left.places) and left.spelt_out


@LEFT_OVER.misconception(HERE)
def axes_as_inputs_only(left):
    """Mean, Sub, square, mean, Add, Sqrt and Div are the LayerNorm here, and the axes of ReduceMean
    are an attribute in this opset.
    """
    return left.is_all and graphs.opset(left.view.before) < 18 and left.spelt_out


@LEFT_OVER.misconception(HERE)
def fused_only(left):
    """Mean, Sub, square, mean, Add, Sqrt and Div are the LayerNorm here, and the axes of ReduceMean
    are an input in this opset.
    """
    return left.is_all and left.spelt_out


@LEFT_OVER.misconception(f"{PAGE}#subgraphs")
def readers_inside_forgotten(left):
    """A branch or a loop body reads values of the graph around it. Rewire its nodes too when a
    LayerNorm outside goes.
    """
    return all(place.read_inside for place in left.places) and f"{left.text}, read in a subgraph"


@LEFT_OVER.misconception(HERE)
def quotient_is_read(left):
    """The quotient has other readers than the Mul, or the product has others than the Add; an output
    of the graph is a reader too. Then the Mul, or the Add, is no part of the LayerNorm, and all of
    these readers read x.
    """
    forks = {norm.result for norm in left.view.facts.norms if norm.forks}
    stays = {place.result for place in left.places} <= forks
    at_outputs = all(place.is_output for place in left.places)
    others = "an output as another reader" if at_outputs else "other readers than a scale or a bias"
    return stays and f"{left.text}, each with {others}"


@LEFT_OVER.misconception(f"{PAGE}#subgraphs")
def subgraphs_not_entered(left):
    """graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its
    attributes: descend. Constants that they read may stand in the graph around.
    """
    return all(place.nested for place in left.places) and f"{left.text}, in subgraphs only"


@LEFT_OVER.misconception(f"{PAGE}#graph-outputs")
def outputs_passed_over(left):
    """Where a LayerNorm writes an output, no node reads its result. Its name stays, and something
    else has to write it.
    """
    at_outputs = all(place.is_output for place in left.places)
    return at_outputs and not left.lost_its_affine and f"{left.text}, at graph outputs"


@LEFT_OVER.misconception(HERE)
def one_square_only(left):
    """The square of the centered value is written in two ways. Some exporters write Pow(d, 2),
    others Mul(d, d).
    """
    return left.square and f"{left.text}, each with a {left.square} as its square"


@LEFT_OVER.misconception(HERE)
def series_not_followed(left):
    """Where LayerNorms follow each other, the second one reads what the first one wrote, and its
    readers have to read what the first one reads. So look up a LayerNorm's input when you rewire its
    readers, and not before you have rewired any.
    """
    followed = set(left.view.facts.sources.values())
    return {
        place.result for place in left.places
    } <= followed and f"{left.text}, each right before another LayerNorm"


@LEFT_OVER.misconception(HERE)
def spelt_one_way(left):
    """These LayerNorms are decomposed differently from the ones that were found: inputs of Mul and
    Add change places, the axes are written as -1 or from the front, and there may be more than one.
    """
    return not any(place.fused for place in left.places) and f"{left.text}, all spelled out"


@LEFT_OVER.misconception(HERE)
def statistics_passed_over(left):
    """Some nodes are passed over: those without a bias, with statistics in use, or with another
    axis attribute than the first one.
    """
    return True
