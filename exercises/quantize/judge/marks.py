"""What `quantize` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.quantize.ask import SIGNATURE
from formatlab_exercises.quantize.judge import rungs
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

USUAL, USUAL_SYMMETRIC = ("both-signs*",), ("symmetric*",)
PARAMETERS = ("contract", "structure")


class QuantizeJudge(Judge):
    # Every tensor holds an infinite number, because a library quantizes all others in one call. So
    # whoever gives it the code of 0 loses all codes, and whoever lets it into the range loses all.
    points = 2.0
    items = (
        ItemSpec(
            name="asymmetric-range",
            title="the scale and the zero point of asymmetric codes",
            points=0.3,
            cases=USUAL,
            needs=PARAMETERS,
        ),
        ItemSpec(name="asymmetric-codes", title="asymmetric codes", points=0.3, cases=USUAL),
        ItemSpec(
            name="symmetric-range",
            title="the scale and the zero point of symmetric codes",
            points=0.2,
            cases=USUAL_SYMMETRIC,
            needs=PARAMETERS,
        ),
        ItemSpec(
            name="symmetric-codes", title="symmetric codes", points=0.3, cases=USUAL_SYMMETRIC
        ),
        ItemSpec(
            name="one-sided",
            title="a tensor whose numbers all lie on one side of 0",
            points=0.2,
            cases=("all-positive*", "all-negative"),
        ),
        ItemSpec(
            name="mostly-negative",
            title="a symmetric range whose largest magnitude is negative",
            points=0.1,
            cases=("mostly-negative-symmetric*",),
        ),
        ItemSpec(
            name="zeros",
            title="a tensor without a finite number other than 0",
            points=0.2,
            cases=("zeros*",),
            controls=("both-signs-new", "symmetric-new"),
        ),
        ItemSpec(
            name="ties", title="numbers halfway between two codes", points=0.1, cases=("ties*",)
        ),
        ItemSpec(
            name="beyond-the-end",
            title="a number that would get the code 256",
            points=0.1,
            cases=("beyond-the-end*",),
        ),
        ItemSpec(name="tiny", title="a tensor of tiny numbers", points=0.1, cases=("tiny",)),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.1,
            cases=(*USUAL, *USUAL_SYMMETRIC),
            needs=("contract", "structure", "numerics", "contract: the argument"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, rungs.AFFINE)),
        gate("type", rungs.is_triple, title="returns codes, a scale and a zero point"),
        RungSpec("contract", rungs.has_the_types, title="has codes of the right type"),
        RungSpec(
            "structure",
            rungs.has_scale_and_zero_point,
            title="has the scale and the zero point that follow from the range",
        ),
        RungSpec("numerics", rungs.has_the_codes, title="has the nearest code everywhere"),
        RungSpec(
            "contract: the argument",
            rungs.leaves_the_argument,
            title="leaves the argument as it was",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        found = known(arrays.read(answer))
        return {
            "scale": found["scale"].astype(np.float32),
            "zero_point": found["zero_point"].astype(np.int32),
        }


JUDGE = QuantizeJudge()
