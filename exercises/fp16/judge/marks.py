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
    # Six points for the conversion, two for the search, each by itself. A conversion that is wrong
    # everywhere leaves a tenth of its points, which is what the cap of 33 % holds beside those of
    # the search.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, rungs.exists, cap_all=0.0, gate=True),
        RungSpec("type", 0.0, rungs.is_answer, cap_all=0.0, gate=True),
        RungSpec(
            "loads", 0.4, rungs.loads, cap_some=0.6, cap_all=0.33, gate=True, function="to_fp16"
        ),
        RungSpec(
            "contract", 1.6, rungs.keeps_signature, cap_some=0.8, cap_all=0.8, function="to_fp16"
        ),
        RungSpec("structure", 1.8, rungs.is_float16, cap_some=0.7, cap_all=0.6, function="to_fp16"),
        RungSpec(
            "numerics", 1.8, rungs.means_the_same, cap_some=0.7, cap_all=0.33, function="to_fp16"
        ),
        RungSpec("quality", 0.4, rungs.is_clean, function="to_fp16"),
        RungSpec("search", 2.0, rungs.finds_the_overflow, function="find_overflow", slip=2),
    )

    def function_of(self, case: Case) -> str:
        return rungs.FUNCTIONS[case.parameters["ask"]]

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The converted model's outputs on the case's inputs, `<run>/<position>`; or the names, as
        JSON.
        """
        if case.parameters["ask"] == "convert":
            return numerics.pack(
                [evaluate(answer.files[MODEL], feeds) for feeds in inputs_of(case)]
            )
        return {"names": np.frombuffer(answer.files[NAMES], np.uint8)}


JUDGE = Fp16Judge()
