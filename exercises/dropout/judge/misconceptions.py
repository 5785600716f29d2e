"""What students get wrong in `dropout`, in the order in which it is asked."""

from __future__ import annotations

from formatlab import graphs
from formatlab_exercises.shared.judge.models import edited_initializers
from nbjudge.findings import Causes, Section

PAGE = "day-50/05-graph-surgery"
GRAPH_OUTPUTS = Section(f"{PAGE}#graph-outputs")
DEAD_ENDS = Section(f"{PAGE}#dead-ends")
DROPOUT = Section(f"{PAGE}#dropout")
MASKS = Section(f"{PAGE}#masks")
PROVING_EQUIVALENCE = Section(f"{PAGE}#proving-equivalence")
REWIRING = Section(f"{PAGE}#rewiring")


# A name that is read and that no node writes.
UNWRITTEN = Causes()


@UNWRITTEN.misconception(f"{PAGE}#what-a-graph-is")
def out_of_order(view, loose):
    """The nodes are out of order. A node that writes a value has to come before the nodes that read
    it.
    """
    return loose.at.later and f"{loose.reader} reads {loose.what}, which is written further down"


@UNWRITTEN.misconception(f"{PAGE}#subgraphs")
def mask_read_inside(view, loose):
    """The nodes of inner graphs read masks too. A mask that only they read is used all the same."""
    of_main = {name for node in view.before.graph.node for name in node.output}
    return loose.depth and loose.name in view.facts.masks & of_main


@UNWRITTEN.misconception(MASKS)
def mask_forgotten(view, loose):
    """A Dropout has a second output, the mask. Where something uses it, nodes that make an all-True
    tensor must write it.
    """
    return (
        loose.name in view.facts.masks
        and f"the mask of a removed Dropout is still used, by {loose.reader}"
    )


@UNWRITTEN.misconception(REWIRING)
def series_not_followed(view, loose):
    """One Dropout reads another's output. Follow a series to its start: all of their readers get
    what the first one reads.
    """
    return loose.name in view.facts.sources and loose.name in view.facts.sources.values()


@UNWRITTEN.misconception("day-50/line-3-ship#a-snippet-that-destroys")
def swept_away(view, loose):
    """No node writes the Dropout's output any more, so the clean-up removed everything before it.
    In onnx-graphsurgeon a tensor's `outputs` are the nodes that read it: assigning tensors to it
    does not connect anything.
    """
    kept = sum(node.op_type not in ("Constant", "Dropout") for node in graphs.nodes(view.after))
    gone = view.facts.remaining.total() - kept
    is_inside = loose.is_output and loose.depth
    is_swept = (
        not is_inside
        and loose.name in view.facts.sources
        and 2 * gone >= view.facts.remaining.total()
    )
    return is_swept and f"{loose.needed}; {gone} nodes besides the Dropouts are gone"


@UNWRITTEN.misconception(GRAPH_OUTPUTS)
def output_lost(view, loose):
    """The output was written by a Dropout. Its name has to be kept: let the writer take that name,
    or put an Identity there.
    """
    return loose.name in view.facts.sources and loose.is_output


@UNWRITTEN.misconception(f"{PAGE}#subgraphs")
def each_graph_alone(view, loose):
    """A subgraph reads values of the graph around it. Its nodes have to be rewired too when a
    Dropout outside goes.
    """
    return loose.name in view.facts.sources and loose.depth


@UNWRITTEN.misconception(REWIRING)
def not_rewired(view, loose):
    """The Dropout is gone, and its readers still read its output. Let every reader read the
    Dropout's input instead.
    """
    return loose.name in view.facts.sources


@UNWRITTEN.misconception(f"{PAGE}#shared-initializers")
def settings_deleted(view, loose):
    """It is the ratio or the training_mode of a Dropout, and other nodes may read it too. Remove an
    initializer only where nothing reads it any more.
    """
    return not loose.depth and loose.name in view.facts.settings


@UNWRITTEN.misconception(f"{PAGE}#subgraphs")
def inner_readers_not_counted(view, loose):
    """A node in an inner graph reads it. What inner graphs read is still in use: count their nodes,
    at any depth, before you remove anything.
    """
    return loose.depth and loose.name not in view.facts.sources


@UNWRITTEN.misconception(REWIRING)
def producer_renamed(view, loose):
    """The writer of the Dropout's input was made to write the Dropout's output, and others read
    that input too. Change what the Dropout's readers read, not what its producer writes.
    """
    written = {name for node in graphs.nodes(view.after) for name in node.output}
    return loose.name in view.facts.sources.values() and written & view.facts.sources.keys()


@UNWRITTEN.cause(REWIRING)
def too_much_removed(view, loose):
    """Too much was removed: no node writes a value that is still read."""
    return True


class Mistakes:
    """Those that a rung recognises by itself."""

    two_outputs_of_one_name = GRAPH_OUTPUTS.mistake("""The Dropout's output was a graph output, and
        took the name of the Dropout's input, which is one already. Keep both names.""")

    name_taken_inside = MASKS.mistake("""A name that you make has to be new in the whole model, and an
        inner graph may write it already. Collect the names of all graphs before you make one.""")

    # Other operators than before.
    more_than_dropouts = DEAD_ENDS.mistake("""More than the Dropouts was removed: a condition that
        matches other operators too, or a clean-up after a link was cut.""")
    another_domain = DROPOUT.mistake("""Operators of two domains may have the same name, and be
        different ones. ONNX's own Dropout has the domain "" or "ai.onnx": look at node.domain, not
        only at node.op_type.""")
    new_operators = DROPOUT.cause("""An optimizer, or another model, wrote nodes of its own into the
        graph. Remove the Dropouts only.""")
    more_constants = MASKS.cause("""Something that is computed from the inputs is stored instead. An
        all-True mask needs one number: its shape comes from the input.""")
    fixes_what_was_open = PROVING_EQUIVALENCE.cause("""A name, a type or a size was fixed that the
        argument leaves open, or a loop was added that does not end.""")
    still_random = DROPOUT.cause("""A Dropout in training mode is still at work. Higher optimization
        levels hide it; this one runs the graph as it is written.""")

    # What is left to tidy.
    identity_instead = REWIRING.mistake("""The operator was swapped instead of removed. Let the
        readers read the Dropout's input, and the node is not needed.""")
    stale_initializers = DEAD_ENDS.mistake("""Ratio and training_mode stay behind when their
        Dropouts go. Remove what nothing reads any more, in every graph; shared ones still have
        readers.""")
    stale_nodes = DEAD_ENDS.mistake("""A Constant, or what computes a ratio, served a Dropout alone.
        Look at what the removed nodes read, until nothing more is unread.""")
    counts_on_a_dropout = DROPOUT.mistake("""The function expects a Dropout in every model, or it
        edits more than Dropouts. A model without one comes back as it is.""")


# Outputs that are not the reference's.
WRONG_OUTPUTS = Causes()


@WRONG_OUTPUTS.cause(REWIRING)
def other_form(view, level, difference):
    """A Dropout's output has its input's shape and type, and its mask is Boolean. Another value is
    in its place.
    """
    return difference.kind != "value"


@WRONG_OUTPUTS.cause(f"{PAGE}#shared-initializers")
def initializer_edited(view, level, difference):
    """An initializer has another value than before, and other nodes read it too. Edit the nodes,
    not what they share.
    """
    return edited_initializers(view.before, view.after)


@WRONG_OUTPUTS.misconception(MASKS)
def mask_of_comparison(view, level, difference):
    """NaN is not equal to itself, so that a comparison of the input with itself is False where the
    input is NaN. An all-True mask needs the input's shape, and none of its values.
    """
    compares = (
        node.op_type == "Equal" and len(set(node.input)) == 1 for node in graphs.nodes(view.after)
    )
    return view.facts.masks and any(compares)


@WRONG_OUTPUTS.misconception(MASKS)
def mask_not_true(view, level, difference):
    """At inference nothing is dropped, so the mask is True everywhere: neither False nor random,
    and not the Dropout's input.
    """
    return view.facts.masks


@WRONG_OUTPUTS.cause(PROVING_EQUIVALENCE)
def written_twice(view, level, difference):
    """The model is right as it is written and wrong once optimized: look for a value that is
    written twice.
    """
    return level == "ORT_ENABLE_ALL"


@WRONG_OUTPUTS.misconception(REWIRING)
def empty_name_dropped(view, level, difference):
    """An empty name among a node's inputs leaves out one that is optional. Where it is dropped, the
    inputs behind it move up and mean something else: change the name of the Dropout's output alone.
    """
    return _leaves_inputs_out(view.before) and not _leaves_inputs_out(view.after)


def _leaves_inputs_out(model) -> bool:
    """Does another node than a Dropout leave out an input, and give one behind it?"""
    return any("" in node.input for node in graphs.nodes(model) if node.op_type != "Dropout")


@WRONG_OUTPUTS.misconception(REWIRING)
def names_of_another_graph(view, level, difference):
    """A reader now reads another value than the Dropout's input. Follow a series of Dropouts to its
    start, and rename inside each subgraph on its own: two branches may use the same name for
    different values.
    """
    return True


# Dropouts that are still there: which ones they are tells how they were missed.
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
