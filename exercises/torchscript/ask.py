"""`torchscript`: make a ScriptModule that behaves as the module does in evaluation mode.

1. What the module decides by values or sizes when it runs, the result decides too, on inputs that
   the example did not show.
2. What the compiler refuses is traced, part by part; what it accepts and changes is noticed.
3. The module that was passed in is as it was; the result runs without Python, and its weights are
   still weights.
"""

from __future__ import annotations

from pathlib import Path

from formatlab_exercises.torchscript.files import INPUTS
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "compile_module(module, example) -> torch.jit.ScriptModule"


class TorchScript(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 55
    # What kind of module it is, is none of them.
    needs = (
        *("weights", "width", "hidden", "out", "activation", "function", "threshold", "limit"),
        *("gain", "rows", "tokens", "training", "turned"),
    )
    withholds = frozenset({INPUTS})

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        from formatlab_exercises.torchscript import running  # torch, which only the runner needs

        try:
            return running.answer(functions["compile_module"], case)
        except WrongType:
            raise
        except Exception as error:
            # Some of torch's errors write their source anew whenever they are shown.
            if str(error).count("\n") > 2:
                raise RuntimeError(running.reason(error)).with_traceback(
                    error.__traceback__
                ) from None
            raise


EXERCISE = TorchScript()
