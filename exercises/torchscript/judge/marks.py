"""The rungs of `torchscript` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import numpy as np
from safetensors.numpy import load

from formatlab_exercises.torchscript.files import OUTPUTS, STATE
from formatlab_exercises.torchscript.judge import cases, rungs
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate


class TorchScriptJudge(Judge):
    observes = True
    # One way for every module is worth half at most; a result that keeps the behaviour and harms
    # the argument 60 to 70 %.
    rungs = (
        gate("exists", 0.0, rungs.exists, cap_some=0.0),
        gate("type", 0.0, rungs.is_script_module, title="returns a script module", cap_some=0.5),
        gate("loads", 0.3, rungs.survives_saving, cap_some=0.5, cap_all=0.1),
        RungSpec("contract", 0.75, rungs.keeps_the_module_and_its_names, cap_some=0.7, cap_all=0.6),
        RungSpec("structure", 0.6, rungs.chooses_and_repeats, cap_some=0.5, cap_all=0.2),
        RungSpec("numerics", 1.35, rungs.behaves_the_same, cap_some=0.7, cap_all=0.1),
    )

    def public_cases(self) -> list[Case]:
        return cases.public()

    def cases(self, seed: int) -> list[Case]:
        return cases.hidden(seed)

    def observe(self, case: Case, answer: Answer) -> Answer:
        from formatlab_exercises.torchscript.judge import observing  # torch, which only this needs

        return observing.observe(case, answer)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs (`out/<run>/<position>`) and its state (`state/<name>`)."""
        outputs, state = (load(answer.files[name]) for name in (OUTPUTS, STATE))
        return {f"out/{key}": value for key, value in outputs.items()} | {
            f"state/{key}": value for key, value in state.items()
        }


JUDGE = TorchScriptJudge()
