"""What `integer_layer` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.integer_layer.ask import EXPECTED, SIGNATURE
from formatlab_exercises.integer_layer.judge import rungs
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known


class IntegerLayerJudge(Judge):
    points = 1.0
    items = (
        ItemSpec(
            name="small-codes",
            title="a layer whose bias is a few steps of the sum",
            points=0.2,
            cases=("small-codes*",),
        ),
        ItemSpec(
            name="signed-weights",
            title="a layer with signed weights",
            points=0.25,
            cases=("signed-weights*",),
        ),
        ItemSpec(
            name="unsigned-weights",
            title="weights with a zero point for each column",
            points=0.15,
            cases=("unsigned-weights*",),
        ),
        ItemSpec(
            name="signed-codes",
            title="signed codes, in the input or in the output",
            points=0.15,
            cases=("signed-output*", "signed-inputs"),
        ),
        ItemSpec(name="deep", title="a sum beyond sixteen bits", points=0.05, cases=("deep*",)),
        ItemSpec(name="ties", title="numbers halfway between codes", points=0.1, cases=("ties*",)),
        ItemSpec(
            name="wide-bias", title="a bias beyond 32 bits", points=0.05, cases=("wide-bias*",)
        ),
        ItemSpec(
            name="arguments",
            title="the arguments left as they were",
            points=0.05,
            cases=("signed-weights*",),
            needs=("contract", "numerics", "contract: the arguments"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, rungs.LAYER)),
        gate(
            "type",
            arrays.returns(EXPECTED, rungs.LAYER, ("codes",)),
            title="returns an array",
        ),
        RungSpec("contract", rungs.has_the_type, title="has codes of the output's type"),
        RungSpec("numerics", rungs.has_the_codes, title="has the right codes, bit for bit"),
        RungSpec(
            "contract: the arguments",
            rungs.leaves_the_arguments,
            title="leaves the arguments as they were",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {"codes": known(arrays.read(answer))["codes"]}


JUDGE = IntegerLayerJudge()
