"""What students get wrong in `dropout`, in the order in which it is asked."""

from __future__ import annotations

from autograder.findings import cause, misconception
from exercises.shared.judge.models import edited_initializers
from workbench import graphs

PAGE = "day-50/05-graph-surgery"


# A name that is read and that no node writes.


@misconception(f"{PAGE}#what-a-graph-is")
def out_of_order(view, loose):
    """The nodes are out of order. A node that writes a value has to come before the nodes that read
    it.
    """
    return loose.at.later and f"{loose.reader} reads {loose.what}, which is written further down"


@misconception(f"{PAGE}#masks")
def mask_forgotten(view, loose):
    """A Dropout has a second output, the mask. Where something uses it, nodes that make an all-True
    tensor must write it.
    """
    return (
        loose.name in view.facts.masks
        and f"the mask of a removed Dropout is still used, by {loose.reader}"
    )


@misconception(f"{PAGE}#rewiring")
def series_not_followed(view, loose):
    """One Dropout reads another's output. Follow a series to its start: all of their readers get
    what the first one reads.
    """
    return loose.name in view.facts.sources and loose.name in view.facts.sources.values()


@misconception(f"{PAGE}#a-snippet-that-destroys")
def swept_away(view, loose):
    """No node writes the Dropout's output any more, so the clean-up removed everything before it.
    In onnx-graphsurgeon a tensor's `outputs` are the nodes that read it: assigning tensors to it
    does not connect anything.
    """
    kept = sum(node.op_type not in ("Constant", "Dropout") for node in graphs.nodes(view.after))
    gone = view.facts.remaining.total() - kept
    is_swept = loose.name in view.facts.sources and 2 * gone >= view.facts.remaining.total()
    return is_swept and f"{loose.needed}; {gone} nodes besides the Dropouts are gone"


@misconception(f"{PAGE}#graph-outputs")
def output_lost(view, loose):
    """The output was written by a Dropout. Its name has to be kept: let the writer take that name,
    or put an Identity there.
    """
    return loose.name in view.facts.sources and loose.is_output


@misconception(f"{PAGE}#subgraphs")
def each_graph_alone(view, loose):
    """A subgraph reads values of the graph around it. Its nodes have to be rewired too when a
    Dropout outside goes.
    """
    return loose.name in view.facts.sources and loose.depth


@misconception(f"{PAGE}#rewiring")
def not_rewired(view, loose):
    """The Dropout is gone, and its readers still read its output. Let every reader read the
    Dropout's input instead.
    """
    return loose.name in view.facts.sources


@cause(f"{PAGE}#rewiring")
def producer_renamed(view, loose):
    """The writer of the Dropout's input was made to write the Dropout's output, and others read
    that input too. Change what the Dropout's readers read, not what its producer writes.
    """
    written = {name for node in graphs.nodes(view.after) for name in node.output}
    return loose.name in view.facts.sources.values() and written & view.facts.sources.keys()


@cause(f"{PAGE}#rewiring")
def too_much_removed(view, loose):
    """Too much was removed: no node writes a value that is still read."""
    return True


UNWRITTEN = (
    *(
        out_of_order,
        mask_forgotten,
        series_not_followed,
        swept_away,
        output_lost,
        each_graph_alone,
        not_rewired,
    ),
    *(producer_renamed, too_much_removed),
)


@misconception(f"{PAGE}#graph-outputs")
def two_outputs_of_one_name():
    """The Dropout's output was a graph output, and took the name of the Dropout's input, which is
    one already. Keep both names.
    """


# Other operators than before.


@misconception(f"{PAGE}#dead-ends")
def more_than_dropouts():
    """More than the Dropouts was removed: a condition that matches other operators too, or a
    clean-up after a link was cut.
    """


@cause(f"{PAGE}#dropout")
def new_operators():
    """An optimizer, or another model, wrote nodes of its own into the graph. Remove the Dropouts
    only.
    """


@cause(f"{PAGE}#masks")
def more_constants():
    """Something that is computed from the inputs is stored instead. An all-True mask needs one
    number: its shape comes from the input.
    """


@cause(f"{PAGE}#proving-equivalence")
def fixes_what_was_open():
    """A name, a type or a size was fixed that the argument leaves open, or a loop was added that
    does not end.
    """


@cause(f"{PAGE}#dropout")
def still_random():
    """A Dropout in training mode is still at work. Higher optimization levels hide it; this one
    runs the graph as it is written.
    """


# Outputs that are not the reference's.


@cause(f"{PAGE}#rewiring")
def other_form(view, level, difference):
    """A Dropout's output has its input's shape and type, and its mask is Boolean. Another value is
    in its place.
    """
    return difference.kind != "value"


@cause(f"{PAGE}#shared-initializers")
def initializer_edited(view, level, difference):
    """An initializer has another value than before, and other nodes read it too. Edit the nodes,
    not what they share.
    """
    return edited_initializers(view.before, view.after)


@misconception(f"{PAGE}#masks")
def mask_not_true(view, level, difference):
    """At inference nothing is dropped, so the mask is True everywhere: neither False nor random,
    and not the Dropout's input.
    """
    return view.facts.masks


@cause(f"{PAGE}#proving-equivalence")
def written_twice(view, level, difference):
    """The model is right as it is written and wrong once optimized: look for a value that is
    written twice.
    """
    return level == "ORT_ENABLE_ALL"


@misconception(f"{PAGE}#rewiring")
def names_of_another_graph(view, level, difference):
    """A reader now reads another value than the Dropout's input. Follow a series of Dropouts to its
    start, and rename inside each subgraph on its own: two branches may use the same name for
    different values.
    """
    return True


WRONG_OUTPUTS = (
    other_form,
    initializer_edited,
    mask_not_true,
    written_twice,
    names_of_another_graph,
)


# What is left to tidy.


@misconception(f"{PAGE}#rewiring")
def identity_instead():
    """The operator was swapped instead of removed. Let the readers read the Dropout's input, and
    the node is not needed.
    """


@misconception(f"{PAGE}#dead-ends")
def stale_initializers():
    """Ratio and training_mode stay behind when their Dropouts go. Remove what nothing reads any
    more; shared ones still have readers.
    """


@misconception(f"{PAGE}#dead-ends")
def stale_nodes():
    """A Constant, or what computes a ratio, served a Dropout alone. Look at what the removed nodes
    read, until nothing more is unread.
    """


@misconception(f"{PAGE}#dropout")
def counts_on_a_dropout():
    """The function expects a Dropout in every model, or it edits more than Dropouts. A model
    without one comes back as it is.
    """
