"""The supervisor of a runner box: reads a job, runs the notebook's cells in a kernel, sends what
came of them, and goes on to the next.

In, a `job`, then `case`, `given` and `file` frames, up to `go` or the end of the input:

    job   {"mode": "exercises" | "plain", "cells": [{"index", "source"}], "cell_seconds",
           "notebook_seconds", "case_seconds", "output_bytes", "skip": [indices], "endures": null or
           [[index] or [exercise, case]]}
          A cell is the test cell of the exercise that its "exercise" names (an id, or null).
          Without that key it is one when its source is nothing but a call of `check`.
          `output_bytes` bounds the kept outputs of one cell. `endures` are the places at which a
          kernel that is killed costs the cell or the case; null is all of them. `imports` are for
          the template.
    case  {"exercise", "name", "parameters", "public"} and the case's files as blobs
    given {"exercise", "name", "parameters"} and its files: a public case to look at, which is not
    called under that name file  {"path"} and the blob "data": put into the working directory
    go    {}: nothing more but replies to `ask`

A box for several jobs begins with `series` {"token"}, and says `free` {"token"} when nothing of a
job is left.

Out, in the order of events: `started`, `cell`, `calling`, `answer`, in plain mode `file`, and last
`done`:

    started  {"index"}
    calling  {"exercise", "case"}
    answer   {"exercise", "case", "outcome", "error"} and the answer's files as blobs; a case
             without an answer was never called
    cell     {"index", "status": ok | error | timeout | died | not_run, "execution_count",
             "outputs", "truncated", "incomplete", "kernel_lost"}
    ask      {"exercise", "case", "question"}, while a case runs: answered by `told` {"reply"}, a
             number, or null when the server of the case answers no more
    killed, no_kernel  {"detail"}: the last frame of a box that gives up, see `session`
    fault    {"detail"}: the harness's own, before any student code ran; `boxes.run` raises
    BoxFailure
"""

from __future__ import annotations

import os
import sys

from nbjudge import exercises
from nbjudge.boxes.inside.channel import Channel
from nbjudge.boxes.inside.job import Job
from nbjudge.boxes.inside.kernel_client import KernelDied
from nbjudge.boxes.inside.session import GivenUp, Session
from nbjudge.boxes.inside.template import Template


def main() -> None:
    if os.getpid() != 1 or os.getuid() == 0:
        sys.exit(
            "the runner kills every process around it: it runs only as process 1 of a box, and never as root"
        )
    exercises.use(exercises.IN_BOX)
    template = Template()  # before anything is read, and before there is a second thread
    channel = Channel()
    while (job := Job.read(channel.frames())) is not None:
        session = _run(job, channel, template)
        if session is None or not (session.leave() and channel.free()):
            return
    template.close()


def _run(job: Job, channel: Channel, template: Template) -> Session | None:
    """One notebook; None when the box cannot go on."""
    try:
        session = Session(job, channel, template)
        session.start()
    except (KernelDied, OSError, RuntimeError) as error:
        channel.send("fault", detail=f"{type(error).__name__}: {error}")
        return None
    try:
        session.run()
    except GivenUp as reason:
        channel.send(reason.kind, detail=str(reason))
        return None
    channel.send("done")
    return session


if __name__ == "__main__":
    main()
