"""What code makes of a declaration is in the files: `make generate` changes nothing."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools"))
import generate  # noqa: E402


def test_make_generate_changes_nothing():
    found = [*generate.stale(), *generate.stale_labs()]
    assert [path.relative_to(ROOT).as_posix() for path in found] == [], "type: make generate"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("minutes: 105", "minutes: 95"),
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
    changed = generate.stale()
    assert changed and all(said in data.decode() for data in changed.values())
