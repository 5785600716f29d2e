"""What `control_flow` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.control_flow.ask import MODEL
from formatlab_exercises.control_flow.judge import rungs
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate

CHOICE = ("branch", "hidden-branch", "hidden-branch-other-example")
LOOP = ("loop", "hidden-loop", "hidden-loop-matrix")


class ControlFlowJudge(Judge):
    # One function alone is worth a bit less than half. Whoever computes both branches, follows the
    # example through a choice or a loop, or fixes the length of a sequence does so whatever the
    # functions are, and loses both items of that function.
    points = 2.0
    items = (
        ItemSpec(
            name="choice",
            title="a choice between two functions",
            points=0.55,
            cases=CHOICE,
        ),
        ItemSpec(
            name="choice-weights",
            title="a choice between functions with weights and an output of another shape",
            points=0.35,
            cases=("hidden-branch-weights",),
        ),
        ItemSpec(
            name="loop",
            title="a loop over a sequence of any length",
            points=0.55,
            cases=LOOP,
        ),
        ItemSpec(
            name="loop-whole-numbers",
            title="a loop with weights, whose state is a whole number",
            points=0.35,
            cases=("hidden-loop-whole-numbers",),
        ),
        ItemSpec(
            name="names",
            title="the names of inputs and outputs, in both models",
            points=0.2,
            cases=(*CHOICE, *LOOP),
            needs=("contract", "numerics", "contract: the names"),
        ),
    )
    rungs = (
        gate("exists", rungs.exists),
        gate("type", rungs.is_model, title="returns a model"),
        gate("loads", rungs.loads, title="returns a model that loads"),
        RungSpec(
            "contract",
            rungs.has_the_signature,
            title="has inputs and outputs of the right number, type and rank",
        ),
        RungSpec(
            "structure",
            rungs.chooses_and_repeats,
            title="does the work inside an If or a loop",
        ),
        RungSpec("numerics", rungs.computes_the_same, title="computes what the Python code does"),
        RungSpec(
            "contract: the names",
            rungs.has_the_names,
            title="has the names that the task gives",
            is_property=True,
        ),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The outputs of the reference's model on the case's inputs, and the recipe's in float64."""
        return rungs.outputs(case, answer.files[MODEL])


JUDGE = ControlFlowJudge()
