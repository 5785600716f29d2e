"""The rungs of `shapes` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.shapes.judge import rungs
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate


class ShapesJudge(Judge):
    # One function alone is worth about half. A wrong case costs twice its share of the rung's points,
    # and one that breaks a gate its share of the exercise; a formula or a judgement that is wrong on
    # more than half of the cases costs 40 %.
    rungs = (
        gate("exists", 0.0, rungs.exists),
        gate("type", 0.0, rungs.is_answer, title="returns what the task asks for"),
        gate("loads", 0.3, rungs.looks_at_its_argument),
        RungSpec(
            "contract",
            0.4,
            rungs.counts_each_value_once,
            cap_all=0.8,
            slip=2,
            function="shape_coverage",
        ),
        RungSpec(
            "structure",
            0.95,
            rungs.judges_shapes_rightly,
            cap_all=0.6,
            slip=2,
            function="shape_coverage",
        ),
        RungSpec(
            "numerics",
            1.2,
            rungs.computes_sizes,
            cap_all=0.6,
            slip=2,
            function="conv_output_size",
        ),
        RungSpec("quality", 0.15, rungs.is_tidy, cap_some=0.9, cap_all=0.9),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        if rungs.asks_for_sizes(case):
            return {"sizes": np.array(rungs.sizes(case, answer), np.int64)}
        return {
            "counts": np.array(
                [rungs.counts(case, answer)[name] for name in rungs.CLASSES], np.int64
            )
        }


JUDGE = ShapesJudge()
