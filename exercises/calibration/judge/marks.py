"""The rungs of `calibration` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.calibration.judge import misconceptions, rungs
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Answer, Case, Judge, RungSpec
from nbjudge.rungs.outcome import known


class CalibrationJudge(Judge):
    # The percentile is worth a quarter, the entropy three. Each counts by itself, and each histogram
    # that is cut wrongly costs its share of the function's points twice. No rung is a gate: to refuse
    # a case is to be wrong in it.
    rungs = (
        RungSpec("exists", 0.0, rungs.exists, cap_some=0.8, cap_all=0.0),
        RungSpec("type", 0.0, rungs.is_number, cap_some=0.8, cap_all=0.0),
        RungSpec("contract", 0.0, rungs.keeps_the_histogram, cap_some=0.8, cap_all=0.8),
        RungSpec(
            "structure",
            0.5,
            rungs.cuts_rightly(
                "percentile_cut",
                (*misconceptions.PERCENTILE, *misconceptions.IN_ONE_KIND),
            ),
            cap_all=0.75,
            slip=2,
            function="percentile_cut",
        ),
        RungSpec(
            "numerics",
            1.5,
            rungs.cuts_rightly("entropy_cut", misconceptions.ENTROPY),
            cap_all=0.25,
            slip=2,
            function="entropy_cut",
        ),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {"cut": known(arrays.read(answer))["cut"].astype(np.float64)}


JUDGE = CalibrationJudge()
