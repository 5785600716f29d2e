"""The sandbox: one module, in one fresh bubblewrap box, with frames of bytes in and out and limits on everything.

A box has no network, an empty environment, no file of the host but the interpreter, its packages and the system's libraries
(read-only), and in-memory folders of bounded size. Without a working sandbox nothing is graded: every failure of the sandbox
itself is a SandboxUnavailable, never a `BoxRun` that could be taken for the fault of the code inside.
"""

from autograder.boxes.box import BoxRun, run
from autograder.boxes.errors import BoxFailure, SandboxUnavailable
from autograder.boxes.limits import Limits, limits_for_checker, limits_for_notebook, limits_for_runner
from autograder.boxes.selftest import Probe, require_sandbox, self_test

__all__ = [
    "BoxFailure",
    "BoxRun",
    "Limits",
    "Probe",
    "SandboxUnavailable",
    "limits_for_checker",
    "limits_for_notebook",
    "limits_for_runner",
    "require_sandbox",
    "run",
    "self_test",
]
