"""What code makes of a declaration is in the files: `make generate` changes nothing. The map of the
course holds each page and lab.
"""

import re
from pathlib import Path

import course_map
import generate
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
COURSE = course_map.Map(generate.declared())


def test_make_generate_changes_nothing():
    found = [*generate.stale(), *generate.stale_labs()]
    assert [path.relative_to(ROOT).as_posix() for path in found] == [], "type: make generate"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("title: Graph surgery", "title: Surgery on graphs"),
        ("about: read what a file needs and holds", "about: read a file"),
        ("question: choose a format", "question: find a format"),
    ],
)
def test_a_changed_declaration_is_put_in(was, now, tmp_path, monkeypatch):
    text = (ROOT / "course.yml").read_text(encoding="utf-8")
    assert text.count(was) == 1
    for name in (
        "notebooks",
        "solutions",
        "README.md",
        "requirements.lock",
        "requirements-zoo.lock",
    ):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "course.yml").write_text(text.replace(was, now), encoding="utf-8")
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    said = now.partition(": ")[2]
    changed = {path.name: data.decode() for path, data in generate.stale().items()}
    assert {"README.md", "00-start-here.ipynb"} <= set(changed)
    assert all(said in " ".join(words(text)) for text in changed.values())


def words(text: str) -> list[str]:
    """The words of a text, without the elements of a picture."""
    return re.sub(r"<[^>]+>", " ", text).split()


def targets(text: str, folder: Path) -> list[str]:
    """What the links of a text in this folder lead to, from the root, without what is elsewhere."""
    found = re.findall(r'(?:\]\(|href=")([^)"#]+)', text)
    return [
        (folder / each).resolve().relative_to(ROOT).as_posix()
        for each in found
        if "://" not in each
    ]


def test_each_page_and_lab_is_drawn_once_and_leads_to_its_file():
    drawn = [
        target
        for drawing in course_map.draw(COURSE).values()
        for target in targets(drawing, ROOT / "notebooks")
    ]
    assert sorted(drawn) == sorted(f"{each.path}.ipynb" for each in COURSE.entries)
    assert all((ROOT / each).is_file() for each in drawn)


@pytest.mark.parametrize("source", ["README.md", f"{course_map.FRONT}.ipynb"])
def test_the_map_in_words_leads_to_each_page_and_lab(source):
    text = course_map.in_words(COURSE, source)
    found = set(targets(text, (ROOT / source).parent))
    assert found >= {f"{each.path}.ipynb" for each in COURSE.entries}
    assert found >= {course_map.picture(folder) for folder in course_map.PARTS}
    assert all((ROOT / each).is_file() for each in found)


def test_a_page_stands_below_what_it_needs_and_says_what_else_it_needs():
    for folder in course_map.PARTS:
        above = {row.page.stem: row.under for row in COURSE.rows(folder)}
        for row in COURSE.rows(folder):
            over = set()
            page = row.page
            while page := above[page.stem]:
                over.add(page.stem)
            assert set(row.page.needs) - over == {each.stem for each in row.also}


@pytest.mark.parametrize(
    "entry",
    [each for each in COURSE.entries if each.path != course_map.FRONT],
    ids=lambda each: each.path,
)
def test_each_page_says_where_it_is_and_what_is_near(entry):
    line = course_map.you_are_here(COURSE, entry)
    assert all((ROOT / each).is_file() for each in targets(line, (ROOT / entry.path).parent))
    steps = COURSE.of_evening(entry)
    assert entry.question in line or steps or entry.is_lab
    if steps:
        place = steps.index(entry)
        near = steps[max(0, place - 1) : place + 2]
        assert all(each == entry or f"{each.stem}.ipynb" in line for each in near)


def test_minutes_grow_with_what_there_is_to_read_and_to_do():
    def page(*cells):
        return new_notebook(cells=cells)

    text = new_markdown_cell("word " * 2000)
    answer = new_markdown_cell(
        f"<details><summary>Answer</summary>\n\n{'word ' * 2000}\n</details>"
    )
    code = new_code_cell("x = 1\n" * 100)
    folded = new_code_cell(code.source, metadata={"jupyter": {"source_hidden": True}})
    guess = new_code_cell("my_guess = ...")
    step = new_code_cell("def f():\n    raise NotImplementedError")
    assert generate.minutes(page(text)) == 10
    assert generate.minutes(page(text, answer, folded)) == 10
    assert generate.minutes(page(text, code)) == 15
    assert generate.minutes(page(text, *[guess] * 4)) == 15
    assert generate.minutes(page(text, *[step] * 5)) == 25
