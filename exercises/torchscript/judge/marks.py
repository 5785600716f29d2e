"""What `torchscript` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np
from safetensors.numpy import load

from formatlab_exercises.torchscript.files import OUTPUTS, STATE
from formatlab_exercises.torchscript.judge import cases, rungs
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate

PLAIN = ("plain", "hidden-plain")
# Where tracing is wrong, and where scripting is.
TRACED, SCRIPTED = ("hidden-choice",), ("hidden-refused",)
RIGHT = ("structure", "numerics")


class TorchScriptJudge(Judge):
    observes = True
    # Whoever has one way for every module loses several items: tracing all what is decided anew at
    # each run, scripting all what the compiler refuses or changes. So that such an answer gets half
    # at most, the first items of either side hold a case of the other one as a control. Whoever works
    # in the module that was passed in loses two, where each part needs a way of its own as well.
    points = 3.0
    items = (
        ItemSpec(
            name="plain",
            title="an ordinary module, as it behaves in evaluation mode",
            points=0.4,
            cases=PLAIN,
        ),
        ItemSpec(
            name="argument",
            title="the module that was passed in left as it was",
            points=0.3,
            cases=PLAIN,
            needs=(*RIGHT, "contract: the argument"),
        ),
        ItemSpec(
            name="weights",
            title="the weights kept as weights, under their names",
            points=0.3,
            cases=PLAIN,
            needs=(*RIGHT, "contract: the weights"),
        ),
        ItemSpec(
            name="choice",
            title="a choice by a value",
            points=0.3,
            cases=("choice", "hidden-choice"),
            controls=SCRIPTED,
        ),
        ItemSpec(
            name="rows",
            title="a choice by the number of rows",
            points=0.2,
            cases=("hidden-small-batch",),
            controls=SCRIPTED,
        ),
        ItemSpec(
            name="steps",
            title="a step for each row or token",
            points=0.3,
            cases=("two-inputs", "hidden-pooling", "hidden-recurrence"),
        ),
        ItemSpec(
            name="until",
            title="a repetition that ends by the values",
            points=0.2,
            cases=("hidden-halving",),
        ),
        ItemSpec(
            name="refused",
            title="a module that the compiler refuses",
            points=0.3,
            cases=("refused", "hidden-refused"),
            controls=TRACED,
        ),
        ItemSpec(
            name="changed",
            title="a module that the compiler accepts and changes",
            points=0.3,
            cases=("hidden-two-faced", "hidden-unused"),
            controls=TRACED,
        ),
        ItemSpec(
            name="parts",
            title="parts that need different ways",
            points=0.4,
            cases=("parts", "hidden-router", "hidden-report", "hidden-chain"),
            needs=(*RIGHT, "contract: the parts"),
        ),
    )
    rungs = (
        gate("exists", rungs.exists),
        gate("type", rungs.is_script_module, title="returns a ScriptModule"),
        gate("loads", rungs.survives_saving, title="runs without Python"),
        RungSpec("structure", rungs.chooses_and_repeats, title="keeps the choices and the loops"),
        RungSpec(
            "numerics", rungs.behaves_the_same, title="gives what the module gives, everywhere"
        ),
        RungSpec(
            "contract: the argument",
            rungs.leaves_the_argument,
            title="leaves the module that was passed in as it was",
            is_property=True,
        ),
        RungSpec(
            "contract: the parts",
            rungs.leaves_the_parts,
            title="leaves the parts of the module that was passed in",
            is_property=True,
        ),
        RungSpec(
            "contract: the weights",
            rungs.keeps_the_weights,
            title="keeps the weights as weights",
            is_property=True,
        ),
    )

    def public_cases(self) -> list[Case]:
        return cases.public()

    def cases(self, seed: int) -> list[Case]:
        return cases.hidden(seed)

    def observe(self, case: Case, answer: Answer) -> Answer:
        from formatlab_exercises.torchscript.judge import observing  # torch, which only this needs

        return observing.observe(case, answer)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs (`out/<run>/<position>`), the module's own in float64 (`exact/…`),
        and its state (`state/<name>`).
        """
        from formatlab_exercises.torchscript.judge import observing

        outputs, state = (load(answer.files[name]) for name in (OUTPUTS, STATE))
        parts = {"out": outputs, "exact": observing.exact(case), "state": state}
        return {
            f"{part}/{key}": value
            for part, arrays in parts.items()
            for key, value in arrays.items()
        }


JUDGE = TorchScriptJudge()
