"""What the stored answers of an exercise earn, item by item: `python -m tests.marks dropout`.

It prints each answer's share with the items that it loses, and two lists to look at when points are
given out: answers that are right on nine hidden cases of ten and get less than 75 %, and answers
whose structure or numbers are wrong on nine of ten and that get more than 30 %. With `--write` the
stored answers declare what they lose.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from nbjudge.course.stored import EVERYTHING
from nbjudge.exercises import get
from nbjudge.verdict import Verdict
from tests.mutants import EXERCISES, cases_of, grade, mutants

RIGHT = ("structure", "numerics")
WIDTH = 120


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("exercise")
    parser.add_argument("answers", nargs="*", help="some of the stored answers; all by default")
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--write", action="store_true", help="declare in each answer what it loses")
    asked = parser.parse_args()
    exercise = get(asked.exercise)
    exercise.refuse_misplaced(asked.seed)
    for item in exercise.items:
        held = [case.name for case in cases_of(asked.exercise, asked.seed) if item.holds(case.name)]
        print(f"{item.points / exercise.points:4.0%}  {item.name}: {', '.join(held)}")
    low, high = [], []
    for mutant in mutants(asked.exercise):
        if asked.answers and mutant.name not in asked.answers:
            continue
        verdict = grade(asked.exercise, mutant.functions, asked.seed, large=False)
        share = verdict.score / verdict.max_score
        lost = [item.name for item in verdict.lost]
        wrong, badly = _wrong(verdict, asked.exercise, asked.seed)
        broken = verdict.broken
        why = f"{broken.name} ({broken.misconception})" if broken else ""
        kept = [item.name for item in verdict.items if item.passed]
        said = f"only {', '.join(kept)}" if len(kept) < len(lost) else f"-{', '.join(lost)}"
        print(f"{share:4.0%}  {mutant.name} {mutant.lazy}: {said if lost else ''}  {why}")
        if mutant.rung and wrong <= 0.1 and share < 0.75:
            low.append(mutant.name)
        if badly >= 0.9 and share > 0.3:
            high.append(mutant.name)
        if asked.write:
            path = EXERCISES / asked.exercise / "answers" / f"{mutant.name}.py"
            _declare(path, lost if kept else EVERYTHING, broken.name if broken else None)
    print(f"right on nine of ten and below 75 %: {', '.join(low) or 'none'}")
    print(f"wrong on nine of ten and above 30 %: {', '.join(high) or 'none'}")


def _wrong(verdict: Verdict, exercise: str, seed: int) -> tuple[float, float]:
    """The share of the hidden cases that break any rung, and that break structure or numerics."""
    hidden = {case.name for case in cases_of(exercise, seed, large=False) if not case.public}

    def share(names: Iterable[str]) -> float:
        return len(hidden & set(names)) / len(hidden)

    failed = {rung.name: {one.case for one in rung.failed} for rung in verdict.rungs}
    badly = (cases for name, cases in failed.items() if name.partition(":")[0] in RIGHT)
    return share(set().union(*failed.values())), share(set().union(*badly))


def _declare(path: Path, loses: str | list[str], rung: str | None) -> None:
    """Put what an answer loses into its EXPECTED, in place of a share and a piece of a message."""
    text = path.read_text()
    node = next(
        each
        for each in ast.parse(text).body
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == "EXPECTED"
    )
    before = ast.literal_eval(node.value)
    kept = {key: before[key] for key in ("message", "shows", "lazy", "keeps") if key in before}
    kept.pop("message", None)
    found = {**({"loses": loses} if loses else {}), "rung": rung, **kept}
    lines = text.splitlines(keepends=True)
    lines[node.lineno - 1 : node.end_lineno] = [f"EXPECTED = {_written(found)}\n"]
    path.write_text("".join(lines))


def _written(found: dict) -> str:
    """As Python, within a line's width."""
    parts = [f"{json.dumps(key)}: {_value(value)}" for key, value in found.items()]
    line = f"{{{', '.join(parts)}}}"
    if len(line) <= WIDTH:
        return line
    inner = textwrap.fill(
        ", ".join(parts),
        WIDTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
    return f"{{\n{inner}\n}}"


def _value(value: object) -> str:
    return "None" if value is None else json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
