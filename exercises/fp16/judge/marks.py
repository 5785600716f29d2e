"""The rungs of `fp16` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from autograder.contract import Answer, Case, Judge, RungSpec
from exercises.fp16.ask import MODEL, NAMES
from exercises.fp16.judge import rungs
from exercises.fp16.judge.evaluate import evaluate, inputs_of
from workbench import numerics


class Fp16Judge(Judge):
    # One function alone is worth half, a model that was not converted 40 %. Numbers, nodes or names that are wrong cost 40 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, rungs.exists, cap_some=0.5, cap_all=0.0, gate=True),
        RungSpec("type", 0.2, rungs.is_answer, cap_some=0.4, cap_all=0.0, gate=True),
        RungSpec("loads", 0.8, rungs.loads, cap_some=0.5, cap_all=0.1, gate=True),
        RungSpec("contract", 0.4, rungs.keeps_signature, cap_some=0.7, cap_all=0.7),
        RungSpec("structure", 1.2, rungs.is_float16, cap_some=0.6, cap_all=0.6),
        RungSpec("numerics", 1.2, rungs.means_the_same, cap_some=0.6, cap_all=0.1),
        RungSpec("quality", 0.2, rungs.is_clean, cap_some=0.95, cap_all=0.95),
    )

    def function_of(self, case: Case) -> str:
        return rungs.FUNCTIONS[case.parameters["ask"]]

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The converted model's outputs on the case's inputs, `<run>/<position>`; or the names, as JSON."""
        if case.parameters["ask"] == "convert":
            return numerics.pack([evaluate(answer.files[MODEL], feeds) for feeds in inputs_of(case)])
        return {"names": np.frombuffer(answer.files[NAMES], np.uint8)}


JUDGE = Fp16Judge()
