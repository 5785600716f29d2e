"""The sentences of a report, the same in the terminal and on the page."""

from __future__ import annotations

from nbjudge.course.report.alike import (
    LISTED,
    NEARLY,
    SHORT,
    SOLUTION,
    Group,
    Likeness,
    Pair,
    TooShort,
)
from nbjudge.course.report.classes import ChangedMark, ClassReport, Defended, Item, Misconception
from nbjudge.course.report.figures import FEWEST, Correlation

TERMS = (
    "tried: students who wrote something for it, whether or not it is marked. "
    "to mark: answers that wait for a person; the columns behind it are about those who tried and have a mark. "
    "difficulty: the mean share of the points, so 1 is easy. "
    "discrimination: the correlation of the marks here with the marks in everything else, with a 95 % interval. "
    "If it is near 0 or below, students who do well elsewhere do not do better here: read the exercise again. "
    f"It is computed from {FEWEST} students on."
)
SAME = (
    "The same means that the words of two answers do not differ once comments, docstrings, layout, quotes, and the names that the student "
    f"chose are taken away; nearly the same, that at least {NEARLY:.0%} of their token sequences do not. The stub and given cells never count. "
    "It is a reason to read them, and no proof: it does not say who copied, and a common source looks the same."
)
ALIKE = (
    "Alike means a large part of the token sequences that few others have, after names, layout, comments and the given cells are taken "
    "away. It is a reason to read both, and no proof. It does not say which student copied, a common source looks the same, "
    "and a copy that was rewritten line by line is not found."
)


def headline(report: ClassReport) -> str:
    waiting = sum(item.waiting for item in report.items)
    missing = f"; {_count(waiting, 'mark')} still to be given by hand" if waiting else ""
    late = [one.late_penalty for one in report.changed if one.late_penalty]
    taken = (
        f" after late penalties, which took {sum(late):g} points from {_count(len(late), 'student')}"
        if late
        else ""
    )
    return f"{report.assignment}: {_count(report.students, 'student')}, mean {report.mean:.3g} of {report.max_score:g} points{taken}{missing}"


def changes(report: ClassReport) -> str:
    """The heading of the marks that something changed after the automatic grading."""
    return f"Marks that are not the automatic ones alone: {len(report.changed)} of {report.students}. The table above is before late penalties."


def changed(one: ChangedMark) -> str:
    return f"{one.student}: {one.text}"


DEFENDED = "Questions that students answered about their own code, on the pages of `course defend`:"


def defended(one: Defended) -> str:
    return f"{one.student}: {one.right} of {one.asked} right about {one.exercise}"


def discrimination(found: Correlation | None) -> str:
    return "" if found is None else f"{found.r:.2f} ({found.low:.2f} to {found.high:.2f})"


def summary(item: Item) -> str:
    """An item's row of the table, as a sentence."""
    parts = [f"{item.points:g} point{'s' * (item.points != 1)}"]
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


def earned(item: Item) -> str:
    parts = [f"{title} {count}" for title, count in item.earned.items()]
    return f"earned, of {item.judged}: {'; '.join(parts)}"


def rungs(item: Item) -> str:
    parts = [f"{name} {count}" for name, count in item.rungs.items()]
    return f"first broken rung, of {item.judged}: {', '.join(parts)}"


def misconception(one: Misconception, item: Item) -> str:
    return f"{one.students} of {item.judged}: {one.id} ({one.text})"


def compared(report: ClassReport) -> str:
    """What the section on likeness looked at, besides the submissions themselves."""
    earlier = sum(name != SOLUTION for name in report.sources)
    parts = [SOLUTION] if SOLUTION in report.sources else []
    parts += [f"{_count(earlier, 'submission')} of earlier terms"] if earlier else []
    beside = f", and with {' and '.join(parts)}" if parts else ""
    return f"{_count(report.students, 'submission')} compared with one another{beside}."


def groups(report: ClassReport) -> str:
    if not report.groups:
        return f"No two of them hold an answer that is the same, or nearly so, and long enough to say anything ({SHORT} words of code)."
    return f"{_count(len(report.groups), 'group')} handed in the same, or nearly the same. {SAME}"


def group(one: Group) -> str:
    """Who handed in the same: how many first, then what and who."""
    where = f"{one.notebook} ({', '.join(one.answers)})" if one.answers else one.notebook
    how = "nearly the same" if one.is_nearly else "the same"
    sources = " and ".join(one.sources)
    if len(one.students) == 1:
        return f"{where}: 1 of {one.writers} handed in {how} as {sources}: {one.students[0]}"
    many = ", the majority," if one.is_majority else ""
    exactly = ", letter for letter" if one.is_exact else ""
    also = f", which is {how} as {sources}" if sources else ""
    told = f"{len(one.students)} of {one.writers}{many} handed in {how}{exactly}{also}"
    return f"{where}: {told}: {', '.join(one.students)}"


def pairs(report: ClassReport) -> str:
    beside = "that are in no group together " if report.groups else ""
    if not report.pairs:
        return f"Of {_count(report.compared, 'pair')} of submissions, none {beside}is alike in {LISTED:.0%} or more of what few others have."
    count = _count(len(report.pairs), "pair")
    verb = "is" if len(report.pairs) == 1 else "are"
    return f"{count} {beside}{verb} alike in {LISTED:.0%} or more of what few others have. {ALIKE}"


def pair(one: Pair) -> str:
    parts = [f"{each.notebook} {each.similarity:.0%}{_same(one, each)}" for each in one.notebooks]
    return f"{one.students[0]} and {one.students[1]}: {', '.join(parts)}"


def _same(one: Pair, each: Likeness) -> str:
    parts = [
        f"{_count(others, 'other')} handed in the same as {name}"
        for name, others in zip(one.students, each.same, strict=True)
        if others
    ]
    return f" ({'; '.join(parts)})" if parts else ""


def too_short(one: TooShort) -> str:
    where = f"{one.notebook} ({one.answer})"
    why = (
        ". The solution is as short, so the task leaves little freedom"
        if one.is_short_itself
        else ""
    )
    less = f"fewer than {SHORT} words that the stub does not hold"
    verb = "is" if one.students == 1 else "are"
    return f"{where}: {one.students} of {one.writers} answers {verb} too short to say anything: {less}{why}."


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
