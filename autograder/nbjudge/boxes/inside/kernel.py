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
from ipykernel.iostream import IOPubThread
from ipykernel.kernelapp import IPKernelApp
from ipykernel.zmqshell import ZMQInteractiveShell
from zmq.eventloop.zmqstream import ZMQStream

from nbjudge import exercises, given
from nbjudge.boxes.inside import collect
from nbjudge.boxes.inside.line import Line
from nbjudge.boxes.inside.spool import GIVEN

_LINGER_MILLISECONDS = 3000
# What ipykernel imports only when a kernel starts. Here the template does it, once for all kernels.
_STARTING = (
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.extensions.storemagic",
    "tornado.platform.asyncio",
)
# Where the kernel hears what forked children print; they may have changed the environment.
_pipe_address = ""
# Nobody debugs what is graded: without debugpy, ipykernel does without a hundred modules.
sys.modules["debugpy"] = None  # type: ignore[assignment]  # so an import of it fails
for _name in _STARTING:
    importlib.import_module(_name)
del sys.modules["debugpy"]


def main(line: int, connection: str, cases: str) -> None:
    """Run until the supervisor ends this process. `line` is the descriptor of the line to it."""
    exercises.use(exercises.IN_BOX)
    collect.arm(Path(cases), Line(os.dup(line)))
    os.close(line)
    given.arm(Path(cases).with_name(GIVEN))
    ZMQInteractiveShell.ask_exit = end_cell  # type: ignore[method-assign]  # ours in its place
    IOPubThread._setup_pipe_in = _listen  # type: ignore[method-assign]  # ours in its place
    IOPubThread._setup_pipe_out = _speak  # type: ignore[method-assign]  # ours in its place
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


def end_cell(_shell: ZMQInteractiveShell) -> None:
    """What `exit()` and `quit()` do here: end the cell. A kernel that stopped a moment after it
    would take the next cell with it.
    """
    raise SystemExit


def _address() -> str:
    return f"ipc://{os.environ['IPYTHONDIR']}-pipe"


def _listen(thread: IOPubThread) -> None:
    """The pipe for what forked children print, as ipykernel makes it, but over a unix socket:
    notebooks with exercises have no other.
    """
    global _pipe_address
    thread._pipe_uuid = os.urandom(16)
    _pipe_address = _address()
    pipe = thread.socket.context.socket(zmq.PULL)
    pipe.linger = 0
    pipe.bind(_pipe_address)
    thread._pipe_in = ZMQStream(pipe, thread.io_loop)
    thread._pipe_in.on_recv(thread._handle_pipe_msg)


def _speak(_thread: IOPubThread) -> tuple[zmq.Context, zmq.Socket]:
    context = zmq.Context()
    pipe = context.socket(zmq.PUSH)
    pipe.linger = _LINGER_MILLISECONDS
    pipe.connect(_pipe_address)
    return context, pipe
