"""What `int8_dynamic` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.int8_dynamic.ask import SIGNATURE
from formatlab_exercises.int8_dynamic.judge import rungs
from formatlab_exercises.int8_dynamic.judge.rungs import PAGE
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

SMALL, POOLER = "small*", "pooler*"
MOST = ("structure: most", "numerics")


class Int8DynamicJudge(Judge):
    # What the library makes of an export as it comes stops at each pooler, and has one scale for a
    # whole weight, which is too coarse for MiniLM and where channels differ: nothing is earned by it.
    # Whoever leaves the Gemm of a pooler in float loses two items, because the file is too large as well.
    points = 2.0
    items = (
        ItemSpec(
            name="most-products",
            title="integers in most of the products",
            points=0.3,
            cases=(SMALL, POOLER),
            needs=MOST,
        ),
        ItemSpec(
            name="gemm",
            title="a pooler, whose product is a Gemm",
            points=0.3,
            cases=(POOLER,),
            needs=("structure", *MOST, "quality"),
        ),
        ItemSpec(
            name="shared-weights",
            title="weights that several layers share",
            points=0.2,
            cases=("shared-layers",),
            needs=MOST,
        ),
        ItemSpec(
            name="agreement",
            title="embeddings that agree, of MiniLM and where channels differ in size",
            points=0.5,
            cases=("rescaled", "minilm*"),
            needs=("structure", *MOST, "quality"),
        ),
        ItemSpec(
            name="size",
            title="a file of 30 % of the bytes",
            points=0.4,
            cases=(SMALL, POOLER),
            needs=(*MOST, "quality: size"),
        ),
        ItemSpec(
            name="signature",
            title="the inputs and outputs of the argument",
            points=0.15,
            cases=(SMALL, POOLER),
            needs=("contract", *MOST),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.15,
            cases=(SMALL, POOLER),
            needs=(*MOST, "contract: the argument"),
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
            "structure: most",
            rungs.multiplies_most,
            title="multiplies integers in most of the products",
        ),
        RungSpec(
            "structure",
            rungs.multiplies_integers,
            title="multiplies integers in every product with a weight",
        ),
        RungSpec(
            "numerics",
            rungs.means_the_same,
            title="gives each sentence the embedding that is nearest to its own",
        ),
        RungSpec(
            "quality",
            rungs.is_close,
            title="gives embeddings that agree with the float model's",
        ),
        RungSpec("quality: size", rungs.is_small, title="has at most 30 % of the bytes"),
        RungSpec(
            "contract: the argument",
            rungs.leaves_the_argument,
            title="leaves the argument as it was",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the float model itself computes: the reference answer has to agree with it as every
        other.
        """
        return rungs.digest(case)


JUDGE = Int8DynamicJudge()
