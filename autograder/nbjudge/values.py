"""Exercises whose one function takes and returns plain values, such as JSON holds: how it is
called. `rungs.values` judges them.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import ClassVar

from nbjudge.contract import Case, Exercise, Functions, WrongType
from nbjudge.wire import MAX_ANSWER

ANSWER = "answer.json"
PLAIN = "numbers, texts, lists and dicts with texts as keys"


class ValueExercise(Exercise):
    """A case's `arguments` are what the function is called with."""

    needs: ClassVar[tuple[str, ...]] = ("arguments",)

    def call(
        self,
        functions: Functions,
        case: Case,
        scratch: Path,  # noqa: ARG002  # other exercises write files there
    ) -> dict[str, bytes]:
        """`answer.json`: what the function returned."""
        [function] = (functions[name] for name in self.functions)
        result = function(*copy.deepcopy(case.parameters["arguments"]))
        try:
            data = json.dumps(result, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError):
            raise WrongType(PLAIN, type(result).__name__) from None
        if len(data) > MAX_ANSWER:
            raise WrongType(
                f"{PLAIN}, at most {MAX_ANSWER >> 20} MB of them as JSON", f"{len(data)} bytes"
            )
        return {ANSWER: data}
