"""What `fp16` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab import numerics
from formatlab_exercises.fp16.ask import SIGNATURE
from formatlab_exercises.fp16.judge import rungs
from formatlab_exercises.fp16.judge.evaluate import evaluate, inputs_of
from formatlab_exercises.shared.judge import signature
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

USUAL = ("chain*",)
# What every item needs; some need more.
CORE = ("structure", "numerics")


class Fp16Judge(Judge):
    # Whoever rounds every number loses four items, because a node has to stay float32 in a case of
    # each: `large`, `constants`, `names` and `border`. This is half of what the exercise is about.
    # Who flushes subnormal numbers loses `rounding` and the BERT, whose weights have some.
    # Whether inputs and outputs stay float32 is looked at in the usual models, and where an input or
    # an output is the difficulty.
    points = 5.0
    items = (
        ItemSpec(
            name="usual",
            title="a short model whose numbers all fit, with its float32 inputs and outputs",
            points=0.75,
            cases=USUAL,
            needs=("contract", *CORE),
        ),
        ItemSpec(
            name="exported",
            title="a model as an exporter writes it, with declared types",
            points=0.75,
            cases=("bert*", "annotated"),
            needs=("contract", *CORE),
        ),
        ItemSpec(
            name="rounding",
            title="infinities, subnormal numbers, and the largest ones that fit",
            points=0.5,
            cases=("infinit*", "embedding", "just-in-range", "small-weights"),
        ),
        ItemSpec(
            name="constants",
            title="numbers in Constant and ConstantOfShape nodes",
            points=0.5,
            cases=("constant-nodes", "constants", "constants-of-shape", "large-constant"),
        ),
        ItemSpec(
            name="large",
            title="a number that does not fit, and the nodes that read it",
            points=0.75,
            cases=(
                *("large-divisor*", "float32-at-the-end", "large-for-two"),
                *("large-in-a-tensor", "large-beside-infinity", "shared-large"),
                "large-given-out",
            ),
        ),
        ItemSpec(
            name="operators",
            title="operators that do not take float16",
            points=0.5,
            cases=("range", "positions", "resized"),
        ),
        ItemSpec(
            name="names",
            title="new names, where the model has those that one would take",
            points=0.25,
            cases=("names-are-taken", "taken-names*"),
        ),
        ItemSpec(
            name="border",
            title="a Cast between a node that stays float32 and an input or an output",
            points=0.25,
            cases=("first-and-last", "float32-at-the-border"),
            needs=("contract", *CORE, "quality: borders"),
        ),
        ItemSpec(
            name="inputs-and-outputs",
            title="an initializer that is an input or an output, and an input that is an output",
            points=0.25,
            cases=("passed-through", "defaults", "given-out", "passed-on"),
            needs=("contract", *CORE),
        ),
        ItemSpec(
            name="tidy",
            title="no Cast without a purpose",
            points=0.25,
            cases=(*USUAL, "unread-value", "unread"),
            needs=("contract", *CORE, "quality"),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.25,
            cases=USUAL,
            needs=("contract", *CORE, "contract: the argument"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, rungs.READ)),
        gate("type", rungs.is_converted, title="returns a model with numbers in float16"),
        gate("loads", rungs.loads, title="returns a model that is valid"),
        RungSpec(
            "contract",
            rungs.keeps_signature,
            title="keeps the inputs and the outputs",
            is_property=True,
        ),
        RungSpec(
            "structure",
            rungs.is_float16,
            title="has every number, and every node, in the precision that the rules give it",
        ),
        RungSpec("numerics", rungs.means_the_same, title="computes the same in true float16"),
        RungSpec(
            "quality: borders",
            rungs.has_casts_at_its_borders,
            title="has a Cast at each float32 input and output",
            is_property=True,
        ),
        RungSpec(
            "quality",
            rungs.is_clean,
            title="has no Cast without a purpose",
            is_property=True,
        ),
        RungSpec(
            "contract: the argument",
            signature.leaves_the_argument,
            title="leaves the argument as it was",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The converted model's outputs on the case's inputs, `<run>/<position>`."""
        return numerics.pack([evaluate(answer.files[MODEL], feeds) for feeds in inputs_of(case)])


JUDGE = Fp16Judge()
