"""What a submission holds waits in files and goes through the coordinator in pieces: its memory
stays where it is.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile import arena
from tests.hostile.attack import Attack, answering, before
from tests.hostile.kernel import WRONG

MOST = 300  # MB, of the whole process

LARGE_FILES = """import os

from nbjudge.boxes.inside import collect
from nbjudge.contract import Answer

data = os.urandom(1 << 20) * 60
collect.ask = lambda exercise, functions, case, *given, **named: Answer("returned", {"answer.json": data, "model.onnx": data})"""


def _files(folder):
    """All that intake takes, in files and in notebooks."""
    for number in range(3):
        (folder / f"data-{number}.bin").write_bytes(bytes(60 << 20))
    for number in range(2):
        (folder / f"more-{number}.ipynb").write_bytes(b" " * (30 << 20))


PRINTS = 'print("\\N{PILE OF POO}" * 900_000)'

ATTACKS = [
    Attack("answers", "memory", "inspect", "returns_nothing", 0.0, deed=before(LARGE_FILES)),
    Attack("files", "memory", "first", "wrong", 0.0, write=_files),
    Attack(
        "outputs",
        "memory",
        "inspect",
        "stub",
        0.0,
        deed=lambda notebook: (
            [answering(WRONG)(notebook)] + [before(PRINTS)(notebook) for _ in range(40)]
        ),
    ),
]
pytestmark = pytest.mark.xdist_group("hostile")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return arena.project(tmp_path_factory.mktemp("memory") / "checkout")


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_hundreds_of_megabytes_do_not_go_through_memory(attack, checkout, tmp_path):
    course = arena.published(checkout, tmp_path / "course")
    arena.hand_in(checkout, course, attack)
    command = [
        sys.executable,
        "-P",
        str(Path(__file__).with_name("memory.py")),
        str(course.root),
        attack.assignment,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    _, peak, status, score = done.stdout.split()
    assert (status, float(score)) == ("graded", 0.0)
    assert int(peak) < MOST
