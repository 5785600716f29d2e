"""The first thing that runs in a box: `python -m nbjudge.boxes.inside.start MODULE` watches the box's
output, then runs the module.

A box of real root has no parent-death signal (see `launch`). It ends with its coordinator because a
thread sees that nobody reads its output any more; started here, before the module's own imports, it
does so from the first moment on.
"""

from __future__ import annotations

import os
import runpy
import select
import sys
import threading


class _Watch(threading.Thread):
    """Ends the process, and with it the box, when a pipe has no reader any more.

    It holds the pipe by a descriptor of its own: Linux looks a polled descriptor up again whenever
    something happens to its pipe, and one that was closed meanwhile looks like a pipe that ended.
    """

    def __init__(self, output: int):
        super().__init__(daemon=True)
        self._output = os.dup(output)
        (self._other, self._held) = os.pipe()
        self.start()

    def run(self) -> None:
        ends = select.poll()
        for handle in (self._output, self._other):
            ends.register(handle, 0)  # nothing is waited for but a pipe's other end to be gone
        if any(handle == self._output for handle, _ in ends.poll()):
            os._exit(1)

    def stop(self) -> None:
        os.close(self._held)
        self.join()
        os.close(self._other)
        os.close(self._output)


_watches: list[_Watch] = []


def watch(output: int) -> None:
    """End the process, and with it the box, as soon as nobody reads from `output`. Returns at once."""
    _watches.append(_Watch(output))


def unwatch() -> None:
    """Watch nothing until the next `watch`: the process has one thread again, so it may be forked."""
    while _watches:
        _watches.pop().stop()


if __name__ == "__main__":
    # The module that others import, and not this one, which is called __main__.
    from nbjudge.boxes.inside import start

    del sys.argv[0]
    start.watch(1)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    sys.stderr.flush()
    # All is said. What libraries and threads do while an interpreter ends is no part of the job,
    # and must not make a crash of it.
    os._exit(0)
