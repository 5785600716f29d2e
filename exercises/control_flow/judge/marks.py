"""The rungs of `control_flow` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab import numerics
from formatlab_exercises.control_flow.ask import MODEL
from formatlab_exercises.control_flow.judge import rungs
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate


class ControlFlowJudge(Judge):
    # One function alone is worth half, a branch or loop that is frozen little more. A Where that
    # computes both branches costs 20 %, and beside a function that is not done it is worth a tenth.
    rungs = (
        gate("exists", 0.0, rungs.exists, cap_some=0.5),
        gate("type", 0.0, rungs.is_model, title="returns a model", cap_some=0.5),
        gate("loads", 0.6, rungs.loads, cap_some=0.5, cap_all=0.1),
        RungSpec("contract", 0.5, rungs.has_the_signature, cap_some=0.7, cap_all=0.5),
        RungSpec("structure", 0.3, rungs.chooses_and_repeats, cap_some=0.8, cap_all=0.1),
        RungSpec("numerics", 0.6, rungs.computes_the_same, cap_some=0.55, cap_all=0.1),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs on the case's inputs: `<run>/0`."""
        return numerics.pack(
            [outputs[0] for outputs in numerics.run(answer.files[MODEL], rungs.inputs(case))]
        )


JUDGE = ControlFlowJudge()
