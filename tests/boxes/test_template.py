"""What kernels are forked from, and boxes that take one notebook after another: nothing of one
reaches the next.
"""

import subprocess
import sys
import textwrap

import pytest

from nbjudge import boxes, exercises, wire
from nbjudge.boxes import seccomp
from tests.boxes.box_tools import RUNNER, public_cases, run_cells

IMPORTS = ["numpy", "onnx", "onnxruntime"]
FIND = "import os\ntemplate = next(int(p) for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid()))\n"
REACH = {
    "kill": "os.kill(template, 9)",
    "stop": "os.kill(template, 19)",
    "kill of its group": "os.killpg(template, 9)",
    "kill of all": "os.kill(-1, 9)",
    "signal to its thread": "libc.syscall(200, template, 9)",
    "signal with a value": "libc.syscall(129, template, 9, bytes(128))",
    "handle": "os.pidfd_open(template)",
    "signal through a folder": "libc.syscall(424, os.open(f'/proc/{template}', os.O_RDONLY), 9, None, 0)",
    "owner of a descriptor": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, template)",
    "owner, whole": "libc.fcntl(os.pipe()[0], 15, struct.pack('ii', 1, template))",
    "owner by ioctl": "fcntl.ioctl(socket.socket(socket.AF_UNIX), 0x8901, struct.pack('i', template))",
    "priority": "os.setpriority(os.PRIO_PROCESS, template, 19)",
    "priority of the user": "os.setpriority(os.PRIO_USER, 0, 19)",
    "processors": "os.sched_setaffinity(template, {0})",
    "scheduler": "os.sched_setscheduler(template, os.SCHED_IDLE, os.sched_param(0))",
    "limits": "resource.prlimit(template, resource.RLIMIT_CPU, (1, 1))",
    "trace": "libc.ptrace(16, template, 0, 0)",
    "memory": "open(f'/proc/{template}/mem', 'r+b')",
    "memory score": "open(f'/proc/{template}/oom_score_adj', 'w')",
    "descriptors": "os.listdir(f'/proc/{template}/fd')",
    "working directory": "os.listdir(f'/proc/{template}/cwd')",
}


@pytest.fixture(scope="module")
def reached():
    """What each attempt says; each is a cell, and the kernel is killed behind the last, so another
    one is forked.
    """
    attempt = """
        import ctypes, fcntl, os, resource, socket, struct
        libc = ctypes.CDLL(None, use_errno=True)
        def attempt(action):
            try:
                if action() == -1:
                    raise OSError(ctypes.get_errno(), "")
                print("reached")
            except OSError as error:
                print(type(error).__name__)
    """
    cells = [f"attempt(lambda: {action})" for action in REACH.values()]
    ran = run_cells(
        FIND + textwrap.dedent(attempt), *cells, "os._exit(1)", "'after'", imports=IMPORTS
    )
    assert ran.text(len(cells) + 2) == "'after'"
    return {name: ran.text(index) for index, name in enumerate(REACH, 1)}


@pytest.mark.parametrize("name", REACH)
def test_the_template_cannot_be_reached(reached, name):
    assert reached[name] in ("PermissionError\n", "ProcessLookupError\n")


def test_every_architecture_has_a_shield():
    assert all(len(seccomp.shield(7, True, machine)) % 8 == 0 for machine in ("x86_64", "aarch64"))


def test_a_kernel_finds_the_imports_done_and_numbers_of_its_own():
    look = "import sys, random\nprint('onnxruntime' in sys.modules, random.random(), sys.modules['numpy'].random.rand())"
    first, second = (ran.text(0).split() for ran in one_after_the_other(look, look))
    assert first[0] == second[0] == "True"
    assert first[1] != second[1] and first[2] != second[2]


def test_a_kernel_can_run_what_the_template_imported():
    run = """
        import numpy, torch, onnxruntime
        from onnx import parser
        model = parser.parse_model('<ir_version: 10, opset_import: ["" : 20]> g (float[2] x) => (float[2] y) { y = Relu(x) }')
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        print(session.run(None, {"x": numpy.array([-1, 2], numpy.float32)})[0].tolist())
        print((torch.ones(64, 64) @ torch.ones(64, 64)).sum().item())
    """
    run = textwrap.dedent(run)
    for ran in one_after_the_other(run, run, imports=[*IMPORTS, "torch"]):
        assert ran.text(0) == "[0.0, 2.0]\n262144.0\n"


def test_what_exercises_prepare_is_there_in_every_kernel_and_can_be_forked():
    """A template that could not be forked safely would be made anew, without imports."""
    look = "import sys\nprint([name in sys.modules for name in ('torch._dynamo', 'onnxscript', 'debugpy')])\nimport debugpy"
    prepared = [f"exercise:{name}" for name in exercises.ids()]
    ran = run_cells(look, imports=prepared)
    assert (ran.text(0), ran.status(0)) == ("[True, True, False]\n", "ok")


def test_what_must_not_be_forked_is_recognised():
    program = """
        import mmap, threading
        from nbjudge.boxes.inside.template_process import unfit
        print(unfit(set()) == "")
        file = open("/dev/zero")
        print(unfit(set()), "|", unfit({file.fileno()}))
        file.close()
        area = mmap.mmap(-1, 4096)
        print(unfit(set()))
        area.close()
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        print(unfit(set()))
    """
    run = [sys.executable, "-P", "-c", textwrap.dedent(program)]
    told = subprocess.run(
        run, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert (
        told[:2] == ["True", "1 open files | "]
        and told[2].startswith("shared memory")
        and told[3] == "2 threads"
    )


def test_garbage_of_an_import_that_holds_a_file_open_is_collected(tmp_path):
    """It would make the template unfit, and every notebook of the box would import by itself."""
    (tmp_path / "careless.py").write_text(
        "class Reader: pass\n"
        "reader = Reader()\n"
        "reader.itself, reader.file = reader, open('/dev/zero')\n"
        "del reader\n"
    )
    program = """
        import socket, sys
        from nbjudge.boxes.inside import template_process
        sys.path.insert(0, sys.argv[1])
        line, _ = socket.socketpair()
        _.close()
        print(template_process._load(line, [], ["careless"]))
    """
    run = [sys.executable, "-P", "-c", textwrap.dedent(program), tmp_path]
    told = subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert told.stdout == "{'unfit': ''}\n"


def one_after_the_other(*sources, cases=(), imports=IMPORTS):
    """Each source a notebook of its own, in one box."""
    with boxes.Series(RUNNER) as series:
        found = []
        for source in sources:
            found.append(run_cells(source, cases=cases, imports=imports, start=series.run))
        assert series._box is not None, "one box for all of them"
    return found


LEAVE = {
    "a file": "open('/tmp/left', 'w').write('x')",
    "a file in a folder nobody may enter": "os.makedirs('/dev/shm/a/b'); open('/dev/shm/a/b/c', 'w').write('x')",
    "a file in the spool": "open('/spool/left', 'w').write('x')",
    "a file in the home folder": "open(os.path.expanduser('~/.pythonrc.py'), 'w').write('x')",
    "a process": "subprocess.Popen(['sleep', '1000'], start_new_session=True)",
    "a process that ignores signals": "os.fork() or (os.setsid(), [signal.signal(n, signal.SIG_IGN) for n in (1, 15)], time.sleep(1000))",
    "the folder's time": "attempt(lambda: os.utime('/tmp', (12345, 12345)))",
    "the folder's mode": "attempt(lambda: os.chmod('/dev/shm', 0o700))",
    "the folder's attributes": "attempt(lambda: os.setxattr('/tmp', 'user.left', b'x'))",
    "a listening socket": "s = socket.socket(socket.AF_UNIX); s.bind('\\0left'); s.listen()",
}
LOOK = """
import os, stat
found = [os.path.join(folder, name) for top in ("/tmp", "/dev/shm", "/spool") for folder, _, files in os.walk(top) for name in files]
print([path for path in found if not path.startswith("/spool/kernel-1")])
print([p for p in os.listdir("/proc") if p.isdigit() and p != "1" and int(p) != os.getpid()][1:])
print(open("/proc/net/unix").read().count("left"), os.listdir(os.path.expanduser("~")), os.listdir("."))
for top in ("/tmp", "/dev/shm"):
    print(int(os.stat(top).st_mtime) == 12345, stat.S_IMODE(os.stat(top).st_mode) == 0o1777, os.listxattr(top))
"""


def test_nothing_of_a_notebook_reaches_the_next_one_in_its_box():
    helper = "def attempt(action):\n    try: action()\n    except OSError: pass\n"
    leave = "import os, signal, socket, subprocess, time\n" + helper + "\n".join(LEAVE.values())
    first, second = one_after_the_other(leave, LOOK)
    assert first.status(0) == "ok", first.text(0)
    assert second.text(0).splitlines() == ["[]", "[]", "0 [] []", *["False True []"] * 2]


def test_a_notebook_with_exercises_has_no_loopback():
    """A closed connection is remembered for a minute: what a notebook has seen beside hidden
    inputs, the next one could read there.
    """
    source = "import socket\nfor kind in (2, 10, 16):\n    try: socket.socket(kind)\n    except OSError as e: print(type(e).__name__)"
    (ran,) = one_after_the_other(source, cases=public_cases()[:1])
    assert ran.text(0) == "PermissionError\n" * 3


def test_a_kernel_s_death_costs_its_own_notebook_s_cell_and_the_next_notebook_is_whole():
    with boxes.Series(RUNNER) as series:
        first = run_cells("a = 41", "import os; os.abort()", "a + 1", start=series.run)
        second = run_cells("'whole'", start=series.run)
    assert [first.status(index) for index in range(3)] == ["ok", "died", "ok"]
    assert second.text(0) == "'whole'"


def test_a_box_that_broke_its_limits_is_replaced():
    flood = "for _ in range(40): print('y' * 100_000)"
    with boxes.Series(RUNNER) as series:
        limits = {"output_bytes": 1 << 20}
        first = run_cells(flood, "'after'", start=series.run, limits=limits, output_bytes=1 << 24)
        second = run_cells("'whole'", start=series.run, limits=limits)
    assert first.ended == "output"
    assert (second.ended, second.text(0)) == ("finished", "'whole'")


def test_what_says_free_is_not_believed_without_the_token():
    forged = wire.encode("free", token="0" * 32)
    source = f"import os\nfor handle in range(60):\n    try: os.write(handle, {forged!r})\n    except OSError: pass"
    with boxes.Series(RUNNER) as series:
        assert run_cells("'before'", source, "'after'", start=series.run).ended == "finished"
        assert run_cells("'whole'", start=series.run).text(0) == "'whole'"


def test_the_time_of_each_job_is_its_own():
    with boxes.Series(RUNNER) as series:
        for _ in range(2):
            ran = run_cells(
                "import time; time.sleep(1)", start=series.run, limits={"wall_seconds": 90}
            )
            assert ran.ended == "finished", ran.detail
        late = run_cells(
            "while True: pass", start=series.run, limits={"wall_seconds": 3}, cell_seconds=60
        )
    assert late.ended == "deadline"
