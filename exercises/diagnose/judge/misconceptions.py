"""What students get wrong in `diagnose`: what they take for a fault, what they overlook, and which
fault they take for another.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.findings import Misconception, cause, misconception
from exercises.diagnose.judge import cases

PAGE = "day-50/04-validation-ladder"

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


@misconception(f"{PAGE}#session")
def foreign_means_no_kernel():
    """The model defines the operator of this domain itself, in model.functions. A session runs it.
    Try it before you call it broken.
    """


@misconception(f"{PAGE}#parity")
def dropout_means_random():
    """A Dropout alone says nothing: this one is not in training mode, and two runs agree at both
    levels. Compare outputs, not names.
    """


@misconception(f"{PAGE}#parity")
def exact_comparison():
    """float16 is rounded more coarsely than the float32 of the expected outputs. Compare
    relatively, with the tolerance given.
    """


@misconception(f"{PAGE}#checker")
def checker_without_path():
    """The weights are in a second file, and this file exists. Give the checker and the session the
    path of the model: without it they look in another folder.
    """


@cause(f"{PAGE}#parse")
def _tensors_to_onnx():
    """A .safetensors file holds tensors and no graph, so only the first rung is about it. Do not
    hand it to onnx.
    """


# What looks broken and is not.
SUSPICIOUS = {
    "healthy-function": foreign_means_no_kernel,
    "healthy-dropout": dropout_means_random,
    "healthy-float16": exact_comparison,
    "healthy-external": checker_without_path,
    "healthy-tensors": _tensors_to_onnx,
}


@misconception(f"{PAGE}#parse")
def parse_error_unread():
    """The file does not parse. Catch the error of the first call that reads it."""


@misconception(f"{PAGE}#checker")
def checker_unread():
    """onnx.checker finds this fault. Read its message, and give it the path, so that it finds the
    files beside the model.
    """


@misconception(f"{PAGE}#full-check")
def shapes_not_inferred():
    """The checker alone does not compute shapes. check_model(path, full_check=True) and strict
    shape inference do.
    """


@misconception(f"{PAGE}#strict-shapes")
def values_not_followed():
    """Strict shape inference needs data_prop=True to follow the values that a shape is computed
    from.
    """


@misconception(f"{PAGE}#session")
def session_unread():
    """Only a session shows what ONNX Runtime accepts. Read its message."""


@misconception(f"{PAGE}#parity")
def runs_left_out():
    """Run all of read_runs(path), twice each: in sessions at ORT_DISABLE_ALL and ORT_ENABLE_ALL,
    and in the ReferenceEvaluator.
    """


@misconception(f"{PAGE}#metric")
def labels_left_out():
    """The outputs agree with the expected ones. Compare the largest output of each row with the
    label.
    """


# By the rung that catches a fault: what was not done there.
OVERLOOKED = {
    "parse": parse_error_unread,
    "checker": checker_unread,
    "full_check": shapes_not_inferred,
    "strict_shapes": values_not_followed,
    "session": session_unread,
    "parity": runs_left_out,
    "metric": labels_left_out,
}


@cause(f"{PAGE}#parse")
def _not_unreadable():
    """This file can be read: the bytes are whole. An error of a later rung is not one of the
    parser.
    """


@cause(f"{PAGE}#checker")
def _data_there():
    """The weights' file is there, long enough, and in the folder, or the weights are in the model
    itself.
    """


@cause(f"{PAGE}#session")
def _versions_known():
    """The model has all versions, and the runtime knows them. The fault is in an operator, not in a
    version number.
    """


@cause(f"{PAGE}#checker")
def _operators_known():
    """Every operator of the default domain exists at this opset. Which part of the message did you
    look for?
    """


@cause(f"{PAGE}#checker")
def _names_once():
    """Every name is given once. Names inside a branch may be the same as in its sibling."""


@misconception(f"{PAGE}#checker")
def names_of_one_graph():
    """Every name is written, perhaps by a later node. Or the checker reports another fault. Collect
    the names that all nodes write, in branches too.
    """


@misconception(f"{PAGE}#checker")
def believes_the_words():
    """Each node comes after the nodes that it reads from. The checker uses the same words if no
    node writes the name.
    """


@misconception(f"{PAGE}#full-check")
def operator_is_always_wrong():
    """The operators fit together. Remove all declarations of inner values and outputs, and infer
    again. Is the error still there?
    """


@cause(f"{PAGE}#full-check")
def _declarations_agree():
    """No declaration contradicts what is inferred. Remove all declarations of inner values and
    outputs. Is the error gone?
    """


@cause(f"{PAGE}#session")
def _kernels_there():
    """A session accepts every operator, or the fault is another one. Read the whole message of the
    session.
    """


@cause(f"{PAGE}#parity")
def _batches_run():
    """No batch size is refused. Did a run fail for another reason?"""


@cause(f"{PAGE}#parity")
def _runs_agree():
    """Two runs on the same input agree, at both levels."""


@misconception(f"{PAGE}#parity")
def numbers_before_runs():
    """The outputs are the expected ones, within the tolerance, wherever they can be compared.
    Compare relatively, and look first whether every batch runs and whether two runs agree.
    """


@cause(f"{PAGE}#metric")
def _labels_right():
    """The model names the right classes often enough. Take the largest output along the last axis."""


@cause(f"{PAGE}#the-ladder")
def _rung_left_out():
    """The model fails at a rung that your function does not test, or at a level, a batch or an
    evaluator that it does not try.
    """


# By the diagnosis that was made: what would be so if it were right.
NEEDED = {
    "unreadable": _not_unreadable,
    "external-data": _data_there,
    "bad-versions": _versions_known,
    "unknown-operator": _operators_known,
    "duplicate-name": _names_once,
    "missing-value": names_of_one_graph,
    "not-sorted": believes_the_words,
    "operand-mismatch": operator_is_always_wrong,
    "false-declaration": _declarations_agree,
    "no-kernel": _kernels_there,
    "static-batch": _batches_run,
    "random-output": _runs_agree,
    "wrong-numbers": numbers_before_runs,
    "wrong-labels": _labels_right,
    "healthy": _rung_left_out,
}


@misconception(f"{PAGE}#the-ladder")
def unknown_text():
    """The text is not in the list, letter for letter: an error's message was returned, or a
    diagnosis is spelled differently.
    """


@misconception(f"{PAGE}#parse")
def mends_in_place():
    """Your function wrote a file beside the model, or changed the model's file. Work on a copy, in
    memory or in a folder of your own.
    """


def missed(kind: str, expected: str, found: str) -> Misconception:
    """What is wrong with the file, or looks so, and what would have told it from what was found."""
    if kind in SUSPICIOUS:
        return SUSPICIOUS[kind]
    if kind.startswith("healthy-"):
        return _after("The file is in order.", NEEDED[found])
    exhibit = cases.EXHIBITS[kind]
    looked_there = found != "healthy" and PLACES[found] == PLACES[expected]
    hint = NEEDED[found] if looked_there else OVERLOOKED[exhibit.rung]
    return replace(_after(exhibit.story, hint), read=f"{PAGE}#{ANCHORS[exhibit.rung]}")


def _after(first: str, hint: Misconception) -> Misconception:
    return replace(hint, sentence=f"{first} {hint.sentence}")
