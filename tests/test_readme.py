"""What README.md says of the course is what the course holds."""

import re
from pathlib import Path

import pytest
from students import CLASS, deserved

from nbjudge import exercises
from nbjudge.grading.published.asked_exercises import in_folder

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def test_the_sample_of_the_demo_shows_the_scores_that_its_class_deserves():
    sample = README.split("This is a part of what `make demo` prints:", 1)[1].split("```")[1]
    shown = re.findall(r"^  ([\w-]+) +([\d.]+) / ([\d.]+)", sample, re.MULTILINE)
    points = {name: exercises.get(name).points for name in in_folder(ROOT / "labs" / "day-50")}
    by_name = {student.name: student for student in CLASS}
    expected = [
        (
            name,
            sum(deserved(by_name[name], lab) * each for lab, each in points.items()),
            sum(points.values()),
        )
        for name, *_ in shown
    ]
    assert [(name, float(score), float(most)) for name, score, most in shown] == [
        (name, pytest.approx(score, abs=0.04), most) for name, score, most in expected
    ]
    assert len(shown) == 5


def test_the_readme_and_the_first_page_lead_to_the_ledger_with_its_number_of_statements():
    statements = len(re.findall(r'<a id="', (ROOT / "site" / "claims.md").read_text()))
    assert f"made {statements} statements" in " ".join(README.split())
    assert "](site/claims.md)" in README
    assert "](docs/same-function.md)" in README


def test_every_link_leads_to_a_file_or_a_heading():
    headings = {
        re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in README.splitlines()
        if line.startswith("#")
    }
    for target in re.findall(r"\]\(([^)\s]+)\)", README):
        if target.startswith("#"):
            assert target[1:] in headings, target
        elif not target.startswith("http"):
            assert (ROOT / target.partition("#")[0]).exists(), target
