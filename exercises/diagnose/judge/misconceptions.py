"""What students get wrong in `diagnose`: what they take for a fault, what they overlook, and which
fault they take for another.
"""

from __future__ import annotations

from dataclasses import replace

from formatlab_exercises.diagnose.judge import cases
from nbjudge.findings import Misconception, Section

PAGE = "day-50/04-validation-ladder"
SESSION = Section(f"{PAGE}#session")
PARITY = Section(f"{PAGE}#parity")
CHECKER = Section(f"{PAGE}#checker")
PARSE = Section(f"{PAGE}#parse")
FULL_CHECK = Section(f"{PAGE}#full-check")
STRICT_SHAPES = Section(f"{PAGE}#strict-shapes")
METRIC = Section(f"{PAGE}#metric")
THE_LADDER = Section(f"{PAGE}#the-ladder")

# The part of the ladder at which a diagnosis is made: a wrong one of the same part was at least
# looked for in the right place.
PLACES = {
    **dict.fromkeys(("unreadable", "external-data"), "files"),
    **dict.fromkeys(("unknown-operator", "duplicate-name", "missing-value", "not-sorted"), "names"),
    **dict.fromkeys(("bad-versions", "no-kernel"), "versions"),
    **dict.fromkeys(("operand-mismatch", "false-declaration"), "shapes"),
    **dict.fromkeys(
        ("static-batch", "random-output", "wrong-numbers", "wrong-labels", "healthy"), "behaviour"
    ),
}
ANCHORS = {
    "parse": "parse",
    "checker": "checker",
    "full_check": "full-check",
    "strict_shapes": "strict-shapes",
    "session": "session",
    "parity": "parity",
    "metric": "metric",
}


class Mistakes:
    """Those that a rung recognises by itself."""

    foreign_means_no_kernel = SESSION.mistake("""The model defines the operator of this domain
        itself, in model.functions. A session runs it. Try it before you call it broken.""")
    dropout_means_random = PARITY.mistake("""A Dropout alone says nothing: this one is not in
        training mode, and two runs agree at both levels. Compare outputs, not names.""")
    exact_comparison = PARITY.mistake("""float16 is rounded more coarsely than the float32 of the
        expected outputs. Compare relatively, with the tolerance given.""")
    checker_without_path = CHECKER.mistake("""The weights are in a second file, and this file
        exists. Give the checker and the session the path of the model: without it they look in
        another folder.""")
    tensors_to_onnx = PARSE.cause("""A .safetensors file holds tensors and no graph, so only the
        first rung is about it. Do not hand it to onnx.""")
    parse_error_unread = PARSE.mistake("""The file does not parse. Catch the error of the first call
        that reads it.""")
    parse_raises_nothing = PARSE.mistake("""Nothing raises here, because every field of a message may
        be absent. Ask whether the model that onnx.load returns has a graph.""")
    checker_unread = CHECKER.mistake("""onnx.checker finds this fault. Read its message, and give it
        the path, so that it finds the files beside the model.""")
    shapes_not_inferred = FULL_CHECK.mistake("""The checker alone does not compute shapes.
        check_model(path, full_check=True) and strict shape inference do.""")
    values_not_followed = STRICT_SHAPES.mistake("""Strict shape inference needs data_prop=True to
        follow the values that a shape is computed from.""")
    session_unread = SESSION.mistake("""Only a session shows what ONNX Runtime accepts. Read its
        message.""")
    runs_left_out = PARITY.mistake("""Run all of read_runs(path), twice each: in sessions at
        ORT_DISABLE_ALL and ORT_ENABLE_ALL, and in the ReferenceEvaluator.""")
    labels_left_out = METRIC.mistake("""The outputs agree with the expected ones. Compare the
        largest output of each row with the label.""")
    not_unreadable = PARSE.mistake("""This file can be read: the bytes are whole. An error of a later
        rung is not one of the parser.""")
    data_there = CHECKER.cause("""The weights' file is there, long enough, and in the folder, or the
        weights are in the model itself.""")
    versions_known = SESSION.cause("""The model has all versions, and the runtime knows them. The
        fault is in an operator, not in a version number.""")
    operators_known = CHECKER.cause("""Every operator of the default domain exists at this opset.
        Which part of the message did you look for?""")
    names_once = CHECKER.cause("""Every name is given once. Names inside a branch may be the same as
        in its sibling.""")
    names_of_one_graph = CHECKER.mistake("""Every name is written, perhaps by a later node. Or the
        checker reports another fault. Collect the names that all nodes write, in branches too.""")
    believes_the_words = CHECKER.mistake("""Each node comes after the nodes that it reads from. The
        checker uses the same words if no node writes the name.""")
    operator_is_always_wrong = FULL_CHECK.mistake("""The operators fit together. Remove all
        declarations of inner values and outputs, and infer again. Is the error still there?""")
    declarations_agree = FULL_CHECK.cause("""No declaration contradicts what is inferred. Remove all
        declarations of inner values and outputs. Is the error gone?""")
    kernels_there = SESSION.cause("""A session accepts every operator, or the fault is another one.
        Read the whole message of the session.""")
    batches_run = PARITY.cause("No batch size is refused. Did a run fail for another reason?")
    runs_agree = PARITY.cause("Two runs on the same input agree, at both levels.")
    numbers_before_runs = PARITY.mistake("""The outputs are the expected ones, within the tolerance,
        wherever they can be compared. Compare relatively, and look first whether every batch runs
        and whether two runs agree.""")
    labels_right = METRIC.cause("""The model names the right classes often enough. Take the largest
        output along the last axis.""")
    names_of_all_graphs = CHECKER.mistake("""Two branches may use one name, because these are two
        values. Count the names of each graph by itself.""")
    names_of_nodes = CHECKER.mistake("""Nodes have names, too, and these do not matter: a
        node may be called as what it writes. The rule is about the names of values.""")
    names_of_a_sibling = CHECKER.mistake("""A branch sees the names of its own graph and of the graphs
        around it. What the other branch writes does not count, because only one of them runs.""")
    declarations_in_branches = FULL_CHECK.mistake("""The operators fit together. A branch has
        declarations too: those of its inner values and of its outputs.""")
    one_level = PARITY.mistake("""A session at ORT_DISABLE_ALL runs the graph of the file. Users run
        what ORT_ENABLE_ALL makes of it, and an optimization can be wrong.""")
    nan_is_random = PARITY.mistake("""NaN is not equal to NaN, so that a number that is NaN in both
        runs looks like another one. Compare with equal_nan=True.""")
    next_graph_alone = CHECKER.mistake("""A branch sees the names of all graphs around it, not of the
        next one alone.""")
    far_inside = FULL_CHECK.mistake("""The operators fit together. Each branch has a value_info of its
        own, and so have the branches inside it.""")
    noise_by_name = PARITY.mistake("""No operator's name says that two runs differ, and not all nodes
        stand in the main graph. Run the model twice.""")
    idle_noise = PARITY.mistake("""Something is drawn, but two runs agree, since it is multiplied by
        zero. Compare outputs, not names.""")
    share_of_all_rows = METRIC.mistake("""The share is one of the rows of all runs together, and a
        model that just reaches it is right often enough.""")
    another_share = METRIC.mistake("""The model is right about most rows. Compare the share with
        museum.ACCURACY.""")
    rung_left_out = THE_LADDER.cause("""The model fails at a rung that your function does not test,
        or at a level, a batch or an evaluator that it does not try.""")
    unknown_text = THE_LADDER.mistake("""The text is not in the list, letter for letter: an error's
        message was returned, or a diagnosis is spelled differently.""")
    mends_in_place = PARSE.mistake("""Your function wrote a file beside the model, or changed the
        model's file. Work on a copy, in memory or in a folder of your own.""")


# What looks broken and is not.
SUSPICIOUS = {
    "healthy-function": Mistakes.foreign_means_no_kernel,
    "healthy-dropout": Mistakes.dropout_means_random,
    "healthy-float16": Mistakes.exact_comparison,
    "healthy-external": Mistakes.checker_without_path,
    "healthy-tensors": Mistakes.tensors_to_onnx,
    "healthy-twins": Mistakes.names_of_all_graphs,
    "healthy-node-names": Mistakes.names_of_nodes,
    "healthy-drawn-for-nothing": Mistakes.idle_noise,
    "healthy-just-enough": Mistakes.share_of_all_rows,
}


# What a short cut makes of a file.
TOO_NARROW = {
    ("sibling-branch", "not-sorted"): Mistakes.names_of_a_sibling,
    ("declared-in-branch", "operand-mismatch"): Mistakes.declarations_in_branches,
    ("padded-pooling", "healthy"): Mistakes.one_level,
    ("unsorted-far-around", "missing-value"): Mistakes.next_graph_alone,
    ("declared-far-inside", "operand-mismatch"): Mistakes.far_inside,
    ("noise-in-branches", "wrong-numbers"): Mistakes.noise_by_name,
    ("too-few-labels", "healthy"): Mistakes.another_share,
    ("no-number", "random-output"): Mistakes.nan_is_random,
    ("float16-overflow", "random-output"): Mistakes.nan_is_random,
}


# By the rung that catches a fault: what was not done there.
OVERLOOKED = {
    "parse": Mistakes.parse_error_unread,
    "checker": Mistakes.checker_unread,
    "full_check": Mistakes.shapes_not_inferred,
    "strict_shapes": Mistakes.values_not_followed,
    "session": Mistakes.session_unread,
    "parity": Mistakes.runs_left_out,
    "metric": Mistakes.labels_left_out,
}


# By the diagnosis that was made: what would be so if it were right.
NEEDED = {
    "unreadable": Mistakes.not_unreadable,
    "external-data": Mistakes.data_there,
    "bad-versions": Mistakes.versions_known,
    "unknown-operator": Mistakes.operators_known,
    "duplicate-name": Mistakes.names_once,
    "missing-value": Mistakes.names_of_one_graph,
    "not-sorted": Mistakes.believes_the_words,
    "operand-mismatch": Mistakes.operator_is_always_wrong,
    "false-declaration": Mistakes.declarations_agree,
    "no-kernel": Mistakes.kernels_there,
    "static-batch": Mistakes.batches_run,
    "random-output": Mistakes.runs_agree,
    "wrong-numbers": Mistakes.numbers_before_runs,
    "wrong-labels": Mistakes.labels_right,
    "healthy": Mistakes.rung_left_out,
}


def missed(kind: str, expected: str, found: str) -> Misconception:
    """What is wrong with the file, or looks so, and what would have told it from what was found."""
    if kind in SUSPICIOUS:
        return SUSPICIOUS[kind]
    if kind.startswith("healthy-"):
        return _after("The file is in order.", NEEDED[found])
    exhibit = cases.EXHIBITS[kind]
    if kind == "cut-before-graph":
        return _after(exhibit.story, Mistakes.parse_raises_nothing)
    if (kind, found) in TOO_NARROW:
        return _after(exhibit.story, TOO_NARROW[kind, found])
    looked_there = found != "healthy" and PLACES[found] == PLACES[expected]
    hint = NEEDED[found] if looked_there else OVERLOOKED[exhibit.rung]
    return replace(_after(exhibit.story, hint), read=f"{PAGE}#{ANCHORS[exhibit.rung]}")


def _after(first: str, hint: Misconception) -> Misconception:
    return replace(hint, sentence=f"{first} {hint.sentence}")
