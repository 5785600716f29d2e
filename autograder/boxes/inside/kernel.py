"""The kernel process of a runner box: ipykernel with the collector armed before any student code runs.

Arguments: the connection file and the folder in which the supervisor offers cases.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ipykernel.kernelapp import IPKernelApp

from autograder.boxes.inside import collect

if __name__ == "__main__":
    connection, cases = sys.argv[1:3]
    collect.arm(Path(cases))
    # Our own modules are loaded; the notebook may import what lies beside it, as it does in JupyterLab.
    sys.path.insert(0, "")
    IPKernelApp.launch_instance(argv=["-f", connection, "--HistoryManager.enabled=False"])
