"""What `sensitivity` gives points for, and its rungs in their order."""

from __future__ import annotations

import json

import numpy as np

from formatlab_exercises.sensitivity.ask import SIGNATURE
from formatlab_exercises.sensitivity.judge import rungs
from formatlab_exercises.sensitivity.judge.misconceptions import KINDS
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

CHOICE = ("contract", "structure", "quality", "numerics")
ONE_LAYER = ("in-the-middle*", "at-the-start", "at-the-end")


class SensitivityJudge(Judge):
    # A rule without a measurement, such as the first and the last layer or convolutions alone, is
    # right on some kinds, so each item holds a case in which it is wrong. Whoever puts one layer back
    # at most loses three items, because in each of them two layers are best.
    points = 2.0
    items = (
        ItemSpec(
            name="one-layer",
            title="one coarse layer, wherever it stands",
            points=0.35,
            cases=ONE_LAYER,
        ),
        ItemSpec(
            name="small-branch",
            title="a coarse layer that hardly counts at the output",
            points=0.25,
            cases=("small-branch*",),
        ),
        ItemSpec(
            name="too-large",
            title="a coarse layer that does not fit",
            points=0.25,
            cases=("too-large*",),
            controls=("at-the-end",),
        ),
        ItemSpec(
            name="two-layers",
            title="two coarse layers, or three",
            points=0.3,
            cases=("two-coarse*", "three-coarse"),
        ),
        ItemSpec(
            name="one-or-two",
            title="one large layer, or two smaller ones that bring more",
            points=0.2,
            cases=("one-large-or-two*",),
        ),
        ItemSpec(
            name="large-or-small",
            title="a large layer, or a small one that brings more for its bytes",
            points=0.2,
            cases=("large-or-small*",),
        ),
        ItemSpec(
            name="shared-weight",
            title="two layers that read one weight",
            points=0.2,
            cases=("shared-weight*",),
            controls=("at-the-end",),
        ),
        ItemSpec(
            name="as-it-was",
            title="weight and bias of a layer in float as in the float model",
            points=0.15,
            cases=ONE_LAYER,
            needs=(*CHOICE, "structure: as it was"),
        ),
        ItemSpec(
            name="arguments",
            title="both models left as they were",
            points=0.1,
            cases=ONE_LAYER,
            needs=(*CHOICE, "contract: the arguments"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, KINDS)),
        gate("type", rungs.is_model, title="returns a model"),
        gate("loads", rungs.loads),
        RungSpec("contract", rungs.keeps_signature, title="keeps the inputs and the outputs"),
        RungSpec(
            "structure",
            rungs.is_one_or_the_other,
            title="has each layer either quantized as it was or in float",
        ),
        RungSpec("quality", rungs.fits, title="stays within the bytes to spare"),
        RungSpec(
            "numerics",
            rungs.is_the_best,
            title="puts back the layers that bring most",
        ),
        RungSpec(
            "structure: as it was",
            rungs.is_as_in_the_float_model,
            title="has weight and bias of a layer in float as in the float model",
            is_property=True,
        ),
        RungSpec(
            "contract: the arguments",
            rungs.leaves_the_arguments,
            title="leaves both models as they were",
            is_property=True,
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
