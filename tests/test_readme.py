"""What README.md says of the course is what the course holds."""

import re
import sys
from pathlib import Path

import nbformat
import pytest
from notebook_tools import is_line

from nbjudge import exercises
from nbjudge.grading.published.asked_exercises import in_folder

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "demo"))
from students import CLASS, deserved  # noqa: E402 - the demo is no package

README = (ROOT / "README.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """The cells of the table whose header line starts so, without the header."""
    table = README.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def labs(assignment: str) -> list[list[str]]:
    """Each lab's link, points and minutes: exercises, then what is marked by hand."""
    checked: dict[str, list] = {}
    for exercise, name in in_folder(ROOT / "labs" / assignment).items():
        checked.setdefault(name, []).append(exercises.get(exercise))
    found = [
        [name, sum(each.points for each in parts), sum(each.minutes for each in parts)]
        for name, parts in checked.items()
    ]
    for path in sorted((ROOT / "labs" / assignment).glob("*.ipynb")):
        if path.stem not in checked:
            cells = nbformat.read(path, as_version=4).cells
            points = sum(
                cell.metadata.nbgrader.points for cell in cells if cell.metadata.nbgrader.grade
            )
            found.append(
                [
                    path.stem,
                    points,
                    int(re.search(r"\| time \| (\d+) minutes \|", cells[0].source)[1]),
                ]
            )
    return [
        [f"[{name}](labs/{assignment}/{name}.ipynb)", points, minutes]
        for name, points, minutes in found
    ]


def test_the_table_of_labs_has_every_lab_with_its_points_and_minutes():
    expected = [lab for folder in sorted((ROOT / "labs").iterdir()) for lab in labs(folder.name)]
    table = [[row[0], row[2], row[3]] for row in rows("lab")]
    assert sorted(table[:-1]) == sorted(
        [link, f"{points:g}", str(minutes)] for link, points, minutes in expected
    )
    assert table[-1] == [
        "all",
        f"{sum(points for _, points, _ in expected):g}",
        str(sum(minutes for _, _, minutes in expected)),
    ]


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


def test_the_list_of_reading_notebooks_is_complete_and_has_their_titles():
    """In each folder, the line comes before its side roads."""
    listed = re.findall(r"^- \[.+?\]\((notebooks/\S+\.ipynb)\)", README, re.MULTILINE)
    found = [
        path.relative_to(ROOT).as_posix()
        for path in sorted(
            (ROOT / "notebooks").rglob("*.ipynb"),
            key=lambda path: (path.parent, not is_line(path), path.name),
        )
    ]
    assert listed == found
    for path in found:
        title = (
            nbformat.read(ROOT / path, as_version=4)
            .cells[0]
            .source.splitlines()[0]
            .removeprefix("# ")
        )
        assert f"[{title}]({path})" in README


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
