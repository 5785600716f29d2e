"""What `int8_static` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.int8_static.ask import SIGNATURE
from formatlab_exercises.int8_static.judge import rungs
from formatlab_exercises.int8_static.judge.rungs import PAGE
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

USUAL = ("digits", "digits-new-weights", "residual")
WORK = ("contract", "structure", "numerics")


class Int8StaticJudge(Judge):
    points = 1.0
    items = (
        ItemSpec(
            name="trained",
            title="a trained CNN, with ranges from the images",
            points=0.15,
            cases=("digits", "digits-new-weights"),
            needs=WORK,
        ),
        ItemSpec(
            name="branches",
            title="branches that are added, and a bias in an Add",
            points=0.15,
            cases=("residual",),
            needs=WORK,
        ),
        ItemSpec(
            name="depthwise",
            title="depthwise convolutions",
            points=0.15,
            cases=("depthwise",),
            needs=WORK,
        ),
        ItemSpec(
            name="constant-nodes",
            title="weights in Constant nodes",
            points=0.15,
            cases=("pooled",),
            needs=WORK,
        ),
        ItemSpec(
            name="rescaled",
            title="channels of very different size",
            points=0.15,
            cases=("digits-rescaled*", "rescaled"),
            needs=WORK,
        ),
        ItemSpec(
            name="two-inputs",
            title="two inputs that go through one weight",
            points=0.1,
            cases=("two-inputs*",),
            needs=WORK,
        ),
        ItemSpec(
            name="size",
            title="a file of 40 % of the bytes",
            points=0.1,
            cases=USUAL,
            needs=(*WORK, "quality"),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.05,
            cases=USUAL,
            needs=(*WORK, "contract: the argument"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, f"{PAGE}#dynamic-and-static")),
        gate("type", rungs.is_model, title="returns a model"),
        gate("loads", rungs.loads),
        RungSpec(
            "contract", rungs.keeps_signature, title="keeps the inputs and outputs as they are"
        ),
        RungSpec(
            "structure",
            rungs.quantizes_every_layer,
            title="quantizes every layer to 8 bits, with ranges from all the feeds",
        ),
        RungSpec(
            "numerics",
            rungs.means_the_same,
            title="loses no more than the calibration has to",
        ),
        RungSpec("quality", rungs.is_small, title="has at most 40 % of the bytes"),
        RungSpec(
            "contract: the argument",
            rungs.leaves_the_argument,
            title="leaves the argument as it was",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The SQNR that the reference reaches: others may be one bit worse."""
        return rungs.digest(case, answer)


JUDGE = Int8StaticJudge()
