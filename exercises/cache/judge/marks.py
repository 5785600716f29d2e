"""What `cache` gives points for, and its rungs in their order."""

from __future__ import annotations

import json

import numpy as np

from formatlab_exercises.cache.ask import GENERATE, MODEL, WIRING
from formatlab_exercises.cache.judge import decoding, rungs
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate

FED_ONCE = ("contract", "numerics", "quality")


class CacheJudge(Judge):
    # Whoever never passes a cache on feeds everything again: this is right in files that take any
    # number of tokens, and costs `once` and the items of files that take one.
    # Rows show in three items: several rows of the prompt are what a mask, one tensor and most files
    # of several differences have as well.
    points = 4.0
    items = (
        ItemSpec(
            name="wiring",
            title="which output continues which cache input",
            points=0.5,
            cases=("wires-plain*", "wires-mask*"),
        ),
        ItemSpec(
            name="wiring-in-any-order",
            title="the same, where the two lists have other orders",
            points=0.3,
            cases=("wires-other-order*", "wires-all-together-new"),
        ),
        ItemSpec(
            name="wiring-of-one-tensor",
            title="the same, where the whole cache is one tensor",
            points=0.2,
            cases=("wires-one-tensor*",),
        ),
        ItemSpec(
            name="usual",
            title="the tokens that follow one row",
            points=0.6,
            cases=("plain*", "attention*", "prompt-of-one*", "one-step"),
        ),
        ItemSpec(name="rows", title="several rows at once", points=0.3, cases=("two-rows*",)),
        ItemSpec(
            name="one-at-a-time",
            title="a file that takes one token of each row",
            points=0.3,
            cases=("one-at-a-time*",),
        ),
        ItemSpec(
            name="positions-and-mask",
            title="positions and a mask",
            points=0.5,
            cases=("positions*", "mask*"),
        ),
        ItemSpec(
            name="any-order",
            title="caches in another order than their outputs",
            points=0.3,
            cases=("other-order*",),
        ),
        ItemSpec(
            name="form-of-the-cache",
            title="a cache in one tensor, with another order of dimensions, or in float16",
            points=0.4,
            cases=("one-tensor*", "tokens-before-heads*", "half-cache*"),
        ),
        ItemSpec(
            name="together",
            title="several of these in one file",
            points=0.2,
            cases=("many-rows", "all-together"),
            needs=FED_ONCE,
        ),
        ItemSpec(
            name="once",
            title="each token fed once",
            points=0.4,
            cases=("plain*", "attention*"),
            needs=FED_ONCE,
        ),
    )
    rungs = (
        gate("exists", rungs.exists),
        gate("type", rungs.is_answer, title="returns what the task asks for"),
        RungSpec(
            "contract",
            rungs.has_a_token_for_each_row_and_step,
            title="has a token for each row and each step",
            function=GENERATE,
        ),
        RungSpec(
            "structure",
            rungs.wires_each_cache,
            title="wires each cache to its output",
            function=WIRING,
        ),
        RungSpec(
            "numerics",
            rungs.gives_the_tokens_of_the_model,
            title="gives the tokens of the model",
            function=GENERATE,
        ),
        RungSpec(
            "quality",
            rungs.feeds_each_token_once,
            title="feeds each token once",
            is_property=True,
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
