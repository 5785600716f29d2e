"""LayerNorms that are still there: which ones they are tells how they were missed."""

from __future__ import annotations

from formatlab import graphs
from nbjudge.findings import Causes

PAGE = "day-50/05-graph-surgery"
HERE = f"{PAGE}#removing-layernorm"


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
def subgraphs_not_entered(left):
    """graph.node lists the nodes of one graph. Branches and loop bodies are graphs in its
    attributes: descend. Constants that they read may stand in the graph around.
    """
    return all(place.nested for place in left.places) and f"{left.text}, in subgraphs only"


@LEFT_OVER.misconception(f"{PAGE}#subgraphs")
def readers_inside_forgotten(left):
    """A branch or a loop body reads values of the graph around it. Rewire its nodes too when a
    LayerNorm outside goes.
    """
    return all(place.read_inside for place in left.places) and f"{left.text}, read in a subgraph"


@LEFT_OVER.misconception(f"{PAGE}#graph-outputs")
def outputs_passed_over(left):
    """Where a LayerNorm writes an output, no node reads its result. Its name stays, and something
    else has to write it.
    """
    at_outputs = all(place.is_output for place in left.places)
    return at_outputs and not left.lost_its_affine and f"{left.text}, at graph outputs"


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
