"""The sentences of a report, the same in the terminal and on the page."""

from __future__ import annotations

from autograder.course.report.alike import LISTED, Pair
from autograder.course.report.classes import ClassReport, Item, Misconception
from autograder.course.report.figures import FEWEST, Correlation

TERMS = (
    "tried: students who wrote something for it, whether or not it is marked. "
    "to mark: answers that wait for a person; the columns behind it are about those who tried and have a mark. "
    "difficulty: the mean share of the points, so 1 is easy. "
    "discrimination: the correlation of the marks here with the marks in everything else, with a 95 % interval. "
    "If it is near 0 or below, students who do well elsewhere do not do better here: read the exercise again. "
    f"It is computed from {FEWEST} students on."
)
ALIKE = (
    "Alike means a large part of the token sequences that few others have, after names, layout, comments and the given cells are taken "
    "away. It is a reason to read both, and no proof. It does not say which student copied, a common source looks the same, "
    "and a copy that was rewritten line by line is not found."
)


def headline(report: ClassReport) -> str:
    waiting = sum(item.waiting for item in report.items)
    missing = f"; {_count(waiting, 'mark')} still to be given by hand" if waiting else ""
    return f"{report.assignment}: {_count(report.students, 'student')}, mean {report.mean:.3g} of {report.max_score:g} points{missing}"


def discrimination(found: Correlation | None) -> str:
    return "" if found is None else f"{found.r:.2f} ({found.low:.2f} to {found.high:.2f})"


def summary(item: Item) -> str:
    """An item's row of the table, as a sentence."""
    parts = [f"{item.points:g} points"]
    parts += [f"{item.minutes} minutes, as the lab says"] if item.minutes else []
    if item.difficulty is not None:
        parts += [
            f"{item.full} of {item.judged} who tried and have a mark have all points",
            f"difficulty {item.difficulty:.2f}",
        ]
    if item.waiting:
        parts += [f"{_count(item.waiting, 'answer')} to be marked by hand"]
    if item.discrimination is not None:
        parts += [f"discrimination {discrimination(item.discrimination)}"]
    return f"{'; '.join(parts)}."


def rungs(item: Item) -> str:
    parts = [f"{name} {count}" for name, count in item.rungs.items()]
    return f"first broken rung, of {item.judged}: {', '.join(parts)}"


def misconception(one: Misconception, item: Item) -> str:
    return f"{one.students} of {item.judged}: {one.id} ({one.text})"


def pairs(report: ClassReport) -> str:
    if not report.pairs:
        return f"Of {_count(report.compared, 'pair')} of submissions none is alike in {LISTED:.0%} or more."
    count = f"{len(report.pairs)} of {_count(report.compared, 'pair')} of submissions"
    return f"{count} are alike in {LISTED:.0%} or more of what few others have. {ALIKE}"


def pair(one: Pair) -> str:
    parts = [f"{each.notebook} {each.similarity:.0%}" for each in one.notebooks]
    return f"{one.students[0]} and {one.students[1]}: {', '.join(parts)}"


def histogram(name: str, counts: tuple[int, ...]) -> str:
    """What a picture of marks shows, for those who do not see it."""
    everybody = sum(counts)
    if not everybody:
        return f"{name}: no student has a mark yet"
    steps = [
        f"{count} about {tenth * 10} %"
        for tenth, count in enumerate(counts)
        if count and 0 < tenth < len(counts) - 1
    ]
    return f"{name}: of {everybody}, " + ", ".join(
        [f"{counts[0]} have no point", *steps, f"{counts[-1]} have all points"]
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
