"""The rungs of `cache`, each on one case."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np

from formatlab_exercises.cache.ask import ANSWER, GENERATE, MODEL, SIGNATURES, WIRING
from formatlab_exercises.cache.judge import decoding
from formatlab_exercises.cache.judge.misconceptions import (
    BY_NAME,
    LOOP,
    STEP,
    WRONG,
    Mistakes,
)
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

READS = {WIRING: STEP, GENERATE: LOOP}
EXPECTED = {
    WIRING: "a dict from the name of each cache input to the name of an output",
    GENERATE: "an array of token ids, which are whole numbers",
}
UNKNOWN = """Follow the first call in which a token differs: what went in as cache, which positions,
and which logits you read."""

exists = outcome.exists_of(
    lambda case: (SIGNATURES[case.parameters["function"]], READS[case.parameters["function"]])
)


def wiring(answer: Answer) -> dict[str, str] | None:
    """What `cache_wiring` gave; None for anything else (the runner box is not trusted)."""
    data = outcome.report(answer, ANSWER, wiring=dict)
    if data is None or not all(isinstance(name, str) for name in data["wiring"].values()):
        return None
    found: dict[str, str] = data["wiring"]
    return found


def tokens(answer: Answer) -> np.ndarray | None:
    """What `generate` gave, as int64 of its own shape; None for anything else."""
    data = outcome.report(answer, ANSWER, tokens=list, shape=list, fed=int)
    if data is None or not all(type(each) is int for each in (*data["tokens"], *data["shape"])):
        return None
    try:
        return np.array(data["tokens"], np.int64).reshape(data["shape"])
    except (OverflowError, ValueError):
        return None


def is_answer(view: View) -> Finding | None:
    function = view.case.parameters["function"]
    read = wiring if function == WIRING else tokens
    section = WRONG if view.answer.outcome == "raised" and function == GENERATE else READS[function]
    finding = outcome.returns(EXPECTED[function], section, read)(view)
    if finding is not None and view.answer.outcome == "raised" and function == GENERATE:
        return _refused(view, finding)
    return finding


# What the session says of an array that it refuses.
OTHER_SHAPE = re.compile(
    r"(position_ids|attention_mask) has the shape \((\d+), (\d+)\), and this call needs \((\d+), (\d+)\)"
)
OTHER_CACHE = re.compile(r"the cache \S+ has the shape")
OTHER_TYPE = re.compile(r"Actual: \(tensor\((double|float|float16)\)\)")


def _refused(view: View, finding: Finding) -> Finding:
    """Why the session refused a call, where its text says so."""
    text = view.answer.error.get("text", "")
    if shape := OTHER_SHAPE.search(text):
        name, rows, columns, wanted_rows, wanted_columns = shape.groups()
        what = "rows" if rows != wanted_rows else "columns"
        found, wanted = (
            (int(rows), int(wanted_rows)) if what == "rows" else (int(columns), int(wanted_columns))
        )
        refused = f"the session refuses {name}, which has {'fewer' if found < wanted else 'more'} {what} than the call needs"
        return replace(finding, found=refused, cause=Mistakes.other_shape)
    if OTHER_CACHE.search(text):
        refused = "the session refuses a cache of another shape than the call needs"
        return replace(finding, found=refused, cause=Mistakes.other_cache)
    if kind := OTHER_TYPE.search(text):
        refused = (
            f"the session refuses an array of type {kind[1]}, because the file asks for another"
        )
        return replace(finding, found=refused, cause=Mistakes.other_type)
    if "invalid dimensions for input: input_ids" in text:
        refused = "the session refuses input_ids, which has more columns than the file takes"
        return replace(finding, found=refused, cause=Mistakes.many_at_once)
    return finding


def wires_each_cache(view: View) -> Finding | None:
    found = wiring(view.answer)
    right = json.loads(view.reference["wiring"].tobytes())
    if found == right:
        return None
    expected = "each cache input with the output that continues it, and nothing else"
    if view.case.public:
        expected += f": {right}"
    what, cause = _miswired(view.case, found or {}, right)
    return Finding(expected, f"{what}: {found}" if view.case.public else what, cause)


def _miswired(case: Case, found: dict[str, str], right: dict[str, str]) -> tuple:
    session = decoding.session_of(case.files[MODEL])
    inputs = [each.name for each in session.get_inputs()]
    pasts = [name for name in inputs if name in right]
    outputs = [each.name for each in session.get_outputs()]
    if found == {present: past for past, present in right.items()}:
        return "a dict from outputs to inputs", Mistakes.backwards
    if found.keys() > right.keys() and found.keys() <= set(inputs):
        return "inputs that are no caches", Mistakes.other_inputs
    if found.keys() < right.keys():
        return f"{len(right) - len(found)} cache inputs without an output", Mistakes.caches_missing
    behind = [name for name in outputs if name != decoding.LOGITS]
    for order in (behind, outputs[1:], outputs):
        if found == dict(zip(pasts, order, strict=False)):
            return "inputs and outputs paired by their places", Mistakes.paired_by_place
    return "other pairs", Mistakes.wrong_pairs


def has_a_token_for_each_row_and_step(view: View) -> Finding | None:
    found = known(tokens(view.answer))
    right = view.reference["tokens"]
    rows, steps = right.shape
    length = np.shape(view.case.parameters["prompt"])[1]
    if found.shape == right.shape:
        if found.size and found.min() >= 0 and found.max() < view.reference["vocabulary"]:
            return None
        return Finding("ids of tokens", "a number that is no token id", Mistakes.no_tokens)
    expected = f"an array of shape ({rows}, {steps}), a row for each row of the prompt"
    what = f"one of shape {tuple(found.shape)}"
    if found.ndim == 2 and found.shape[0] == rows:
        is_longer = found.shape[1] in (steps + length, steps + length - 1)
        cause = Mistakes.prompt_returned if is_longer else Mistakes.number_of_steps
        return Finding(expected, what, cause)
    return Finding(expected, what, Mistakes.other_axes)


def gives_the_tokens_of_the_model(view: View) -> Finding | None:
    found = known(tokens(view.answer))
    right = view.reference["tokens"]
    if np.array_equal(found, right):
        return None
    if found.shape != right.shape:
        return has_a_token_for_each_row_and_step(view)
    expected = "the tokens that follow when each call reads all of the cache"
    what = f"others from step {_first_difference(found, right)} on"
    if view.case.public:
        expected += f": {right.tolist()}"
        what += f": {found.tolist()}"
    name = recognised(view.case, found)
    if name is None:
        return Finding(expected, what, " ".join(UNKNOWN.split()), LOOP)
    return Finding(expected, what, BY_NAME[name])


def recognised(case: Case, found: np.ndarray) -> str | None:
    """The mistake that leads to these tokens."""
    prompt = np.array(case.parameters["prompt"], np.int64)
    replayed = decoding.mistakes(case.files[MODEL], prompt, case.parameters["steps"])
    return next((name for name, those in replayed.items() if np.array_equal(those, found)), None)


def _first_difference(found: np.ndarray, right: np.ndarray) -> int:
    return int(np.flatnonzero((found != right).any(axis=0))[0]) + 1


def feeds_each_token_once(view: View) -> Finding | None:
    """The last token that is chosen need not be fed, and may be. Rows may be fed together or one
    after the other.
    """
    fed = known(outcome.report(view.answer, ANSWER, fed=int))["fed"]
    rows, length = np.shape(view.case.parameters["prompt"])
    least = length + view.case.parameters["steps"] - 1
    if rows * least <= fed <= rows * (least + 1):
        return None
    is_more = fed > rows * least
    return Finding(
        f"{least} tokens fed for each row: the prompt, and each new token but the last",
        f"{fed / rows:g} tokens for each of {rows} rows" if rows > 1 else f"{fed} tokens",
        Mistakes.fed_again if is_more else "The session was not asked for each of the tokens.",
        WRONG,
    )
