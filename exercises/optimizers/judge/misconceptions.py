"""What students get wrong in `optimizers`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("day-50/06-optimizers#saved-graphs")
def counts_source():
    """You count the model that you gave to the session. The result is in the file that the session
    saved.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def disable_is_source():
    """A session saves the graph that it runs. Even without optimization that is not always the
    source: read it from the file.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def loses_domain():
    """Fused operators are the runtime's own. Outside the default domain the key is "domain::Op",
    because two domains can have operators of one name.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def main_graph_only():
    """The optimizer works in the branches of an If and in the body of a Loop as well; count the
    nodes of those graphs too.
    """


@misconception("day-50/06-optimizers#default-level")
def level_never_set():
    """The level is never set, or all entries read one file. New SessionOptions have the level
    ORT_ENABLE_ALL.
    """


@misconception("day-50/06-optimizers#levels")
def all_is_three():
    """The number 3 is ORT_ENABLE_LAYOUT. ORT_ENABLE_ALL is 99: take the members by their names."""


@misconception("day-50/06-optimizers#levels")
def default_is_extended():
    """New SessionOptions have the level ORT_ENABLE_ALL, which is the default. Set the level for
    every session.
    """


@misconception("day-50/06-optimizers#levels")
def level_set_late():
    """Levels went to other entries than their own. Take the members by name, and set the level
    before the session is created.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def copies_source():
    """The source was copied over the file that the session saved."""


@misconception("day-50/06-optimizers#saved-graphs")
def last_for_all():
    """The file was written by another session than the one that was counted, or written over
    afterwards.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def one_file():
    """Five sessions write to one path, and the last one wins. Each level has a file."""


@misconception("day-50/06-optimizers#saved-graphs")
def other_names():
    """The files are called after the keys: disable.onnx, basic.onnx, and so on."""


@misconception("day-50/06-optimizers#saved-graphs")
def elsewhere():
    """optimized_model_filepath is not set, set after the session was created, or a path that is not
    in the directory.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def totals():
    """The value of each level maps operators to how often they occur."""


@misconception("day-50/06-optimizers#saved-graphs")
def constants():
    """The counts are fixed, or taken from another model: a variable from outside the function, or a
    file.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def nothing_saved():
    """No session saved anything. Set optimized_model_filepath for each level, and count the file
    that is there afterwards.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def overwrites_source():
    """optimized_model_filepath names the file that the session writes: a file in directory, not the
    source.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def new_weights():
    """A level changes how a model is computed, not what. The file was made from another model, or
    edited afterwards.
    """


@misconception("day-50/06-optimizers#saved-graphs")
def float_counts():
    """A Counter over the nodes gives ints, and has no key for an operator that does not occur."""


@misconception("day-50/06-optimizers#levels")
def numbers_to_three():
    """There are five levels: {levels}."""
