"""The kernel process of a runner box: ipykernel with the collector armed before any student code runs.

Arguments: the connection file, the folder in which the supervisor offers cases, and the descriptor of the line to it. The public cases
lie beside that folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp
from ipykernel.zmqshell import ZMQInteractiveShell

from autograder import exercises, given
from autograder.boxes.inside import collect
from autograder.boxes.inside.line import Line
from autograder.boxes.inside.spool import GIVEN


def end_cell(shell: ZMQInteractiveShell) -> None:
    """What `exit()` and `quit()` do here: end the cell. A kernel that stopped a moment after it would take the next cell with it."""
    raise SystemExit


if __name__ == "__main__":
    connection, cases, line = sys.argv[1:4]
    exercises.use(exercises.IN_BOX)
    collect.arm(Path(cases), Line(int(line)))
    given.arm(Path(cases).with_name(GIVEN))
    ZMQInteractiveShell.ask_exit = end_cell
    # Our own modules are loaded; the notebook may import what lies beside it, as it does in JupyterLab.
    sys.path.insert(0, "")
    IPKernelApp.launch_instance(argv=["-f", connection, "--HistoryManager.enabled=False"])
