"""What `overflow` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.overflow.ask import NAMES, SIGNATURE
from formatlab_exercises.overflow.judge import rungs
from formatlab_exercises.overflow.judge.misconceptions import OVERFLOW
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

CORE = ("there-and-back*", "silent-zero*", "scores")


class OverflowJudge(Judge):
    points = 2.0
    items = (
        ItemSpec(
            name="one-overflow",
            title="one value that overflows, and others behind it",
            points=0.5,
            cases=(*CORE, "last-node", "at-the-end"),
        ),
        ItemSpec(
            name="two-overflows",
            title="two values that overflow, in the order of their nodes",
            points=0.35,
            cases=("two-overflows*", "two-in-a-row*", "past-a-zero", "through-zero"),
        ),
        ItemSpec(
            name="none",
            title="a model in which nothing overflows",
            points=0.3,
            cases=("calm-*",),
            controls=("there-and-back-new",),
        ),
        ItemSpec(
            name="nan",
            title="a value that is no number",
            points=0.2,
            cases=("zero-by-zero", "lost-epsilon", "no-epsilon"),
        ),
        ItemSpec(
            name="one-number",
            title="a value of which one number overflows",
            points=0.2,
            cases=("one-number", "one-of-many"),
        ),
        ItemSpec(
            name="float32",
            title="a part of the model that computes in float32",
            points=0.25,
            cases=("in-float32", "wide-zero", "island"),
        ),
        ItemSpec(
            name="infinite-feed",
            title="infinities that come from a feed",
            points=0.1,
            cases=("infinite-feed",),
        ),
        ItemSpec(
            name="model",
            title="the model left as it was",
            points=0.1,
            cases=CORE,
            needs=("structure", "contract: the model"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(SIGNATURE, OVERFLOW)),
        gate("type", rungs.is_list_of_names, title="returns a list of names"),
        RungSpec(
            "structure",
            rungs.finds_the_overflow,
            title="names the values that overflow, and no others",
        ),
        RungSpec(
            "contract: the model",
            rungs.keeps_the_model,
            title="leaves the model as it was",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The names, as JSON."""
        return {"names": np.frombuffer(answer.files[NAMES], np.uint8)}


JUDGE = OverflowJudge()
