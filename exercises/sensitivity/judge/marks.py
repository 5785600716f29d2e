"""The rungs of `sensitivity` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import json

import numpy as np

from formatlab_exercises.sensitivity.ask import SIGNATURE
from formatlab_exercises.sensitivity.judge import rungs
from formatlab_exercises.sensitivity.judge.misconceptions import KINDS
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class SensitivityJudge(Judge):
    # A model that is too large has not chosen, one that is as it was has not either, nor one that is
    # quantized anew.
    rungs = (
        gate("exists", 0.0, outcome.exists(SIGNATURE, KINDS), cap_some=0.6),
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
        RungSpec(
            "structure",
            0.5,
            rungs.is_one_or_the_other,
            title="has each layer either quantized or in float",
            cap_some=0.7,
            cap_all=0.35,
        ),
        RungSpec("structure: the codes", 0.0, rungs.keeps_the_codes, cap_some=0.1, cap_all=0.1),
        RungSpec(
            "numerics",
            0.8,
            rungs.is_the_best,
            title="chooses the layers that lose least",
            cap_some=0.6,
            cap_all=0.1,
        ),
        RungSpec(
            "quality",
            0.3,
            rungs.fits,
            title="stays within the bytes to spare",
            cap_some=0.4,
            cap_all=0.1,
            all_at=0.75,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The SQNR of the reference's choice, and which layers it puts back."""
        chosen = json.dumps(rungs.in_float(case, answer)).encode()
        return {
            "sqnr": np.array([rungs.noise(case, answer)]),
            "chosen": np.frombuffer(chosen, np.uint8),
        }


JUDGE = SensitivityJudge()
