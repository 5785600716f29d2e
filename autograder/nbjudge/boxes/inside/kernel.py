"""The kernel process of a runner box, forked from its template: ipykernel with the collector armed
before any student code runs.

The public cases lie beside the folder in which the supervisor offers cases.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import zmq
from ipykernel.kernelapp import IPKernelApp

from nbjudge import _replaced, exercises, given
from nbjudge.boxes.inside import collect
from nbjudge.boxes.inside.line import Line
from nbjudge.boxes.inside.spool import GIVEN

# What ipykernel imports only when a kernel starts. Here the template does it, once for all kernels.
_STARTING = (
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.extensions.storemagic",
    "tornado.platform.asyncio",
)
with _replaced.without_debugger():
    for _name in _STARTING:
        importlib.import_module(_name)


def main(line: int, connection: str, cases: str) -> None:
    """Run until the supervisor ends this process. `line` is the descriptor of the line to it."""
    exercises.use(exercises.IN_BOX)
    collect.arm(Path(cases), Line(os.dup(line)))
    os.close(line)
    given.arm(Path(cases).with_name(GIVEN))
    _replaced.in_kernel()
    # Our own modules are loaded; the notebook may import what lies beside it, as it does in
    # JupyterLab.
    sys.path.insert(0, "")
    sys.argv = [__file__, connection, cases]
    QueueingKernelApp.launch_instance(argv=["-f", connection, "--HistoryManager.enabled=False"])


class QueueingKernelApp(IPKernelApp):
    """A kernel whose output waits for its reader: libzmq would drop what is over a thousand
    messages, and with them the result that a mark is read from. The box's memory bounds it.
    """

    def init_iopub(self, context: zmq.Context) -> None:
        context.sndhwm = 0
        super().init_iopub(context)
