"""The rungs of `safetensors` in their order: what each is worth, and what a broken one leaves."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from formatlab_exercises.safetensors.ask import FUNCTIONS
from formatlab_exercises.safetensors.judge import rungs
from formatlab_exercises.safetensors.judge.findings import PAGE
from nbjudge.contract import Answer, Case, Judge, RungSpec, gate
from nbjudge.rungs import outcome


class SafeTensorsJudge(Judge):
    # A third for each function. The first three rungs look at read_header, without which the others
    # cannot be. A kind of file that is overlooked, one public case and one hidden, costs half of
    # its rung: eleven and a half times its share of the 46 cases. The header is what the exercise is
    # about: an answer that leaves it to a library, or refuses every file, has a tenth at most.
    rungs = (
        gate(
            "exists",
            0.0,
            rungs.only("header", outcome.exists(FUNCTIONS["read_header"], f"{PAGE}#header")),
            cap_all=0.1,
        ),
        gate(
            "type",
            0.167,
            rungs.only("header", rungs.is_dict),
            title="returns a dict",
            cap_all=0.1,
            all_at=0.2,
            slip=11.5,
        ),
        gate(
            "loads",
            1.167,
            rungs.only("header", rungs.is_header),
            title="returns the header that stands in the file",
            cap_all=0.1,
            all_at=0.2,
            slip=11.5,
        ),
        RungSpec("contract", 0.0, rungs.runs_nothing, cap_some=0.0, cap_all=0.0, every_case=True),
        RungSpec(
            "structure",
            1.5,
            rungs.only("files", rungs.tells_valid),
            title="tells valid files from broken ones",
            slip=11.5,
        ),
        RungSpec("numerics", 1.833, rungs.only("tensors", rungs.loads_tensors), slip=11.5),
        RungSpec(
            "quality",
            0.333,
            rungs.is_frugal,
            title="reads no more of a file than it needs",
            cap_some=0.8,
            cap_all=0.8,
        ),
    )

    def function_of(self, case: Case) -> str:
        return rungs.FUNCTION_OF[case.parameters["ask"]]

    def graded_cases(self, seed: int, pretrained: bool = False) -> list[Case]:
        return _by_function(super().graded_cases(seed, pretrained))

    def calling_order(self, cases: Sequence[Case]) -> list[Case]:
        return _by_function(super().calling_order(cases))

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The header as JSON, or the arrays `<i>` with the places of names that are not there, or
        which files are valid.
        """
        entries = rungs.entries(answer)
        if case.parameters["ask"] == "header":
            return {
                "header": np.frombuffer(json.dumps(entries[0].get("header")).encode(), np.uint8)
            }
        if case.parameters["ask"] == "files":
            return {
                "valid": np.array([entry["outcome"] == "returned" for entry in entries], np.uint8)
            }
        arrays = {
            str(at): found
            for at in range(len(entries))
            if (found := rungs.array(answer, at)) is not None
        }
        missing = [at for at, entry in enumerate(entries) if entry["outcome"] == "no_key"]
        return {**arrays, "missing": np.array(missing, np.int64)}


def _by_function(cases: Sequence[Case]) -> list[Case]:
    """So that a function that ends its process or never ends costs the others as little as can be."""
    return sorted(
        cases, key=lambda case: ("header", "tensors", "files").index(case.parameters["ask"])
    )


JUDGE = SafeTensorsJudge()
