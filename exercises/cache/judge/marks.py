"""The rungs of `cache` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import json

import numpy as np

from formatlab_exercises.cache.ask import GENERATE, MODEL, WIRING
from formatlab_exercises.cache.judge import decoding, rungs
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate


class CacheJudge(Judge):
    # A wrong case costs twice its share of the rung's points. Tokens that are wrong on more than half
    # of the cases leave what the wiring is worth. A loop that never passes a cache on leaves half.
    rungs = (
        gate("exists", 0.0, rungs.exists),
        gate("type", 0.0, rungs.is_answer, title="returns what the task asks for"),
        RungSpec(
            "contract",
            0.3,
            rungs.has_a_token_for_each_row_and_step,
            cap_all=0.35,
            slip=2,
            function=GENERATE,
        ),
        RungSpec("structure", 1.0, rungs.wires_each_cache, cap_all=0.8, slip=2, function=WIRING),
        RungSpec(
            "numerics",
            2.3,
            rungs.gives_the_tokens_of_the_model,
            cap_all=0.35,
            slip=2,
            function=GENERATE,
        ),
        RungSpec(
            "quality",
            0.4,
            rungs.feeds_each_token_once,
            cap_some=0.8,
            cap_all=0.5,
            function=GENERATE,
        ),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        if case.parameters["function"] == WIRING:
            written = json.dumps(rungs.wiring(answer), sort_keys=True).encode()
            return {"wiring": np.frombuffer(written, np.uint8)}
        outputs = decoding.session_of(case.files[MODEL]).get_outputs()
        logits = next(each for each in outputs if each.name == decoding.LOGITS)
        return {
            "tokens": np.asarray(rungs.tokens(answer)),
            "vocabulary": np.array(logits.shape[-1]),
        }


JUDGE = CacheJudge()
