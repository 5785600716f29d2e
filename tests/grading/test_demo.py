"""`make demo`, on the two labs of these tests and three of its students."""

import csv

import pytest
import run
from students import CLASS, deserved

from nbjudge import exercises

pytestmark = pytest.mark.xdist_group("class")


def test_the_demo_grades_its_class_and_says_where_everything_is(project, monkeypatch, capsys):
    students = [
        student
        for student in CLASS
        if student.name in ("ada-perfect", "finn-identity", "gus-empty")
    ]
    monkeypatch.setattr(run, "CLASS", students)
    monkeypatch.chdir(project.root)
    assert run.main() == 0
    said = capsys.readouterr().out
    assert all(
        word in said
        for word in ("ada-perfect", "gradebook", "grades.csv", "feedback", "formgrader")
    )
    grades = {
        row["student_id"]: float(row["score"])
        for row in csv.DictReader(
            (project.build / "demo" / "grades.csv").open(encoding="utf-8-sig")
        )
    }
    points = {name: exercises.get(name).points for name in ("inspect", "dropout")}
    for student in students:
        assert grades[student.name] == pytest.approx(
            sum(deserved(student, lab) * points[lab] for lab in points), abs=0.04
        )
