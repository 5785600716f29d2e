"""A box ends with its coordinator, and for no other reason."""

import os
import subprocess
import sys
import textwrap

WATCHED = """
    import fcntl, os, sys
    from nbjudge.boxes.inside import start

    output = os.dup(1)
    start.watch(output)
    (thread,) = set(os.listdir("/proc/self/task")) - {str(os.getpid())}
    status = os.open(f"/proc/self/task/{thread}/status", os.O_RDONLY)

    def asleep():
        fields = dict(line.split(":", 1) for line in os.pread(status, 9999, 0).decode().splitlines())
        return int(fields["voluntary_ctxt_switches"]) if fields["State"].split()[0] == "S" else 0

    def wait_until_it_sleeps_again(after):
        while (times := asleep()) <= after:
            pass
        return times

    times = wait_until_it_sleeps_again(0)
    os.close(output)  # nothing is opened from here on: the number stays free
    for size in (1 << 17, 1 << 16, 1 << 17):
        fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, size)  # wakes what polls the pipe
        times = wait_until_it_sleeps_again(times)
    os.write(1, b"still here")
    sys.stdin.read()  # nothing more is said: only the watch can end this
"""


def test_a_watch_outlives_the_descriptor_that_it_was_given_and_ends_with_the_reader():
    reading, writing = os.pipe()
    command = [sys.executable, "-c", textwrap.dedent(WATCHED)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=writing) as process:
        os.close(writing)
        assert os.read(reading, 100) == b"still here"
        os.close(reading)
        assert process.wait() == 1
