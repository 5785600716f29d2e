"""A notebook that is handed in as it was released is run once for the class, with the result of a
run of its own.
"""

import json

import pytest
from students import CLASS, hand_in

from nbjudge.course.publish import publish
from nbjudge.grading.config.folders import Course
from nbjudge.grading.reference import references
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import canary, engine
from tests.grading import small

ASSIGNMENT = "day-50"
ORDER = coordinator.GradingRequest(ASSIGNMENT, seed=50, jobs=1)
pytestmark = pytest.mark.xdist_group("class")


@pytest.fixture(scope="module")
def course(project, tmp_path_factory):
    """`gus` hands in what he got; `hana` two notebooks that end as the released ones would, one of
    them with a line of her own.
    """
    made = Course.at(tmp_path_factory.mktemp("untouched") / "course")
    publish(made, project, [ASSIGNMENT], exchange=False)
    stub = next(student for student in CLASS if student.name == "gus-empty")
    for name in ("gus", "hana"):
        hand_in(
            stub,
            project.labs / ASSIGNMENT,
            project.solutions / ASSIGNMENT,
            made.submitted / name / ASSIGNMENT,
        )
    path = made.submitted / "hana" / ASSIGNMENT / "inspect.ipynb"
    notebook = json.loads(path.read_text())
    mine = {
        "cell_type": "code",
        "id": "mine",
        "metadata": {},
        "source": "mine = 1",
        "outputs": [],
        "execution_count": None,
    }
    path.write_text(json.dumps({**notebook, "cells": [*notebook["cells"], mine]}))
    return made


def graded(course, monkeypatch):
    """The report, what was recorded, and how many notebooks of students were run."""
    runs, run, record = [], engine.run_notebook, coordinator.record.Recorder.record
    recorded = {}
    monkeypatch.setattr(
        engine, "run_notebook", lambda *told, **how: runs.append(told) or run(*told, **how)
    )
    monkeypatch.setattr(
        coordinator.record.Recorder,
        "record",
        lambda self, some: (
            recorded.update({one.student: one.documents for one in some}) or record(self, some)
        ),
    )
    monkeypatch.setattr(canary, "prove", lambda *told: None)
    report = coordinator.grade(course, ORDER)
    monkeypatch.undo()
    return report, recorded, len(runs)


def test_it_is_run_once_and_recorded_as_if_it_had_been_run_alone(course, tmp_path, monkeypatch):
    once, documents, runs = graded(small.copied(course, tmp_path / "once"), monkeypatch)
    assert runs == 1, "the notebook with a line of her own"
    monkeypatch.setattr(references, "_untouched", lambda *told: None)
    alone, expected, runs = graded(small.copied(course, tmp_path / "alone"), monkeypatch)
    assert runs == 4
    for one, other in zip(once.submissions, alone.submissions, strict=True):
        assert (one.student, one.score, one.cells, one.notebooks) == (
            other.student,
            other.score,
            other.cells,
            other.notebooks,
        )
    assert cells_of(documents) == cells_of(expected)


def cells_of(documents):
    """By student, notebook and place. One cell draws random numbers, and a traceback names a file
    of the kernel's process.
    """

    def same_in_each_run(cell):
        outputs = [{**output, "traceback": ""} for output in cell.get("outputs", [])]
        return {**cell, "outputs": len(outputs) if cell["id"] == "random" else outputs}

    return {
        (student, name, place): same_in_each_run(cell)
        for student, books in documents.items()
        for name, book in books.items()
        for place, cell in enumerate(book["cells"])
    }
