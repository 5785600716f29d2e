"""`mend_export`: one ONNX file that is right for every size that its signature leaves open, or an
exception.

1. The inputs have the names and the axes of `wanted`: a number is fixed, a word is open, and the same
   word is the same size.
2. The file is right for every size within `limits`, whatever the sizes of the example are: an axis of
   the example may have the size 1, and two open sizes may be equal by chance.
3. Arguments and keywords may be nested in dicts, lists and tuples; an input's name is the path to its
   tensor.
4. A module that fixes a size, bounds it more narrowly than `limits`, needs two words to be equal, or
   chooses by a value in Python is refused by an exception.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

from formatlab_exercises.shared import exporting, returned
from nbjudge.asking import raised
from nbjudge.contract import Case, Exercise, Functions, by_name

SIGNATURE = "mend(module, arguments, keywords, wanted, limits) -> onnx.ModelProto"
MODEL = "model.onnx"
REPORT = "report.json"


class MendExport(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 70
    # Which module has a right file is none of them.
    needs = (
        *("wanted", "limits", "call", "example", "below"),
        *("parts", "width", "hidden", "table", "weights"),
    )

    def prepare(self) -> None:
        exporting.load()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """The file, or `report.json`: what the function raised, whatever the module is."""
        from formatlab_exercises.mend_export import building

        exporting.prepare()
        module, arguments, keywords = building.called(case)
        wanted, limits = copy.deepcopy([case.parameters[key] for key in ("wanted", "limits")])
        try:
            model = functions["mend"](module, arguments, keywords, wanted, limits)
        except Exception as error:
            error.args = (_reason(str(error)),)
            answer = raised(error, functions, scratch)
            report = {"outcome": answer.outcome, "error": dict(answer.error)}
            return {REPORT: json.dumps(report).encode()}
        return {MODEL: returned.model(model)}


def _reason(text: str) -> str:
    """Of what torch says of a program that it cannot capture, the reasons and the suggestion: advice
    stands before and behind them.
    """
    if "Constraints violated" not in text:
        return text
    reasons = text.partition("\n")[2].partition("The error above")[0].strip()
    lines = (line.strip().partition(". If you")[0] for line in reasons.splitlines())
    return " ".join(line for line in lines if line)


EXERCISE = MendExport()
