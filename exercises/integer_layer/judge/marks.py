"""The rungs of `integer_layer` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.integer_layer.ask import EXPECTED, SIGNATURE
from formatlab_exercises.integer_layer.judge import rungs
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


class IntegerLayerJudge(Judge):
    # Codes are right or wrong, bit for bit. A mistake that shows on a few layers leaves most of the
    # points.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, rungs.LAYER)),
        gate("type", 0.0, arrays.returns(EXPECTED, rungs.LAYER, ("codes",))),
        RungSpec("contract", 0.1, rungs.has_the_type, cap_some=0.7, cap_all=0.5),
        RungSpec("numerics", 0.9, rungs.has_the_codes, cap_all=0.1, slip=2),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {"codes": known(arrays.read(answer))["codes"]}


JUDGE = IntegerLayerJudge()
