"""The kill matrix of an exercise: which rungs each stored answer breaks, with which misconception,
and who catches it.

`python -m tests.matrix [EXERCISE...]` grades the stored answers again and writes
`build/exercises/<exercise>.json`, the pages made of it, and the page over all of them. An answer is
graded on all cases, on the public ones alone, and on a practice draw.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping

from nbjudge import practice
from nbjudge.contract import ItemSpec
from nbjudge.exercises import get
from nbjudge.verdict import Rung, Verdict
from tests.matrix_pages import page, summary
from tests.mutants import (
    LARGE,
    ROOT,
    SEED,
    SEEN_ON_LARGE_ALONE,
    Mutant,
    cases_of,
    exercises_with_mutants,
    grade,
    grade_on,
    hinted_functions,
    misconceptions,
    mutants,
    solutions,
    verdict,
)

FOLDER = ROOT / "build" / "exercises"
DRAW = 1
# What stands in an exception's text and is another one in each run.
OF_ONE_RUN = re.compile(r"/tmp/tmp\w+|(?<=0x)[0-9a-f]{8,}")


def matrix(exercise_id: str) -> dict:
    """Everything that the page of an exercise says, as JSON."""
    stored = declared(exercise_id)
    answers = [
        {
            **answer,
            **outcome(verdict(exercise_id, mutant.name)),
            "public": caught(on_public(exercise_id, mutant)),
            "practice": caught(on_practice(exercise_id, mutant)),
        }
        for answer, mutant in zip(stored["answers"], mutants(exercise_id), strict=True)
    ]
    return {
        **stored,
        "hint": share(grade(exercise_id, hinted_functions(exercise_id), large=False)),
        "answers": answers,
    }


def declared(exercise_id: str) -> dict:
    """The part that follows from the exercise's files, without grading anything."""
    exercise = get(exercise_id)
    notebook = solutions()[exercise_id]
    answers = [
        {
            "name": one.name,
            "summary": one.summary,
            "lazy": one.lazy,
            "score": one.score,
            "loses": sorted(one.loses),
            "rung": one.rung,
            "misconception": one.shows,
        }
        for one in mutants(exercise_id)
    ]
    named = [
        {
            "id": one.id,
            "sentence": one.sentence,
            "read": one.read,
            "answers": [a["name"] for a in answers if a["misconception"] == one.id],
        }
        for one in sorted(misconceptions(exercise_id).values(), key=lambda one: one.id)
    ]
    return {
        "exercise": exercise_id,
        "notebook": f"{notebook.parent.name}/{notebook.stem}",
        "functions": list(exercise.functions.values()),
        "points": exercise.points,
        "cases": {"public": len(exercise.public_cases()), "hidden": len(exercise.cases(SEED))},
        "items": [_item(spec) for spec in exercise.items],
        "rungs": [{"name": spec.name, "title": spec.title} for spec in exercise.rungs],
        "misconceptions": named,
        "answers": answers,
    }


def outcome(given: Verdict) -> dict:
    """What an answer gets on all cases: what its student reads, and every rung with its
    misconception.
    """
    broken = given.broken
    said = (
        {
            key: OF_ONE_RUN.sub("…", getattr(broken, key))
            for key in ("case", "expected", "found", "cause", "read")
        }
        if broken
        else {}
    )
    return {"says": said, "rungs": {rung.name: _state(rung) for rung in given.rungs}}


def caught(given: Verdict) -> dict:
    """The first rung that an answer breaks on some of the cases; None where it passes all."""
    broken = given.broken
    return {"rung": broken and broken.name, "misconception": broken.misconception if broken else ""}


def share(given: Verdict) -> float:
    """Of the exercise's points, what an answer earns."""
    return round(given.score / given.max_score, 4)


def on_public(exercise_id: str, mutant: Mutant) -> Verdict:
    cases = [case for case in cases_of(exercise_id, large=False) if case.public]
    return grade_on(exercise_id, mutant.functions, SEED, cases)


def on_practice(exercise_id: str, mutant: Mutant) -> Verdict:
    """As `course check --practice` does it: the public cases and a draw of every hidden kind."""
    drawn = [*get(exercise_id).public_cases(), *practice.cases(get(exercise_id), DRAW)]
    left_out = (
        ()
        if mutant.name in SEEN_ON_LARGE_ALONE.get(exercise_id, ())
        else LARGE.get(exercise_id, ())
    )
    cases = [case for case in drawn if case.name not in left_out]
    return grade_on(exercise_id, mutant.functions, practice.seed_of(DRAW), cases)


def read(exercise_id: str) -> dict:
    """The stored matrix."""
    return json.loads((FOLDER / f"{exercise_id}.json").read_text())


def write(exercise_ids: Iterable[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in exercise_ids:
        given = matrix(name)
        (FOLDER / f"{name}.json").write_text(json.dumps(given, indent=1, ensure_ascii=False) + "\n")
        print(f"{name}: {len(given['answers'])} answers")
    write_pages()


def write_pages() -> None:
    """The pages, from what is stored."""
    stored = [read(path.stem) for path in sorted(FOLDER.glob("*.json"))]
    for one in stored:
        (FOLDER / f"{one['exercise']}.md").write_text(page(one))
    (FOLDER / "README.md").write_text(summary(stored))


def _item(spec: ItemSpec) -> Mapping:
    return {key: getattr(spec, key) for key in ("name", "title", "points")}


def _state(rung: Rung) -> Mapping:
    """`passed` is None for a rung that was not reached."""
    return {
        "passed": rung.passed,
        "cases": rung.cases,
        "wrong": rung.wrong,
        "misconception": rung.misconception,
    }


if __name__ == "__main__":
    write(sys.argv[1:] or exercises_with_mutants())
