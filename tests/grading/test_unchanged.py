"""Whether what boxes load is what it was when grading began: what counts as a change of it, what
does not, and what is said of it. That a change costs nobody a mark is tried in tests/faults.
"""

import dataclasses
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from nbjudge import exercises
from nbjudge.boxes import libraries
from nbjudge.grading.cluster import parcel, worker
from nbjudge.grading.faults import environment, remedies
from nbjudge.grading.intake.intake import Submission
from nbjudge.grading.submission import engine
from nbjudge.grading.submission.task import Task


@pytest.fixture
def packages(tmp_path, monkeypatch) -> Path:
    """A folder of packages in the environment's place, remembered."""
    root = tmp_path / "packages"
    for name in ("first", "first/inside", "second"):
        (root / name).mkdir(parents=True)
        (root / name / "module.py").write_text("one = 1\n")
    shutil.copy(compiled(), root / "second" / "library.so.1")
    monkeypatch.setattr(environment, "_roots", lambda: [str(root)])
    environment.forget()
    environment.remember()
    yield root
    environment.forget()


@pytest.fixture
def system(tmp_path, monkeypatch, packages) -> Path:
    """A folder of the system's libraries in the place of those that there are: what `library.so.1`
    needs, in a copy, and what nothing here needs.
    """
    root = tmp_path / "lib"
    root.mkdir()
    for name in libraries.needed(str(packages / "second/library.so.1")):
        if os.path.exists(found := f"/usr/lib/{os.uname().machine}-linux-gnu/{name}"):
            shutil.copy(found, root / name)
    (root / "libgtk-3.so.0").write_bytes(b"\x7fELF\x02\x01 nothing here loads it")
    (root / "gtk-3.0").mkdir()
    monkeypatch.setattr(libraries, "_searched", lambda: [str(root), str(tmp_path / "local")])
    environment.forget()
    environment.remember()
    return root


def compiled() -> Path:
    """A real library, which needs the system's `libz`: Python's own, or where `zlib` is built into
    Python, as Debian does it, the one that psycopg brings.
    """
    import zlib

    packages = Path(sysconfig.get_path("platlib"))
    brought = next(packages.glob("psycopg_binary.libs/libcrypto*"))
    found = Path(getattr(zlib, "__file__", brought))
    assert any(name.startswith("libz.so") for name in libraries.needed(str(found)))
    return found


def replace(path: Path) -> None:
    """Another file of the same size, as an installer puts it there."""
    fresh = path.with_name("fresh.tmp")
    fresh.write_bytes(path.read_bytes()[::-1])
    fresh.replace(path)


def write_over(path: Path) -> None:
    """The same file, with other bytes of the same number in it."""
    with open(path, "r+b") as file:
        file.write(b"other")


def as_it_was(path: Path, change) -> None:
    """Change a folder, and leave it with the time that it had."""
    before = path.stat()
    change()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


# A change, then the path that is named and how it changed.
CHANGES = {
    "a package is removed": (lambda root: shutil.rmtree(root / "first"), "first", "removed"),
    "a package inside of one is removed": (
        lambda root: shutil.rmtree(root / "first/inside"),
        "first/inside",
        "removed",
    ),
    "a module is removed": (
        lambda root: (root / "first/inside/module.py").unlink(),
        "first/inside/module.py",
        "removed",
    ),
    "a module is added": (
        lambda root: (root / "second/numpy.py").touch(),
        "second/numpy.py",
        "added",
    ),
    "a package is added": (lambda root: (root / "third").mkdir(), "third", "added"),
    "a module is replaced": (
        lambda root: replace(root / "first/module.py"),
        "first/module.py",
        "modified",
    ),
    "a module is edited": (
        lambda root: write_over(root / "first/module.py"),
        "first/module.py",
        "modified",
    ),
    "a package is another one of the same name": (
        lambda root: as_it_was(
            root, lambda: [shutil.move(root / "first", root.parent), (root / "first").mkdir()]
        ),
        "first",
        "modified",
    ),
    "a library is replaced": (
        lambda root: replace(root / "second/library.so.1"),
        "second/library.so.1",
        "modified",
    ),
    "a library is written over": (
        lambda root: write_over(root / "second/library.so.1"),
        "second/library.so.1",
        "modified",
    ),
    "a library is cut short": (
        lambda root: (root / "second/library.so.1").write_bytes(b"ma"),
        "second/library.so.1",
        "modified",
    ),
    "a library cannot be read": (
        lambda root: (root / "second/library.so.1").chmod(0),
        "second/library.so.1",
        "modified",
    ),
    "a package cannot be read": (lambda root: (root / "second").chmod(0), "second", "modified"),
    "all of it is gone": (shutil.rmtree, "", "removed"),
}


@pytest.mark.parametrize(("change", "path", "how"), CHANGES.values(), ids=CHANGES)
def test_it_is_seen_and_named(packages, change, path, how):
    assert environment.changed() is None
    change(packages)
    found = environment.changed()
    assert (found.path, found.how) == (str(packages / path), how)
    said = remedies.of_a_change(found)
    assert f"{found.path} was {how}" in said and "`make install`" in said
    assert said.endswith("then type the same command again") and "\n" not in said


def needed_by(system: Path) -> Path:
    return next(path for path in sorted(system.iterdir()) if path.name.startswith("libz.so"))


SYSTEM = {
    "it is removed": (lambda path: path.unlink(), "removed"),
    "it is replaced": (replace, "modified"),
    "it is written over": (write_over, "modified"),
    "it cannot be read": (lambda path: path.chmod(0), "modified"),
}


@pytest.mark.parametrize(("change", "how"), SYSTEM.values(), ids=SYSTEM)
def test_a_library_of_the_system_that_is_needed_is_seen(system, change, how):
    assert environment.changed() is None
    change(needed_by(system))
    found = environment.changed()
    assert (found.path, found.how) == (str(needed_by_name(system)), how)
    said = remedies.of_a_change(found)
    assert "make install" not in said and said.endswith("then type the same command again")


def needed_by_name(system: Path) -> Path:
    """Where `needed_by` is, or was."""
    names = libraries.needed(str(system.parent / "packages/second/library.so.1"))
    return system / next(name for name in names if name.startswith("libz.so"))


def test_a_library_that_comes_before_the_needed_one_is_seen(system, tmp_path):
    local = tmp_path / "local"
    local.mkdir()
    assert environment.changed() is None
    shutil.copy(needed_by(system), local)
    assert environment.changed().how == "added"


def test_another_program_s_package_is_no_change(system):
    """What apt-get writes when it installs and upgrades what nothing here loads."""
    (system / "libwebkit.so.4").write_bytes(b"\x7fELF\x02\x01 new")
    replace(system / "libgtk-3.so.0")
    (system / "gtk-3.0/immodules.cache").touch()
    (system / "libpeas").mkdir()
    (system / "libgtk-3.so.0").unlink()
    assert environment.changed() is None


def test_what_a_real_interpreter_needs_is_known():
    """The C library at least, by whatever way it is found, and what the loader itself says of a
    library of the standard library's.
    """
    told = subprocess.run(["ldd", compiled()], capture_output=True, text=True, check=True).stdout
    named = {line.split("=>")[1].split()[0] for line in told.splitlines() if "=> /" in line}
    known = {os.path.realpath(path) for path in libraries.places([sys.executable, str(compiled())])}
    assert named and {os.path.realpath(path) for path in named} <= known


def test_what_python_writes_itself_is_no_change(packages):
    (packages / "first/__pycache__").mkdir()
    (packages / "first/__pycache__/module.cpython-311.pyc").touch()
    (packages / "first/module.cpython-311.pyc").touch()
    (packages / "second/tests").mkdir()
    assert environment.changed() is None
    assert environment.changed() is None


def test_what_comes_and_goes_is_no_change(packages):
    (packages / "second/late.py").touch()
    (packages / "second/late.py").unlink()
    assert environment.changed() is None


def test_packages_of_an_interpreter_that_no_box_imports_from_are_no_change(packages, monkeypatch):
    """Those beside the standard library, where grading has an environment of its own."""
    beside = packages / "site-packages"
    beside.mkdir()
    environment.forget()
    environment.remember()
    (beside / "of_others").mkdir()
    assert environment.changed() is None


def test_a_worker_holds_each_run_against_what_was_there_when_it_began(
    packages, monkeypatch, request
):
    """So the same command again helps, where a worker outlives a change; within a run it does not
    forget.
    """
    found = []
    request.addfinalizer(lambda: exercises.use(None))

    def grade(task):
        environment.remember()
        found.append(environment.changed())
        return engine._empty(task)

    monkeypatch.setattr(engine, "grade", grade)
    monkeypatch.setattr("nbjudge.boxes.require_sandbox", lambda: None)
    run = Task(
        submission=Submission(""),
        skeletons={"1": {}},
        tests={},
        rubrics={},
        current="1",
        exercises={},
        files={},
    )
    first, second = worker.shared(run), worker.shared(dataclasses.replace(run, changeable=("a",)))
    submission = parcel.pack(Submission("ada"))
    worker.grade(first, submission)
    (packages / "third").mkdir()
    worker.grade(first, submission)
    worker.grade(second, submission)
    assert [change and change.how for change in found] == [None, "added", None]
