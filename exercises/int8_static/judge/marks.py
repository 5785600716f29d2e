"""The rungs of `int8_static` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.int8_static.ask import SIGNATURE
from formatlab_exercises.int8_static.judge import rungs
from formatlab_exercises.int8_static.judge.findings import PAGE
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class Int8StaticJudge(Judge):
    # One scale for hostile channels leaves 50 %. What is not static 8-bit quantization, and ranges
    # of something else, leave a tenth.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, f"{PAGE}#dynamic-and-static"), cap_some=0.0),
        gate("type", 0.1, rungs.is_model, title="returns a model", cap_some=0.6),
        gate("loads", 0.15, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec(
            "contract",
            0.1,
            rungs.keeps_signature,
            title="keeps the inputs, the outputs and the model that was given",
            cap_some=0.7,
            cap_all=0.7,
        ),
        RungSpec("structure", 0.2, rungs.quantizes_every_layer, cap_some=0.7, cap_all=0.1),
        RungSpec(
            "numerics",
            0.35,
            rungs.means_the_same,
            title="loses no more than the calibration has to",
            cap_some=0.5,
            cap_all=0.1,
            all_at=1.0,
        ),
        RungSpec("quality", 0.1, rungs.is_small, cap_some=0.9, cap_all=0.85),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The SQNR that the reference reaches: others may be one bit worse."""
        return rungs.digest(case, answer)


JUDGE = Int8StaticJudge()
