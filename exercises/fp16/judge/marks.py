"""The rungs of `fp16` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab import numerics
from formatlab_exercises.fp16.ask import SIGNATURE
from formatlab_exercises.fp16.judge import cases, rungs
from formatlab_exercises.fp16.judge.evaluate import evaluate, inputs_of
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class Fp16Judge(Judge):
    # The structure is earned in two parts: models whose numbers all fit, and models in which some
    # nodes stay float32. A conversion that is wrong everywhere leaves a tenth, and so do models that
    # store float16 and compute in float32.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, rungs.READ)),
        gate("type", 0.0, rungs.is_converted, title="returns a model with numbers in float16"),
        gate("loads", 0.3, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec(
            "contract",
            1.0,
            rungs.keeps_signature,
            title="keeps the inputs, the outputs and the model that was given",
            cap_some=0.8,
            cap_all=0.8,
        ),
        *(
            RungSpec(
                f"structure: {part}",
                1.1,
                rungs.is_float16,
                cap_some=0.7,
                cap_all=most,
                function=part,
            )
            for part, most in zip(cases.PARTS, (0.4, 0.7), strict=True)
        ),
        RungSpec("structure: at all", 0.0, rungs.computes_in_float16, cap_all=0.1, all_at=0.5),
        RungSpec(
            "numerics",
            1.2,
            rungs.means_the_same,
            title="computes the same in true float16",
            cap_some=0.7,
            cap_all=0.1,
        ),
        RungSpec("quality", 0.3, rungs.is_clean, title="has no Cast without a purpose"),
    )

    def function_of(self, case: Case) -> str:
        return cases.part_of(case)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The converted model's outputs on the case's inputs, `<run>/<position>`."""
        return numerics.pack([evaluate(answer.files[MODEL], feeds) for feeds in inputs_of(case)])


JUDGE = Fp16Judge()
