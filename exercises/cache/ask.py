"""`cache`: generate text from one step of a decoder, whose cache of earlier tokens goes in and comes
out.

1. A cache input's name begins with `past` or `past_key_values`, the output that continues it with
   `present`, and the rest of the two names is the same. Neither list is in a promised order.
2. The first call of a row has an empty cache: the shape of the input, with the batch of the prompt
   where it says `batch`, and 0 where it names another dimension.
3. Where the file asks for them, `position_ids` count on from what the cache holds, and
   `attention_mask` has a 1 for each token of the cache and of the call.
4. A file whose `input_ids` have one column takes one token of each row in a call.
5. The most likely token is next, the one with the largest logit behind the last token of a row.
6. Each token is fed once, with those of other rows or alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from formatlab_exercises.cache.session import CountingSession
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURES = by_name(
    "cache_wiring(session) -> dict",
    "generate(session, prompt_ids, steps) -> numpy.ndarray",
)
WIRING, GENERATE = SIGNATURES
MODEL = "step.onnx"
ANSWER = "answer.json"
MOST_TOKENS = 4096
MOST_NAMES = 256


class Cache(Exercise):
    functions = SIGNATURES
    minutes = 80
    needs = ("function", "prompt", "steps")

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        session = CountingSession(case.files[MODEL])
        answer: dict[str, object]
        if case.parameters["function"] == WIRING:
            answer = {"wiring": _wiring(functions[WIRING](session))}
        else:
            prompt = np.array(case.parameters["prompt"], np.int64)
            returned = functions[GENERATE](session, prompt, case.parameters["steps"])
            answer = {**_tokens(returned), "fed": session.fed}
        return {ANSWER: json.dumps(answer).encode()}


def _wiring(returned: object) -> dict[str, str]:
    """Raises WrongType."""
    expected = "a dict from the name of each cache input to the name of an output"
    if not isinstance(returned, Mapping):
        raise WrongType(expected, type(returned).__name__)
    for name in (*returned.keys(), *returned.values()):
        if not isinstance(name, str):
            raise WrongType(expected, f"a dict that holds one of type {type(name).__name__}")
    if len(returned) > MOST_NAMES:
        raise WrongType(expected, f"a dict of {len(returned)} names")
    return {str(past): str(present) for past, present in returned.items()}


def _tokens(returned: object) -> dict[str, list]:
    """Raises WrongType."""
    expected = "an array of token ids, which are whole numbers"
    try:
        found = np.asarray(returned)
    except ValueError as error:  # rows of different lengths
        raise WrongType(expected, f"a {type(returned).__name__} of uneven rows") from error
    if returned is None or found.dtype.kind not in "iu":
        kind = type(returned).__name__
        raise WrongType(expected, f"an array of {found.dtype}" if kind == "ndarray" else kind)
    if found.size > MOST_TOKENS:
        raise WrongType(expected, f"{found.size} numbers")
    return {"shape": list(found.shape), "tokens": [int(each) for each in found.ravel()]}


EXERCISE = Cache()
