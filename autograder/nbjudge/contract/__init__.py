"""The contract that every exercise keeps: what it asks (`Exercise`) and how it judges (`Judge`).

An exercise passes through three processes. The judge's `cases` run in the coordinator, the
exercise's `call` in the runner box beside the student's code, the judge's `digest` and rungs in a
checker box. Only bytes pass between them, so every type here is bytes, JSON or numpy arrays. An
exercise `shapes` is the folder `exercises/shapes`:

    ask.py                    what is asked: `EXERCISE`, its functions and `call`; other modules
                              beside it make a case's arguments
    judge/marks.py            `JUDGE`: the items that give its points, and the rungs in their order
    judge/rungs.py            what each rung looks at
    judge/misconceptions.py   what students get wrong, and the words that they read
    judge/cases.py            the cases; case_models.py and other case_*.py make what they hold
    answers/                  stored answers, right and wrong, with the marks that they must get;
                              only the tests see them

The classes are defined in this package's modules; import them from here.
"""

from __future__ import annotations

from nbjudge.contract.cases import Answer, Case, Reference, Server, WrongType, case_seed
from nbjudge.contract.defence import Defence
from nbjudge.contract.exercise import Exercise, Functions, by_name
from nbjudge.contract.items import ItemSpec
from nbjudge.contract.judge import Judge, JudgeAbsent
from nbjudge.contract.rungs import Inspect, RungSpec, View, gate
from nbjudge.findings import Finding

__all__ = [
    "Answer",
    "Case",
    "Defence",
    "Exercise",
    "Finding",
    "Functions",
    "Inspect",
    "ItemSpec",
    "Judge",
    "JudgeAbsent",
    "Reference",
    "RungSpec",
    "Server",
    "View",
    "WrongType",
    "by_name",
    "case_seed",
    "gate",
]
