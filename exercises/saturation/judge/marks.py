"""What `saturation` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.saturation.ask import SIGNATURE
from formatlab_exercises.saturation.judge import rungs
from formatlab_exercises.saturation.judge.misconceptions import NATIVE
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

USUAL = ("channels*",)
RIGHT = ("contract", "structure", "numerics")


class SaturationJudge(Judge):
    # In each model one layer at least has to be mended, so that whoever mends none earns nothing.
    # Whoever mends all of them loses the items of int8 layers that stay as they are, and whoever mends a
    # weight once for two layers with different biases may lose what both say of those.
    points = 2.0
    items = (
        ItemSpec(
            name="saturating",
            title="layers that saturate, mended",
            points=0.5,
            cases=USUAL,
        ),
        ItemSpec(
            name="seven-bits",
            title="a layer whose codes have seven bits, left as it is",
            points=0.2,
            cases=("seven-bits*",),
        ),
        ItemSpec(
            name="unsigned",
            title="a layer whose weights are unsigned, left as it is",
            points=0.2,
            cases=("unsigned-weights*",),
        ),
        ItemSpec(
            name="one-large",
            title="one large code beside small ones, left as it is",
            points=0.2,
            cases=("one-large-weight*",),
        ),
        ItemSpec(
            name="some-pairs",
            title="a layer in which few pairs leave 16 bits, mended",
            points=0.2,
            cases=("some-pairs", "one-pair"),
        ),
        ItemSpec(
            name="shared",
            title="layers that share a weight, a bias or a scale",
            points=0.2,
            cases=("shared-weight*", "shared-scale*", "taken-names"),
        ),
        ItemSpec(
            name="spelling",
            title="a model that is spelled otherwise",
            points=0.1,
            cases=("other-spelling*",),
        ),
        ItemSpec(
            name="ties",
            title="ties that do not all go one way",
            points=0.1,
            cases=USUAL,
            needs=(*RIGHT, "quality: ties"),
        ),
        ItemSpec(
            name="bias-scale",
            title="the scale of a bias kept the product of the other two",
            points=0.2,
            cases=(*USUAL, "shared-weight*"),
            needs=(*RIGHT, "quality: the kernel"),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.1,
            cases=USUAL,
            needs=(*RIGHT, "contract: the argument"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, NATIVE)),
        gate("type", rungs.is_model, title="returns a model"),
        gate("loads", rungs.loads, title="returns a model that loads"),
        RungSpec(
            "contract",
            rungs.keeps_inputs_and_outputs,
            title="keeps the inputs and the outputs",
        ),
        RungSpec(
            "structure",
            rungs.fits_in_sixteen_bits,
            title="has no layer that leaves 16 bits, and changes no other",
        ),
        RungSpec(
            "numerics",
            rungs.means_the_same,
            title="moves no weight further than a bit less allows",
        ),
        RungSpec(
            "contract: the argument",
            rungs.leaves_the_argument,
            title="leaves the argument as it was",
            is_property=True,
        ),
        RungSpec(
            "quality: ties",
            rungs.rounds_both_ways,
            title="rounds ties both ways",
            is_property=True,
        ),
        RungSpec(
            "quality: the kernel",
            rungs.fits_the_kernel,
            title="keeps the scale of each bias the product that a kernel takes",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """How far the reference's answer moves the weights, in steps of their old scales."""
        return {"steps": np.array([rungs.steps(case, answer)])}


JUDGE = SaturationJudge()
