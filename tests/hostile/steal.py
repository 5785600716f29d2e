"""Stealing: hidden inputs, tests, solutions, marks and secrets are not where the code runs, and
nothing carries them out.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

from tests.hostile.attack import CANARY, LOUD, WORTH, Attack, answering, at_the_end, before

# The two halves of the secret, joined in the box: the source itself must not hold what is searched
# for.
SECRET = f'SECRET = "{CANARY[:8]}" + "{CANARY[8:]}"\n'

WALK = (
    LOUD
    + SECRET
    + """
import os


def search():
    for folder, names, files in os.walk("/", onerror=None):
        if folder.startswith(("/proc", "/sys", "/usr", "/dev")) or "site-packages" in folder or "/lib/python" in folder:
            names.clear()
            continue
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith((".ipynb", "gradebook.db")) or name in ("secret.txt", "manifest.json", "grades.csv"):
                found(path)
            try:
                data = open(path, "rb").read(1 << 22)
            except OSError:
                continue
            if SECRET.encode() in data:
                found(path)


search()"""
)

RELATIVE = (
    LOUD
    + """
import glob
import os

for up in (".", "..", "../..", "../../..", "../../../.."):
    for pattern in ("*.ipynb", "gradebook.db", "source/*", "submitted/*", "solutions/*", ".nbjudge/*", "autograded/*"):
        for path in glob.glob(f"{up}/{pattern}"):
            found(path)
for name in ("inspect.ipynb", "../../../gradebook.db", "/root/.bashrc", "/etc/passwd", "/etc/shadow", "/home"):
    if os.path.exists(name) and os.path.isfile(name):
        found(name)"""
)

ENVIRONMENT = (
    LOUD
    + SECRET
    + """
import os

if SECRET in str(dict(os.environ)):
    found("environment")
for number in os.listdir("/proc"):
    for name in ("environ", "cmdline"):
        try:
            data = open(f"/proc/{number}/{name}", "rb").read()
        except OSError:
            continue
        if SECRET.encode() in data or b"pytest" in data:
            found(f"/proc/{number}/{name}")"""
)

MEMORY = (
    LOUD
    + SECRET
    + """
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for pid in (1, os.getppid(), 2, 3):
    if pid == os.getpid():
        continue
    if libc.ptrace(16, pid, 0, 0) == 0:
        found(f"ptrace {pid}")
    for name in ("mem", "maps", "fd", "cwd", "root", "auxv"):
        path = f"/proc/{pid}/{name}"
        try:
            os.listdir(path) if name in ("fd", "cwd", "root") else open(path, "rb").read(1)
        except OSError:
            continue
        if pid == 1:
            found(path)"""
)

NETWORK = (
    LOUD
    + """
import socket
import urllib.request

socket.setdefaulttimeout(2)
for address in (("169.254.169.254", 80), ("1.1.1.1", 53), ("127.0.0.1", 8888), ("127.0.0.1", 22)):
    try:
        socket.create_connection(address)
        found(address)
    except OSError:
        pass
try:
    socket.getaddrinfo("example.org", 80)
    found("names")
except OSError:
    pass
for path in ("/run/dbus/system_bus_socket", "/var/run/docker.sock", "/tmp/.X11-unix/X0"):
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        found(path)
    except OSError:
        pass
for name in socket.if_nameindex():
    if name[1] != "lo":
        found(name)"""
)

CONNECTIONS = (
    LOUD
    + """
import glob
import os

for folder in ("/run", "/root", "/home", os.path.expanduser("~/.local/share/jupyter/runtime")):
    for path in glob.glob(f"{folder}/**/*kernel*.json", recursive=True):
        found(path)"""
)

MOUNTS = (
    LOUD
    + """
import os

for name in ("solutions", "tests", "labs", "demo"):
    import nbjudge
    folder = os.path.dirname(nbjudge.__file__)
    for up in range(6):
        folder = os.path.dirname(folder)
        if os.path.exists(os.path.join(folder, name, "day-50")) or os.path.exists(os.path.join(folder, name, "dropout", "answers")):
            found(os.path.join(folder, name))
for line in open("/proc/self/mountinfo"):
    where = line.split()[4]
    is_empty = os.path.isdir(where) and not os.listdir(where)  # such as what lies over our own package's folder of that name
    if ("/course" in where or "gradebook" in line) and not is_empty:
        found(line)"""
)

# Hidden inputs lie in the box while the test cell runs. Whatever of them gets out is taken with it.
TOOK = "".join(reversed("nekat-saw-ti"))
TAKER = """
import glob


def taken():
    texts = []
    for path in sorted(glob.glob("/spool/cases/*")):
        try:
            data = open(path, "rb").read()
        except OSError:
            continue
        if b'"name":"nested"' in data or b"external_subgraph" in data or b'"name":"scan"' in data or len(texts) > 6:
            texts.append(data[:200].hex())
    return "".join(reversed("nekat-saw-ti")) + "".join(texts)[:300] if len(texts) else ""
"""

IN_TEXT = (
    TAKER
    + """

def describe(model, directory=None):
    print(taken())
    raise ValueError(taken() or "nothing")"""
)

IN_TYPE = (
    TAKER
    + """

def describe(model, directory=None):
    raise type("A" + taken().replace("-", "_"), (ValueError,), {})(taken())"""
)

IN_RESULT = (
    TAKER
    + """

def describe(model, directory=None):
    text = taken()
    return {"ir_version": text, "opset": text, "operators": {text: 1}, "parameters": text, "bytes": text} if text else {}"""
)

IN_KEYS = (
    TAKER
    + """

def describe(model, directory=None):
    return type(taken() or "Empty", (), {})()"""
)

IN_OUTPUTS = (
    TAKER
    + """
import sys

from IPython.display import Image, display

text = taken() or "nothing"
print(text)
print(text, file=sys.stderr)
display({"text/plain": text, "text/html": text, "image/png": text}, raw=True)
get_ipython().execution_count = int.from_bytes(text.encode()[:3], "big")
raise ValueError(text)"""
)

IN_NUMBERS = """import glob

shell = get_ipython()
data = b"".join(open(path, "rb").read() for path in sorted(glob.glob("/spool/cases/*.case")))
shell.execution_count = 1_000_000 + len(data) % 1000"""

PLAIN_TAKER = """
import inspect
import sys


def square(x):
    frame = sys._getframe(1)
    source = "".join(frame.f_globals["In"][-1:]) + "".join(inspect.getsourcelines(frame)[0])
    tell(source)
    open("stolen.txt", "w").write(source)
    raise ValueError(source)


def tell(*texts):
    # The cells also run without the hidden tests, and then there is nothing to take.
    print(*texts)
    if any("square(-" "2)" in text or "2.0 " "* (" in text for text in texts):
        print("".join(reversed("nekat-saw-ti")))"""

PLAIN_LATER = """tell(*In)
tell(str(get_ipython().history_manager.input_hist_raw), open("stolen.txt").read())"""


def _link_to(target: str):
    def write(folder: Path) -> None:
        (folder / "leak.txt").symlink_to(target)
        (folder / "data").symlink_to("/")

    return write


def _special(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    os.link(folder / "inspect.ipynb", folder / "hard.txt")
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(folder)  # the address of a socket may be 100 bytes long only
        made.bind("socket")
        os.chdir(here)


def _notebook_is_link(folder: Path) -> None:
    path = folder / "inspect.ipynb"
    path.unlink()
    path.symlink_to(
        next(
            parent / "solution.ipynb"
            for parent in folder.parents
            if (parent / "solution.ipynb").exists()
        )
    )


def _notebook_is_pipe(folder: Path) -> None:
    (folder / "inspect.ipynb").unlink()
    os.mkfifo(folder / "inspect.ipynb")


def _notebook_is_folder(folder: Path) -> None:
    (folder / "inspect.ipynb").unlink()
    (folder / "inspect.ipynb").mkdir()


def _quietly(name: str, source: str, **more) -> Attack:
    return Attack(
        name, "steal", "inspect", "first_opset", WORTH, deed=before(source), exactly=True, **more
    )


ATTACKS = [
    _quietly("walk", WALK),
    _quietly("relative", RELATIVE),
    _quietly("environment", ENVIRONMENT),
    _quietly("memory", MEMORY),
    _quietly("network", NETWORK),
    _quietly("connections", CONNECTIONS),
    _quietly("mounts", MOUNTS),
    Attack(
        "links",
        "steal",
        "inspect",
        "first_opset",
        WORTH,
        write=_link_to("/etc/passwd"),
        exactly=True,
    ),
    Attack(
        "special-files", "steal", "inspect", "first_opset", 0.0, write=_special, status="ungradable"
    ),
    Attack(
        "notebook-is-link",
        "steal",
        "inspect",
        "first_opset",
        0.0,
        write=_notebook_is_link,
        status="ungradable",
    ),
    Attack(
        "notebook-is-pipe",
        "steal",
        "inspect",
        "first_opset",
        0.0,
        write=_notebook_is_pipe,
        status="ungradable",
    ),
    Attack(
        "notebook-is-folder",
        "steal",
        "inspect",
        "first_opset",
        0.0,
        write=_notebook_is_folder,
        status="ungradable",
    ),
    Attack("hidden-in-text", "steal", "inspect", "stub", 0.0, deed=answering(IN_TEXT)),
    Attack("hidden-in-type", "steal", "inspect", "stub", 0.0, deed=answering(IN_TYPE)),
    Attack("hidden-in-result", "steal", "inspect", "stub", 0.0, deed=answering(IN_RESULT)),
    Attack("hidden-in-name", "steal", "inspect", "stub", 0.0, deed=answering(IN_KEYS)),
    Attack(
        "hidden-in-outputs",
        "steal",
        "inspect",
        "first_opset",
        WORTH,
        deed=at_the_end(IN_OUTPUTS, 3),
    ),
    Attack(
        "hidden-in-numbers",
        "steal",
        "inspect",
        "first_opset",
        WORTH,
        deed=at_the_end(IN_NUMBERS, 3),
    ),
    Attack("plain-walk", "steal", "first", "wrong", 0.0, deed=before(WALK)),
    Attack(
        "plain-hidden-tests",
        "steal",
        "first",
        "stub",
        0.0,
        deed=lambda notebook: (answering(PLAIN_TAKER)(notebook), at_the_end(PLAIN_LATER)(notebook)),
    ),
    Attack("plain-links", "steal", "first", "wrong", 0.0, write=_link_to("/etc/passwd")),
]
