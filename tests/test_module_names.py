"""Modules that tests import by their bare name have one name each, whatever folder they lie in."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests", "tools")


def test_no_two_modules_have_one_name():
    files = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists() and path.stem not in ("conftest", "__main__")
    ]
    counted = Counter(path.stem for path in files)
    assert [name for name, count in counted.items() if count > 1] == []
