"""`torchscript`: make a ScriptModule that behaves as the module does in evaluation mode.

1. What the module decides by values or sizes when it runs, the result decides too, on inputs that the example did not show.
2. What the compiler refuses is traced, part by part; what it accepts and changes is noticed.
3. The module that was passed in is as it was; the result runs without Python, and its weights are still weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from safetensors.numpy import load

from autograder.exercises.base import Answer, Case, Exercise, RungSpec, WrongType
from autograder.exercises.torchscript import cases, rungs


class TorchScript(Exercise):
    id: ClassVar[str] = "torchscript"
    assignment: ClassVar[str] = "lab-7-01"
    notebook: ClassVar[str] = "torchscript"
    grade_id: ClassVar[str] = "check-torchscript"
    functions: ClassVar[Mapping[str, str]] = {"compile_module": rungs.SIGNATURE}
    minutes: ClassVar[int] = 40
    # One way for every module is worth half at most; a result that keeps the behaviour and harms the argument 60 to 70 %.
    rungs: ClassVar[tuple[RungSpec, ...]] = (
        RungSpec("exists", 0.0, rungs.exists, cap_some=0.0, cap_all=0.0),
        RungSpec("type", 0.0, rungs.is_script_module, cap_some=0.5, cap_all=0.0),
        RungSpec("loads", 0.6, rungs.survives_saving, cap_some=0.5, cap_all=0.1),
        RungSpec("contract", 1.0, rungs.keeps_the_module_and_its_names, cap_some=0.7, cap_all=0.6),
        RungSpec("structure", 0.8, rungs.chooses_and_repeats, cap_some=0.5, cap_all=0.2),
        RungSpec("numerics", 1.6, rungs.behaves_the_same, cap_some=0.7, cap_all=0.1),
    )

    def public_cases(self) -> list[Case]:
        return cases.public()

    def cases(self, seed: int) -> list[Case]:
        return cases.hidden(seed)

    def call(self, functions: Mapping[str, Callable], case: Case, scratch: Path) -> dict[str, bytes]:
        from autograder.exercises.torchscript import running  # torch, which only the runner needs

        try:
            return running.answer(functions["compile_module"], case)
        except WrongType:
            raise
        except Exception as error:
            if str(error).count("\n") > 2:  # some of torch's errors write their source anew whenever they are shown
                raise RuntimeError(running.reason(error)).with_traceback(error.__traceback__) from None
            raise

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs (`out/<run>/<position>`) and its state (`state/<name>`)."""
        outputs, state = (load(answer.files[name]) for name in (rungs.OUTPUTS, rungs.STATE))
        return {f"out/{key}": value for key, value in outputs.items()} | {f"state/{key}": value for key, value in state.items()}


EXERCISE = TorchScript()
