"""Each limit of a box, broken."""

import os
import textwrap
import time

import pytest

from nbjudge import boxes, wire
from nbjudge.boxes import watchdog
from tests.boxes.box_tools import MIB, RUNNER, evaluate, run_cells


def test_private_memory_ends_in_a_memory_error_and_the_notebook_goes_on():
    # What stays full has no memory left for the next cell's syntax tree, now and then.
    fill = """
        held = []
        try:
            while True: held.append(bytearray(10**7))
        except MemoryError:
            held.clear()
            raise
    """
    ran = run_cells(textwrap.dedent(fill), "'after'", limits={"memory_bytes": 512 * MIB})
    assert ran.error(0) == "MemoryError"
    assert ran.text(1) == "'after'"


# Files in memory: what is written through a map, and then out of the process's sight.
SHARED = """
    import mmap, os, signal
    for folder in ("/tmp", "/spool", "/dev/shm"):
        for number in range(7):
            with open(f"{folder}/{number}", "wb+") as file:
                file.truncate(8 << 20)
                area = mmap.mmap(file.fileno(), 0)
                area.write(b"x" * len(area))
                area.madvise(mmap.MADV_DONTNEED)
    for _ in range(2): os.fork()
    held = b"x" * (64 << 20)
    while True: signal.pause()
"""
FORKED = """
    import os, signal
    for _ in range(16):
        if os.fork() == 0:
            held = b"x" * (64 << 20)
            while True: signal.pause()
    while True: signal.pause()
"""


# A page of the system's own for each two megabytes of nothing that is read; no page is the process's.
TABLES = """
    import ctypes
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *3 * [ctypes.c_int], ctypes.c_size_t]
    start, byte = libc.mmap(None, 1 << 42, 1, 0x4022, -1, 0), ctypes.c_char.from_address
    for place in range(start, start + (1 << 42), 2 << 20):
        byte(place).value
"""
SOCKETS = """
    import contextlib, os, signal, socket
    for _ in range(8):
        if os.fork() == 0:
            held = []
            with contextlib.suppress(OSError):
                while True:
                    held.append(socket.socketpair())
                    held[-1][0].setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        while True: held[-1][0].send(b"x" * (1 << 16))
            while True: signal.pause()
    while True: signal.pause()
"""


# Of a process whose first thread has ended, the system says that it has no memory.
HEADLESS = """
    import ctypes, os, platform, signal, threading, time
    exit_thread = {"x86_64": 60, "aarch64": 93}[platform.machine()]
    def hold():
        held = b"x" * (64 << 20)
        while True: time.sleep(1)
    for _ in range(16):
        if os.fork() == 0:
            threading.Thread(target=hold).start()
            ctypes.CDLL(None).syscall(exit_thread, 0)
    while True: signal.pause()
"""


# The system has some hundred thousand for a user: one box would take those of all others.
WATCHES = """
    import os, select, signal
    files = [os.eventfd(0) for _ in range(100)]
    watching = [select.epoll() for _ in range(100)]
    for epoll in watching:
        for file in files: epoll.register(file)
    while True: signal.pause()
"""

# The same where no process has them open: in a socket that holds them until somebody takes them.
WATCHES_ON_THEIR_WAY = """
    import os, select, signal, socket
    files = [os.eventfd(0) for _ in range(100)]
    there, here = socket.socketpair()
    for _ in range(20):
        with select.epoll() as watching:
            for file in files: watching.register(file)
            socket.send_fds(there, [b"x"], [watching.fileno()])
    while True: signal.pause()
"""

# A part of an address space is some hundred bytes of the system's; no page is the process's.
PARTS = """
    import ctypes, os, signal
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *3 * [ctypes.c_int], ctypes.c_size_t]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for _ in range(19):
        if os.fork() == 0: break
    start = libc.mmap(None, 1 << 28, 0, 0x4022, -1, 0)
    for place in range(start, start + (1 << 28), 8192): libc.mprotect(place, 4096, 1)
    while True: signal.pause()
"""

# The system shares its processors among sessions: many of them would leave the other boxes nothing.
SESSIONS = """
    import os, signal
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            while True: signal.pause()
    while True: signal.pause()
"""

# A machine has 3,072 for all boxes together.
TERMINALS = """
    import contextlib, os, signal
    held = []
    with contextlib.suppress(OSError):
        while len(held) < 300: held.append(os.open("/dev/ptmx", os.O_RDWR))
    while True: signal.pause()
"""


@pytest.mark.parametrize(
    "source",
    [
        *(SHARED, FORKED, HEADLESS, TABLES, SOCKETS, WATCHES, WATCHES_ON_THEIR_WAY, PARTS),
        *(SESSIONS, TERMINALS),
    ],
    ids=[
        *("shared", "many processes", "no first thread", "page tables", "sockets", "watches"),
        *("watches on their way", "parts of address spaces", "sessions", "terminals"),
    ],
)
def test_memory_that_no_process_limit_counts_ends_the_box(source):
    ran = run_cells(
        "1", textwrap.dedent(source), limits={"memory_bytes": 400 * MIB, "scratch_bytes": 64 * MIB}
    )
    assert ran.ended == "memory"
    assert "MiB in use" in ran.detail
    assert list(ran.cells) == [0], "what was done before is kept"
    assert ran.frames[-1].header == {"kind": "started", "index": 1}


def test_memory_that_no_process_counts_cannot_be_had():
    """Pages that were given up by every process, and are still there: 1.6 GB in a box of 464 MB."""
    source = """
        import mmap
        def attempt(make):
            try:
                return make()
            except OSError as error:
                return error.strerror
        file = open("/dev/zero", "rb+")
        print(attempt(lambda: mmap.mmap(-1, 4096)), "|", attempt(lambda: mmap.mmap(file.fileno(), 4096)))
        print(len(mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)), file.read(3))
    """
    assert evaluate(textwrap.dedent(source)) == (
        "Operation not permitted | No such device\n4096 b'\\x00\\x00\\x00'\n"
    )


def test_locks_cost_the_system_nothing():
    """Databases ask for locks; each would be memory of the system's that no limit counts."""
    source = """
        import fcntl, sqlite3
        with open("/tmp/locked", "wb") as file:
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 7)
            print(open("/proc/locks").read().count("POSIX"))
        table = sqlite3.connect("/tmp/table.db")
        table.execute("create table marks (mark)")
        table.execute("insert into marks values (1)")
        table.commit()
        print(table.execute("select mark from marks").fetchall())
    """
    assert evaluate(textwrap.dedent(source)) == "0\n[(1,)]\n"


def test_a_box_full_of_threads_that_compute_waits_for_the_others():
    """A box may have many; where the system shares its processors among threads, that many would
    leave the other boxes nothing.
    """
    source = """
        import os, warnings
        warnings.simplefilter("ignore")  # Python 3.12 and later warn of a fork beside threads
        begin, all_there = os.pipe()
        for _ in range(24 + 8 * os.cpu_count()):
            if os.fork() == 0:
                os.close(all_there)
                os.read(begin, 1)
                while True: pass
        os.close(all_there)
        while os.getpriority(os.PRIO_PROCESS, 0) < 19: pass
        print("waits")
    """
    ran = run_cells(textwrap.dedent(source), cell_seconds=60)
    assert ran.text(0) == "waits\n"


def test_memory_that_forked_processes_share_counts_once():
    source = """
        import os, signal
        held = b"x" * (100 << 20)
        children = []
        for _ in range(8):
            child = os.fork()
            if child == 0:
                while True: signal.pause()
            children.append(child)
        import time; time.sleep(0.5)
        for child in children: os.kill(child, signal.SIGKILL)
        print("done")
    """
    ran = run_cells(
        textwrap.dedent(source), limits={"memory_bytes": 400 * MIB, "scratch_bytes": 64 * MIB}
    )
    # Behind what Python 3.12 says of a fork with threads.
    assert (ran.ended, ran.text(0)[-5:]) == ("finished", "done\n")


@pytest.mark.parametrize("folder", ["/tmp", "/spool", "/dev/shm"])
def test_files_end_in_a_full_disk(folder):
    source = f"""
        file = open("{folder}/big", "wb", buffering=0)
        try:
            while file.write(bytes(1 << 20)): pass
        except OSError as error:
            print(error.strerror, file.tell() <= 64 << 20)
    """
    assert (
        evaluate(textwrap.dedent(source), limits={"scratch_bytes": 64 * MIB})
        == "No space left on device True\n"
    )


def test_files_without_content_are_counted_too():
    source = (
        "import itertools\nfor number in itertools.count(): open(f'/tmp/{number}', 'x').close()"
    )
    ran = run_cells(source, limits={"memory_bytes": 200 * MIB, "scratch_bytes": 16 * MIB})
    assert ran.ended == "memory"


def test_one_file_is_bounded():
    assert (
        evaluate("open('big', 'wb', buffering=0).truncate(2 << 20)", limits={"file_bytes": MIB})
        == "[Errno 27] File too large"
    )


def test_a_kernel_s_own_sockets_cost_it_nothing_where_each_may_hold_much(monkeypatch):
    """As on a machine that is set up for fast networks."""
    told = watchdog.told
    monkeypatch.setattr(
        watchdog,
        "told",
        lambda path, label=b"": 1 << 27 if path.endswith("/wmem_max") else told(path, label),
    )
    ran = run_cells("import time; time.sleep(1)", "'whole'")
    assert ran.text(1) == "'whole'"


def test_who_hides_what_it_has_open_has_too_much_open(tmp_path, monkeypatch):
    """An ordinary user's watchdog sees nothing of a program that cannot be read."""
    source = """
        import os, shutil, signal, sys
        shutil.copy("/usr/bin/sleep", "/tmp/hidden")
        os.chmod("/tmp/hidden", 0o111)
        os.spawnv(os.P_NOWAIT, "/tmp/hidden", ["hidden", "600"])
        while True: signal.pause()
    """
    ended = run_cells("1", textwrap.dedent(source), cell_seconds=5).ended
    assert ended == ("finished" if os.geteuid() == 0 else "memory")


def test_descriptors_on_their_way_leave_process_1_its_own():
    """In all boxes of an ordinary user they are counted together: one student would keep everybody's
    kernels from starting.
    """
    source = """
        import re, socket
        held, count = [], 0
        try:
            while True:
                held.append(socket.socketpair())
                count += 253
                socket.send_fds(held[-1][0], [b"x"], [0] * 253)
        except OSError as error:
            print(error.errno, count < int(re.search(r"open files +([0-9]+)", open("/proc/1/limits").read())[1]))
    """
    # Each counts as memory, too, so a box with the usual limit is ended once that is seen.
    told = evaluate(textwrap.dedent(source), limits={"memory_bytes": 1 << 42})
    assert told == "109 True\n"


def test_a_fork_bomb_stops_and_the_notebook_goes_on():
    source = """
        import os, signal
        count = 0
        try:
            while True:
                if os.fork() == 0:
                    while True: signal.pause()
                count += 1
        except BlockingIOError:
            print(10 < count < 60)
    """
    ran = run_cells(textwrap.dedent(source), "'after'", limits={"processes": 64})
    assert "True\n" in ran.text(0)
    assert ran.text(1) == "'after'"


def test_the_deadline_ends_a_box_whatever_it_does():
    """In a box that has started: how long that takes depends on the machine."""
    with boxes.Series(RUNNER) as series:
        assert run_cells("1", start=series.run).ended == "finished"
        started, ran = series._box, run_cells("while True: pass", **ENDLESS, start=series.run)
        assert (ran.ended, ran.cells) == ("deadline", {})
        assert started is not series._box, "it is gone"


ENDLESS = {"limits": {"wall_seconds": 4}}


def test_frames_over_the_output_limit_end_the_box():
    ran = run_cells("print('x' * 900_000)", "print('x' * 900_000)", limits={"output_bytes": MIB})
    assert ran.ended == "output"
    assert ran.status(0) == "ok"


FLOODS = {
    "many lines": "for _ in range(500): print('y' * 100_000)",
    "one long line": "print('x' * (100 << 20))",
    "a long error": "raise ValueError('x' * (100 << 20))",
    "many displays": "from IPython.display import display\nfor _ in range(2000): display('y' * 1000)",
    "native": "import os\nfor _ in range(50): os.write(1, b'y' * 1_000_000)",
}


@pytest.mark.parametrize("source", FLOODS.values(), ids=FLOODS.keys())
def test_a_flood_of_output_is_cut_and_the_next_cell_is_whole(source):
    ran = run_cells(source, "'after'", output_bytes=100_000)
    assert ran.cells[0]["truncated"]
    assert len(str(ran.cells[0])) < 200_000
    assert ran.text(0).count("dropped") == 1
    assert ran.text(1) == "'after'"


def test_nothing_of_a_box_outlives_it():
    marker = f"sleep-{os.getpid()}-{time.monotonic_ns()}"
    ran = run_cells(
        f"import subprocess; subprocess.Popen(['bash', '-c', 'exec -a {marker} sleep 1000'], start_new_session=True); None"
    )
    assert ran.status(0) == "ok"
    assert marker not in "".join(_command(pid) for pid in os.listdir("/proc") if pid.isdigit())


def test_what_the_caller_raises_ends_the_box_and_comes_back():
    def refuse(frame):
        raise LookupError("enough")

    job = wire.encode(
        "job", mode="plain", cells=[{"index": 0, "source": "import time; time.sleep(1000)"}]
    )
    with pytest.raises(LookupError, match="enough"):
        boxes.run("nbjudge.boxes.inside.runner", [job], boxes.limits_for_runner(), on_frame=refuse)

    def broken():
        yield job
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        boxes.run("nbjudge.boxes.inside.runner", broken(), boxes.limits_for_runner())


def _command(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except OSError:
        return ""
