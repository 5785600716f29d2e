"""Whether the Python environment is the one that grading began with: what counts as a change of it,
and what does not. That a change costs nobody a mark is tried in tests/faults.
"""

import os
import shutil
from pathlib import Path

import pytest

from autograder.grading import environment


@pytest.fixture
def packages(tmp_path, monkeypatch) -> Path:
    """A folder of packages in the environment's place, remembered."""
    root = tmp_path / "packages"
    for name in ("first", "first/inside", "second"):
        (root / name).mkdir(parents=True)
        (root / name / "module.py").write_text("one = 1\n")
    (root / "second" / "library.so.1").write_bytes(b"machine code")
    monkeypatch.setattr(environment, "_roots", lambda: [str(root)])
    environment.remember.cache_clear()
    environment.remember()
    yield root
    environment.remember.cache_clear()


def replace(path: Path) -> None:
    """Another file of the same size, as an installer puts it there."""
    fresh = path.with_name("fresh.tmp")
    fresh.write_bytes(path.read_bytes()[::-1])
    fresh.replace(path)


def as_it_was(path: Path, change) -> None:
    """Change a folder, and leave it with the time that it had."""
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES = {
    "a package is removed": lambda root: shutil.rmtree(root / "first"),
    "a package inside of one is removed": lambda root: shutil.rmtree(root / "first/inside"),
    "a module is removed": lambda root: (root / "first/inside/module.py").unlink(),
    "a module is added": lambda root: (root / "second/numpy.py").touch(),
    "a package is added": lambda root: (root / "third").mkdir(),
    "a package is another one of the same name": lambda root: as_it_was(
        root, lambda: [shutil.move(root / "first", root.parent), (root / "first").mkdir()]
    ),
    "a library is replaced": lambda root: replace(root / "second/library.so.1"),
    "a library is cut short": lambda root: (root / "second/library.so.1").write_bytes(b"ma"),
    "a library cannot be read": lambda root: (root / "second/library.so.1").chmod(0),
    "a package cannot be read": lambda root: (root / "second").chmod(0),
    "all of it is gone": shutil.rmtree,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_is_seen(packages, change):
    assert not environment.changed()
    change(packages)
    assert environment.changed()


def test_what_python_writes_itself_is_no_change(packages):
    (packages / "first/__pycache__").mkdir()
    (packages / "first/__pycache__/module.cpython-311.pyc").touch()
    (packages / "first/module.cpython-311.pyc").touch()
    (packages / "second/tests").mkdir()
    assert not environment.changed()
    assert not environment.changed()


def test_what_comes_and_goes_is_no_change(packages):
    (packages / "second/late.py").touch()
    (packages / "second/late.py").unlink()
    assert not environment.changed()
