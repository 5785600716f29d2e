"""What a wrong diagnosis of the exercise `diagnose` most likely comes from."""

from __future__ import annotations

from typing import NamedTuple

from exercises.diagnose.judge import cases

PAGE = "day-50/04-validation-ladder"

# The part of the ladder at which a diagnosis is made: a wrong one of the same part was at least looked for in the right place.
PLACES = {
    **dict.fromkeys(("unreadable", "external-data"), "files"),
    **dict.fromkeys(("unknown-operator", "duplicate-name", "missing-value", "not-sorted"), "names"),
    **dict.fromkeys(("bad-versions", "no-kernel"), "versions"),
    **dict.fromkeys(("operand-mismatch", "false-declaration"), "shapes"),
    **dict.fromkeys(("static-batch", "random-output", "wrong-numbers", "wrong-labels", "healthy"), "behaviour"),
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


class Symptom(NamedTuple):
    """Why the diagnosis went wrong, and the anchor of the section that explains it."""

    cause: str
    anchor: str


# Of what looks broken and is not.
SUSPICIOUS = {
    "healthy-function": Symptom(
        "The domain is unknown, and the model defines its operator itself, in model.functions. A session runs it: try, do not guess.",
        "session",
    ),
    "healthy-dropout": Symptom(
        "A Dropout alone says nothing: this one is not in training mode, and two runs agree at both levels. Compare outputs, not names.",
        "parity",
    ),
    "healthy-float16": Symptom(
        "float16 is rounded more coarsely than the float32 of the expected outputs. Compare relatively, with the tolerance given.",
        "parity",
    ),
    "healthy-external": Symptom(
        "The weights lie in a second file, and it is there. Give the checker and the session the path: without it they look elsewhere.",
        "checker",
    ),
    "healthy-tensors": Symptom(
        "A .safetensors file holds tensors and no graph, so only the first rung is about it. Do not hand it to onnx.",
        "parse",
    ),
}
OVERLOOKED = {
    "checker": "onnx.checker says what it is. Read its message, and give it the path, so that it sees the files beside the model.",
    "full_check": "The checker alone does not compute shapes. check_model(path, full_check=True) and strict shape inference do.",
    "strict_shapes": "Strict shape inference needs data_prop=True to follow the values that a shape is computed from.",
    "session": "Only a session tells what ONNX Runtime takes. Read its message.",
    "parity": "Run all of read_runs(path), twice each: in sessions at ORT_DISABLE_ALL and ORT_ENABLE_ALL, and in the ReferenceEvaluator.",
    "metric": "The outputs agree with the expected ones. Compare the largest output of each row with the label.",
    "parse": "The file does not parse. Catch the error of the first call that reads it.",
}
NEEDED = {
    "unreadable": ("This file can be read: the bytes are whole. An error of a later rung is not one of the parser.", "parse"),
    "external-data": ("The weights' file is there, long enough, and in the folder, or the weights are in the model itself.", "checker"),
    "bad-versions": (
        "The versions are there, and the runtime knows them. An operator's trouble is not that of its version's number.",
        "session",
    ),
    "unknown-operator": (
        "Every operator of the default domain exists at this opset. Which part of the message did you look for?",
        "checker",
    ),
    "duplicate-name": ("Every name is given once. Names inside a branch may be the same as in its sibling.", "checker"),
    "missing-value": (
        "Somebody gives every name: perhaps further down, or the checker complains of something else. Collect what all nodes give, "
        "those of branches too.",
        "checker",
    ),
    "not-sorted": (
        "Each node follows those that it reads. The checker's words about sorting also stand there when a name is given by no node.",
        "checker",
    ),
    "operand-mismatch": (
        "The operators fit together. Take all declarations of inner values and outputs away, and infer again: does the error stay?",
        "full-check",
    ),
    "false-declaration": (
        "No declaration contradicts what is inferred. Take all declarations of inner values and outputs away: does the error go?",
        "full-check",
    ),
    "no-kernel": ("A session takes every operator, or something else is wrong: read the session's message to its end.", "session"),
    "static-batch": (
        "No batch size is refused. A run may fail for another reason, and shapes may be fixed and never asked otherwise.",
        "parity",
    ),
    "random-output": ("Two runs on the same input agree, at both levels.", "parity"),
    "wrong-numbers": (
        "The outputs are the expected ones, within the tolerance, wherever they can be compared. Compare relatively, and look first "
        "whether every batch runs and whether two runs agree.",
        "parity",
    ),
    "wrong-labels": ("The model names the right classes often enough. Take the largest output along the last axis.", "metric"),
    "healthy": (
        "A rung breaks that the function does not climb, or at a level, a batch or an evaluator that it does not try.",
        "the-ladder",
    ),
}


def missed(kind: str, expected: str, found: str) -> Symptom:
    """What is wrong with the file, or looks so, and what would have told it from what was found."""
    if kind in SUSPICIOUS:
        return SUSPICIOUS[kind]
    if kind.startswith("healthy-"):
        return Symptom(f"The file is in order. {NEEDED[found][0]}", NEEDED[found][1])
    exhibit = cases.EXHIBITS[kind]
    looked_there = found != "healthy" and PLACES[found] == PLACES[expected]
    hint = NEEDED[found][0] if looked_there else OVERLOOKED[exhibit.rung]
    return Symptom(f"{exhibit.story} {hint}", ANCHORS[exhibit.rung])
