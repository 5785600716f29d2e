"""What JupyterLab, nbgrader and grading need."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from nbjudge.doctor.line import Line


def kernel() -> Iterator[Line]:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        program = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        fix = "type `python -m ipykernel install --sys-prefix`"
        yield Line("kernel", "fail", "JupyterLab has no kernel python3", fix)
        return
    if Path(program).name == program or os.path.samefile(program, sys.executable):
        yield Line("kernel", "ok", f"python3 runs {sys.executable}")
    else:
        detail = f"python3 runs {program}, another Python than this one"
        yield Line("kernel", "warn", detail, "Start JupyterLab: type `course lab`")


def nbgrader_programs() -> Iterator[Line]:
    try:
        import nbgrader
    except ModuleNotFoundError:
        # The part for students, beside an editor of their own.
        detail = "not installed: `course check`, `course submit` and `course doctor` do without"
        yield Line("nbgrader", "ok", detail)
        return
    alembic = shutil.which("alembic")
    if alembic:
        yield Line("nbgrader", "ok", f"{nbgrader.__version__}, with {alembic}")
    else:
        where = Path(sys.executable).parent
        detail = f"{nbgrader.__version__}, but the program alembic, which it starts to make a gradebook, is not on PATH"
        fix = f"export PATH={where}:$PATH   (or: source {where}/activate)"
        yield Line("nbgrader", "warn", detail, fix)


def exchange() -> Iterator[Line]:
    """nbgrader's exchange: a shared folder where AUTOGRADER_EXCHANGE says so; otherwise each course
    has its own.
    """
    shared = os.environ.get("AUTOGRADER_EXCHANGE")
    if not shared:
        detail = "made inside the course folder on first use (AUTOGRADER_EXCHANGE is not set)"
        yield Line("exchange", "ok", detail)
    elif os.path.isdir(shared) and os.access(shared, os.W_OK | os.X_OK):
        yield Line("exchange", "ok", shared)
    else:
        detail = f"AUTOGRADER_EXCHANGE is {shared}, which is no folder that you can write to"
        yield Line("exchange", "warn", detail, f"mkdir -p {shared} && chmod 777 {shared}")


def sandbox() -> Iterator[Line]:
    """Grading's needs: warnings, because a student has no use for them."""
    if sys.platform != "linux":
        detail = f"grading needs Linux, and this is {platform.system()}"
        yield Line("sandbox", "warn", detail, "Nothing, for work on the labs")
        return
    from nbjudge.boxes import self_test

    probes = self_test()
    broken = [probe for probe in probes if not probe.passed]
    for probe in broken:
        yield Line("sandbox", "warn", f"{probe.name}: {probe.detail}", probe.fix)
    if not broken:
        yield Line("sandbox", "ok", f"{len(probes)} probes passed")
