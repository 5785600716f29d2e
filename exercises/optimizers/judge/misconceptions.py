"""What students get wrong in `optimizers`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

SAVED_GRAPHS = Section("day-50/06-optimizers#saved-graphs")
DEFAULT_LEVEL = Section("day-50/06-optimizers#default-level")
LEVELS = Section("day-50/06-optimizers#levels")


class Mistakes:
    """Those that a rung recognises by itself."""

    counts_source = SAVED_GRAPHS.mistake("""You count the model that you gave to the session. The
        result is in the file that the session saved.""")
    disable_is_source = SAVED_GRAPHS.mistake("""A session saves the graph that it runs. Even without
        optimization that is not always the source: read it from the file.""")
    loses_domain = SAVED_GRAPHS.mistake("""Fused operators are the runtime's own. Outside the
        default domain the key is "domain::Op", because two domains can have operators of one name.
    """)
    main_graph_only = SAVED_GRAPHS.mistake("""The optimizer works in the branches of an If and in
        the body of a Loop as well; count the nodes of those graphs too.""")
    outer_branches_only = SAVED_GRAPHS.mistake("""A branch may hold another If, with branches of its
        own. Write a function that counts a graph, and calls itself for the graphs in it.""")
    kinds_not_nodes = SAVED_GRAPHS.mistake("""A graph may hold an operator many times. Count the
        nodes, not the kinds.""")
    holders_left_out = SAVED_GRAPHS.mistake("""An If, Loop or Scan is a node too: it counts, and so
        do the nodes of its graphs.""")
    misspelt_keys = SAVED_GRAPHS.mistake("""A key is the operator as the file spells it: "Op", or
        "domain::Op" with the whole domain and two colons.""")
    level_never_set = DEFAULT_LEVEL.mistake("""The level is never set, or all entries read one file.
        New SessionOptions have the level ORT_ENABLE_ALL.""")
    all_is_three = LEVELS.mistake("""The number 3 is ORT_ENABLE_LAYOUT. ORT_ENABLE_ALL is 99: take
        the members by their names.""")
    default_is_extended = LEVELS.mistake("""New SessionOptions have the level ORT_ENABLE_ALL, which
        is the default. Set the level for every session.""")
    layout_is_extended = LEVELS.mistake("""ORT_ENABLE_LAYOUT does all that ORT_ENABLE_EXTENDED does,
        and turns convolutions to another layout besides. Both have a member of their own.""")
    level_set_late = LEVELS.mistake("""Levels went to other entries than their own. Take the members
        by name, and set the level before the session is created.""")
    copies_source = SAVED_GRAPHS.mistake("""The source was copied over the file that the session
        saved.""")
    last_for_all = SAVED_GRAPHS.mistake("""The file was written by another session than the one that
        was counted, or written over afterwards.""")
    one_file = SAVED_GRAPHS.mistake("""Five sessions write to one path, and the last one wins. Each
        level has a file.""")
    other_names = SAVED_GRAPHS.mistake("""The files are called after the keys: disable.onnx,
        basic.onnx, and so on.""")
    elsewhere = SAVED_GRAPHS.mistake("""optimized_model_filepath is not set, set after the session
        was created, or a path that is not in the directory.""")
    totals = SAVED_GRAPHS.mistake("The value of each level maps operators to how often they occur.")
    constants = SAVED_GRAPHS.mistake("""The counts are fixed, or taken from another model: a
        variable from outside the function, or a file.""")
    nothing_saved = SAVED_GRAPHS.mistake("""No session saved anything. Set optimized_model_filepath
        for each level, and count the file that is there afterwards.""")
    sizes_fixed = SAVED_GRAPHS.mistake("""These are the source's inputs with other dimensions: an
        option, such as add_free_dimension_override_by_name, fixed a size that the source leaves
        open. Set the level and the file's name, and no other option that changes the graph.""")
    switched_off = SAVED_GRAPHS.mistake("""The file holds what you counted, and the level would have
        left something else. An argument such as disabled_optimizers, or an option besides the level,
        keeps the optimizers from their work.""")
    overwrites_source = SAVED_GRAPHS.mistake("""optimized_model_filepath names the file that the
        session writes: a file in directory, not the source.""")
    new_weights = SAVED_GRAPHS.mistake("""A level changes how a model is computed, not what. The
        file was made from another model, or edited afterwards.""")
    float_counts = SAVED_GRAPHS.mistake("A Counter over the nodes gives ints.")
    zero_counts = SAVED_GRAPHS.mistake("""A Counter over the nodes of a file has no key for an
        operator that the file does not hold.""")
    own_keys = LEVELS.mistake("""The keys are the short names of the table, as in the names of the
        files: "disable", not "ORT_DISABLE_ALL".""")
    numbers_to_three = LEVELS.mistake("There are five levels: {levels}.")
