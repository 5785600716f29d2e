"""Dropouts that are still there: which ones they are tells how they were missed."""

from __future__ import annotations

from formatlab import graphs
from formatlab_exercises.shared.judge.models import edited_initializers
from nbjudge.findings import Causes

PAGE = "day-50/05-graph-surgery"


LEFT_OVER = Causes()


@LEFT_OVER.cause(f"{PAGE}#subgraphs")
def functions_not_entered(view, left):
    """A function's nodes are nodes of the model too."""
    return left.in_functions and f"{left.text}, in a function"


@LEFT_OVER.misconception(f"{PAGE}#subgraphs")
def subgraphs_not_entered(view, left):
    """graph.node lists the nodes of one graph. The branches of an If and the body of a Loop are
    graphs in its attributes: descend.
    """
    return not left.in_main and f"{left.text}, in subgraphs only"


@LEFT_OVER.misconception(f"{PAGE}#shared-initializers")
def training_mode_off(view, left):
    """If you set training_mode to False, the Dropouts do nothing, but they are still in the file.
    And other nodes may read the same initializer: your edit changes them too.
    """
    return (
        left.is_all
        and _switched_off(view, left.nodes)
        and f"{left.text}, with another training_mode"
    )


@LEFT_OVER.misconception(f"{PAGE}#dropout")
def edited_and_left(view, left):
    """The nodes are edited and still there. Let their readers read the Dropout's input, and delete
    the node itself.
    """
    before = {node.SerializeToString(deterministic=True) for node in graphs.nodes(view.before)}
    edited = any(node.SerializeToString(deterministic=True) not in before for node in left.nodes)
    return left.is_all and edited and f"{left.text}, with other inputs or outputs"


@LEFT_OVER.misconception(f"{PAGE}#dropout")
def nothing_removed(view, left):
    """The model comes back as it went in."""
    return left.is_all and f"{left.text}: nothing was removed"


@LEFT_OVER.misconception(f"{PAGE}#rewiring")
def removed_while_iterating(view, left):
    """Removing from a list while a for loop goes over it skips the next element. Go over a copy:
    list(graph.node).
    """
    return left.names <= view.facts.neighbours and f"{left.text}, each right behind another one"


@LEFT_OVER.cause(f"{PAGE}#graph-outputs")
def special_ones_passed_over(view, left):
    """The function skips Dropouts whose output is a graph output or whose mask is read. A general
    optimizer does that to be safe.
    """
    return left.names <= left.special and f"{left.text}, at graph outputs or with a mask in use"


@LEFT_OVER.misconception(f"{PAGE}#dropout")
def some_passed_over(view, left):
    """Some Dropouts are passed over: those that look different from the first one (other inputs, no
    name, another place).
    """
    return True


def _switched_off(view, left) -> bool:
    """Is a training_mode that was a constant another constant now, or another input of the Dropout?"""
    training = view.facts.training
    return bool(edited_initializers(view.before, view.after) & training) or any(
        node.input[2:3] and node.input[2] not in training for node in left
    )
