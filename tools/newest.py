"""Make an environment with the newest release of everything that the course needs, and see in it
which claims and pages still hold: see `make newest`.

COURSE_VENV names the environment's folder, which is made anew. The lock is not asked. The standard
library alone, as in prepare.py.
"""

import subprocess
import sys

import prepare
import prepare_packages as packages
import projects
from prepare_system import CannotPrepare

# ONNX Runtime's build for CUDA can be a release behind the other one.
RUNTIME = "onnxruntime"


def wanted() -> list[str]:
    """What the course needs, its tests and MiniLM included, with ONNX Runtime's build for CPUs."""
    needed = projects.requirements(projects.COURSE, ["dev", "minilm", "silero"])
    return sorted({RUNTIME, *(each for each in needed if not each.startswith(RUNTIME))})


def main() -> None:
    prepare.make_venv()
    packages.install_packages(wanted())
    packages.install_alone(projects.only_in(prepare.RECOGNIZER))
    packages.install_own(projects.FOLDERS.values())
    seen = subprocess.run(
        [str(packages.VENV_PYTHON), "-m", "tests.claims.newest", *sys.argv[1:]], cwd=projects.ROOT
    )
    sys.exit(seen.returncode)


if __name__ == "__main__":
    try:
        main()
    except CannotPrepare as error:
        sys.exit(f"error: {error}")
