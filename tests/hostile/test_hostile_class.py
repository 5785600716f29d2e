"""Hostile and honest students graded as one class: nobody gains, nobody loses, nothing gets out,
nothing stays behind.
"""

import csv
from pathlib import Path

import pytest

from tests.hostile import arena, corpus
from tests.hostile.attack import CANARY, FOUND
from tests.hostile.damage import PLANTED, SLEEPER
from tests.hostile.steal import TOOK

pytestmark = pytest.mark.xdist_group("hostile")

# Of the points of its notebook: rungs round to a hundredth.
ROUNDING = 0.005
# What a submission may not hold of what drives a terminal or turns text round, wherever a person
# reads it.
DRIVING = {
    *map(
        chr,
        [
            *range(9),
            11,
            12,
            *range(14, 32),
            *range(127, 160),
            *range(0x200E, 0x2010),
            *range(0x202A, 0x202F),
            *range(0x2066, 0x206A),
        ],
    )
}
PLACES = (
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/",
    "/root",
    "/etc",
    "/run",
    str(Path.home()),
    str(Path.cwd()),
)


def failures(found: dict[str, object]) -> str:
    return "\n".join(f"{name}: {what}" for name, what in found.items())


def test_every_submission_has_a_result(fought):
    attacks, quiet, graded, _ = fought
    assert set(graded.results) == {attack.student for attack in attacks} | set(quiet)
    wrong = {
        name: (result.status, result.reason)
        for name, result in graded.results.items()
        if result.status == "ungraded"
    }
    assert not wrong, failures(wrong)


def test_honest_marks_are_those_of_a_quiet_day(fought):
    _, quiet, graded, _ = fought
    assert {name: graded.results[name].score for name in quiet} == quiet
    assert quiet == {"honest-right": 3.0, "honest-half": 3.0, "honest-warm": 5.0}


def test_nobody_gets_more_than_the_work_deserves(fought):
    attacks, _, graded, _ = fought
    found = {}
    for attack in attacks:
        result = graded.results[attack.student]
        points = {"inspect": 3, "dropout": 4, "first": 5}[attack.lab]
        score, most = result.score or 0.0, (attack.most + ROUNDING) * points
        if score > most or (attack.exactly and score < (attack.most - ROUNDING) * points):
            found[attack.student] = (
                f"{score} instead of {attack.most * points}: {result.cells} {result.notebooks}"
            )
    assert not found, failures(found)


def test_what_cannot_be_graded_says_so_and_tampering_is_told(fought):
    attacks, _, graded, _ = fought
    found = {}
    for attack in attacks:
        result = graded.results[attack.student]
        book = result.notebooks[attack.lab]
        if book.status != attack.status or (book.status == "ungradable" and not book.reason):
            found[attack.student] = f"{book} instead of {attack.status}"
        if attack.flagged is not None and bool(result.tampered) != attack.flagged:
            found[attack.student] = f"tampered: {result.tampered}"
    assert not found, failures(found)


def test_nothing_gets_out(fought):
    _, _, graded, _ = fought
    marks = (CANARY, FOUND, TOOK, CANARY[::-1], CANARY.encode().hex())
    found = {name: mark for name, text in graded.said.items() for mark in marks if mark in text}
    assert not found, failures(found)


def test_what_people_read_holds_no_control_characters(fought):
    _, _, graded, _ = fought
    read = {name: text for name, text in graded.said.items() if not name.endswith(".ipynb")}
    found = {
        name: sorted({ascii(char) for char in DRIVING & set(text)})
        for name, text in read.items()
        if DRIVING & set(text)
    }
    assert not found, failures(found)


def test_no_cell_of_a_table_is_a_formula(fought):
    """Row by row, as a spreadsheet reads them; the roster has a student whose name and address are
    formulas.
    """
    _, _, graded, _ = fought
    tables = {
        name: list(csv.reader(text.splitlines()))
        for name, text in graded.said.items()
        if name.startswith("export to")
    }
    assert {name.rpartition(" ")[2] for name, rows in tables.items() if "absent" in str(rows)} == {
        "csv",
        "canvas",
        "moodle",
    }
    assert arena.FORMULA in str(tables["export to csv"]) and arena.FORMULA in str(
        tables["export to canvas"]
    )
    cells = [cell.strip() for rows in tables.values() for row in rows for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@") and not is_number(cell)]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_reasons_are_one_short_line(fought):
    _, _, graded, _ = fought
    texts = {
        name: [result.reason or "", *(book.reason or "" for book in result.notebooks.values())]
        for name, result in graded.results.items()
    }
    found = {
        name: text
        for name, several in texts.items()
        for text in several
        if not text.isprintable() or len(text) > 600
    }
    assert not found, failures(found)


def test_nothing_outside_the_course_folder_changed(fought):
    _, _, graded, before = fought
    assert arena.fingerprint(graded.project.root) == before
    planted = [path for place in PLACES for path in Path(place).glob(f"*{PLANTED}*")]
    planted += [
        path
        for folder in (".ipython", ".jupyter", ".config")
        for path in (Path.home() / folder).glob(f"**/*{PLANTED}*")
    ]
    assert not planted
    inside = [
        path
        for folder in (graded.course.autograded, graded.course.feedback)
        for path in folder.rglob(f"*{PLANTED}*")
    ]
    assert not inside


def test_no_process_is_left(fought):
    assert not [line for line in arena.processes() if SLEEPER in line]


def test_the_sample_rotates_and_covers_every_theme(monkeypatch):
    first = [attack.student for attack in corpus.sample()]
    monkeypatch.setenv("HOSTILE_SEED", "1")
    second = [attack.student for attack in corpus.sample()]
    assert first != second and len(first) == corpus.EACH * len(corpus.THEMES)
    assert {attack.theme for attack in corpus.ALL} == set(corpus.THEMES)
    assert len({attack.student for attack in corpus.ALL}) == len(corpus.ALL)
