"""What tests of grading share: a checkout with the two labs that the demo's class answers, and that
class.
"""

import shutil
from pathlib import Path

import pytest

from nbjudge.course.release import release
from nbjudge.grading.config.folders import Project

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """Released once; the other labs have their turn in `test_every_lab`."""
    root = tmp_path_factory.mktemp("checkout")
    (root / "pyproject.toml").touch()
    (root / "solutions" / "day-50").mkdir(parents=True)
    for name in ("inspect", "dropout"):
        shutil.copy(ROOT / "solutions" / "day-50" / f"{name}.ipynb", root / "solutions" / "day-50")
    release(Project(root))
    return Project(root)
