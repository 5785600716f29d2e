"""Run a student's functions and their mutants in boxes, and keep what does not differ from run to
run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nbjudge import boxes
from nbjudge.contract import Case
from nbjudge.course.defend.code import Code
from nbjudge.defending import ran
from nbjudge.defending.ran import MOST_VARIANTS, Ran, Said

PROGRAM = "nbjudge.boxes.inside.defend"
VARIANT_SECONDS = 5
BOX_SECONDS = 240
# Two boxes for each student.
MOST_SECONDS = 2 * BOX_SECONDS
_GRACE = 60
_OUTPUT = 64 << 20


def run(code: Code, seed: str, instances: Sequence[Sequence[Case]], imports: Sequence[str]) -> Ran:
    """Run the code in two boxes. Raises SandboxUnavailable."""
    job = {
        "exercise": code.exercise,
        "given": code.given,
        "cells": code.cells,
        "seed": seed,
        "most": MOST_VARIANTS,
        "seconds": BOX_SECONDS,
        "variant_seconds": VARIANT_SECONDS,
        "imports": list(imports),
    }
    limits = replace(
        boxes.limits_for_runner(), wall_seconds=BOX_SECONDS + _GRACE, output_bytes=_OUTPUT
    )

    def box(_number: int, inputs: Sequence[Case]) -> Said:
        said = Said()
        for frame in boxes.run(PROGRAM, ran.frames(job, inputs), limits).frames:
            said.take(frame)
        return said

    return ran.run(instances, box)
