"""The rungs of `saturation` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.saturation.ask import SIGNATURE
from formatlab_exercises.saturation.judge import rungs
from formatlab_exercises.saturation.judge.misconceptions import NATIVE
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class SaturationJudge(Judge):
    # A model that saturates still, or computes something else, is not mended. One whose ties all go
    # one way is mended, and loses a little more than it has to.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, NATIVE), cap_some=0.6),
        gate("type", 0.0, rungs.is_model, title="returns a model", cap_some=0.6),
        gate("loads", 0.2, rungs.loads, cap_some=0.6, cap_all=0.1),
        RungSpec(
            "contract",
            0.2,
            rungs.keeps_signature,
            title="keeps the inputs, the outputs and the model that was given",
            cap_some=0.7,
            cap_all=0.7,
        ),
        RungSpec("structure", 0.7, rungs.fits_in_sixteen_bits, cap_some=0.6, cap_all=0.1),
        RungSpec(
            "numerics",
            0.7,
            rungs.means_the_same,
            title="moves no weight further than a bit less allows",
            cap_some=0.5,
            cap_all=0.1,
        ),
        RungSpec("quality", 0.2, rungs.rounds_and_fits_the_kernel, cap_some=0.7, cap_all=0.7),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """How far the reference's answer moves the weights, in steps of their old scales."""
        return {"steps": np.array([rungs.steps(case, answer)])}


JUDGE = SaturationJudge()
