"""What every test gets: nothing of the user's Jupyter or IPython set-up, no model hub, and the
environment's programs on PATH.
"""

import functools
import gc
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

from tests.suites import EXPORTING, is_as_recorded, is_left_to_all

ROOT = Path(__file__).resolve().parent.parent
# What tests call of the checkout's programs. Last, so that none stands in for an installed module.
sys.path += [str(ROOT / folder) for folder in ("demo", "tools", "tools/site", "tools/gpu", "site")]
# Boxes mount the installed packages, as in a course. What was changed in the checkout is installed
# before the first test, so that what is tested is what was written.
if "PYTEST_XDIST_WORKER" not in os.environ and Path(sys.prefix) == ROOT / ".venv":
    subprocess.run([sys.executable, ROOT / "tools" / "prepare.py", "own"], check=True)

import nbjudge  # noqa: E402, F401

_own = tempfile.TemporaryDirectory(prefix="course-tests-")
for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
    os.environ[name] = str(Path(_own.name) / name.lower())
os.environ["PATH"] = (
    f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"  # nbgrader starts alembic by name
)
os.environ["PYTHONSAFEPATH"] = (
    # `python -c` takes the installed package too, as boxes do, and not the one in the working
    # directory
    "1"
)
os.environ |= {"OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "HF_HUB_OFFLINE": "1"}
# Where exported models are kept.
os.environ.setdefault("FORMATLAB_CACHE", str(ROOT / "build" / "cache"))
# An example may take as long as a busy machine makes it. Without the slow tests a property is tried
# on fewer of them.
settings.register_profile("all", deadline=None)
settings.register_profile("few", deadline=None, max_examples=30)


LONGEST_NAME = 80
# The groups that take longest, longest first: a group that started late would have one worker go on
# alone. The rest is short tests. Groups that wait more than they compute, for deadlines and
# browsers, stand among those that compute, so that the cores have something to do.
LONGEST = (
    "hostile",
    "conformance",
    "class",
    "boxes-runner",
    "mutants-capstone",
    "faulty",
    "site",
    "browser",
    "mutants-export",
    "notebook-04c-a-task-decides",
    "alive",
    "notebook-04b-transformers",
    "cluster",
    "mutants-int8_dynamic",
    "notebook-01-export-and-run",
    "boxes-",
    "exports",
    "settings",
    "mutants-int8_static",
    "notebook-05-torchscript",
    "incremental",
    "claims",
    "mutants-layernorm",
    "returning",
    "mutants-torchscript",
    "served",
    "notebook-",
    "postgres",
    "mutants-",
    "faults",
    "every-lab-",
    "practice",
    "doctor",
    "new-exercise",
    "fuzz",
    "rubric",
    "plain",
)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("few" if _without_slow(config) else "all")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what `make test` leaves out (see suites.py)."""
    return True if _without_slow(config) and is_left_to_all(collection_path) else None


def _without_slow(config: pytest.Config) -> bool:
    return "not slow" in config.option.markexpr


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A short name for a long text: names are sent to every worker, and printed."""
    if isinstance(val, str | bytes) and len(val) > LONGEST_NAME:
        data = val.encode(errors="surrogatepass") if isinstance(val, str) else val
        return f"{argname}-{hashlib.sha256(data).hexdigest()[:8]}"
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays until the end. The garbage collector does not look at it
    meanwhile, and is told to leave it alone: going through a million objects took it a tenth of the
    time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[object]:
    """Mark what suites.py leaves to `make test-all`, let pytest choose, and put the longest groups
    first: with `--no-loadscope-reorder` pytest-xdist hands them out in this order. Within a group
    nothing changes.
    """
    unchanged = {f"mutants-{name}" for name in EXPORTING if is_as_recorded(name)}
    for item in items:
        is_its_lab = item.path.name == "test_solutions.py" and is_as_recorded(
            item.callspec.params["exercise"].id
        )
        if is_its_lab or _group(item) in unchanged or is_left_to_all(item.path):
            item.add_marker(pytest.mark.slow)
    result = yield
    items.sort(key=lambda item: _place(_group(item)))
    return result


def _group(item: pytest.Item) -> str:
    return next((mark.args[0] for mark in item.iter_markers("xdist_group")), "")


def _place(group: str) -> int:
    return next(
        (place for place, name in enumerate(LONGEST) if group.startswith(name)), len(LONGEST)
    )


@pytest.fixture(scope="session", autouse=True)
def one_at_a_time_beside_other_workers():
    """Workers fill the cores. What grades in one of them grades as many submissions at once as the
    test says, and otherwise one: not as many as there are cores.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            patch.setattr(os, "sched_getaffinity", lambda pid: {0})
        yield


@pytest.fixture(scope="session", autouse=True)
def schema_version_looked_up_once():
    """nbgrader starts a process for each gradebook that it makes, which says what the installed
    version's tables are called.
    """
    api = sys.modules.get("nbgrader.api")
    if api is not None and not hasattr(api.get_alembic_version, "cache_info"):
        api.get_alembic_version = functools.cache(api.get_alembic_version)


@pytest.fixture(scope="session")
def minilm_cache(tmp_path_factory):
    """A cache with MiniLM as its recipe exports it now: once for all workers, for it takes long."""
    from formatlab.models import minilm

    runs = tmp_path_factory.getbasetemp()
    folder = (runs.parent if "PYTEST_XDIST_WORKER" in os.environ else runs) / "minilm"
    with FileLock(f"{folder}.lock"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORMATLAB_CACHE", str(folder))
        if not folder.exists():
            minilm.training_mode_onnx()
    return folder


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory):
    """A gradebook without anything in it, to be copied: nbgrader starts a process of alembic's for
    each that it makes.
    """
    from nbgrader.api import Gradebook

    from nbjudge.grading.config.folders import COURSE_ID

    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    Gradebook(f"sqlite:///{path}", COURSE_ID).close()
    return path
