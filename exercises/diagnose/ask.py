"""`diagnose`: find out what is wrong with a model, by climbing the validation ladder until a rung
breaks.

The careless way stops too early (at the checker, at a session that opens) or reads no further than
"it raised something". Every case is a specimen of the museum of broken models, or a healthy model
that only looks suspicious.
"""

from __future__ import annotations

import json
from pathlib import Path

from formatlab.models import museum
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "diagnose(path) -> str"
ANSWER = "answer.json"


class Diagnose(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 125
    needs = ("path",)

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        museum.put(dict(case.files), scratch)
        found = functions["diagnose"](scratch / str(case.parameters["path"]))
        if not isinstance(found, str):
            raise WrongType("str", type(found).__name__)
        return {
            ANSWER: json.dumps(
                {"diagnosis": str(found), "changed": _files(scratch) != dict(case.files)}
            ).encode()
        }


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


EXERCISE = Diagnose()
