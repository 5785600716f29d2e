"""Exhaustion: time, memory, processes, files and output have bounds, and what is over one costs its
own submission alone.
"""

from __future__ import annotations

from tests.hostile.attack import WORTH, Attack, answering, as_json, at_the_end, before, behind, own

ENDLESS = """import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass"""

ENDLESS_FUNCTION = """def describe(model, directory=None):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass"""

MEMORY = "text = 'x' * 10**12"
GROWTH = """import mmap

kept = []
try:
    while True:
        kept.append(bytearray(64 << 20))
except MemoryError:
    pass
shared = []
while len(shared) < 4000:
    piece = mmap.mmap(-1, 64 << 20)
    piece.write(b"x" * (64 << 20))
    shared.append(piece)"""

FORKS = """import os
import threading

while True:
    try:
        os.fork()
        threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
    except (OSError, RuntimeError):
        pass"""

FLOOD = """for _ in range(200):
    print("x" * 1_000_000)"""

WIDE = """print("\\N{SNOWMAN}\\N{PILE OF POO}" * 500_000)"""

DISPLAYS = """from IPython.display import display

for number in range(100_000):
    display({"text/plain": "x" * 100, "text/html": "<b>x</b>"}, raw=True)"""

FILES = """import os

try:
    with open("/tmp/large", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 100 << 30)
except OSError:
    pass
for place in ("/tmp", "/dev/shm", "/spool", "/spool/cases"):
    try:
        with open(place + "/sparse", "wb") as file:
            file.truncate(400 << 20)
        with open(place + "/full", "wb") as file:
            while file.write(b"x" * (1 << 20)):
                pass
    except OSError:
        pass
    try:
        for number in range(200_000):
            os.mkdir(f"{place}/{number}")
    except OSError:
        pass"""

CRASH = "import ctypes\nctypes.string_at(0)"
CRASH_FUNCTION = "import ctypes\n\n\ndef describe(model, directory=None):\n    ctypes.string_at(0)"
STACK = "import sys\nsys.setrecursionlimit(10**9)\ndef down():\n    down()\ndown()"

LARGE_ANSWER = """def describe(model, directory=None):
    return {"ir_version": "x" * 200_000_000, "opset": 1, "operators": {}, "parameters": 1, "bytes": 10**100_000}"""

LARGE_FILES = """import os

from nbjudge.boxes.inside import collect
from nbjudge.contract import Answer

data = os.urandom(1 << 20) * 90
collect.ask = lambda exercise, functions, case, *given, **named: Answer("returned", {"answer.json": data, "model.onnx": data})"""

DEEP = """nested = []
for _ in range(100_000):
    nested = [nested]


def describe(model, directory=None):
    return {"ir_version": nested, "opset": nested, "operators": {"a": nested}, "parameters": nested, "bytes": nested}"""

INPUT = """import pdb

try:
    input("your name?")
except Exception:
    pass
get_ipython().run_line_magic("debug", "")
pdb.set_trace()"""

THREADS = """import os
import onnxruntime

os.environ["OMP_NUM_THREADS"] = "64"
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 64
try:
    os.sched_setaffinity(0, range(os.cpu_count()))
except OSError:
    pass"""


# A partial mark is read from what the test cell shows last: it counts, whatever comes before it.
DROWNED = """def square(x):
    if x == 2:
        {}
    return 9 if x == 3 else 0"""
DROWN = {
    "text": 'print("x" * 2_000_000)',
    "displays": "from IPython.display import display; [display(number) for number in range(300)]",
    "many-displays": "from IPython.display import display; [display(0) for _ in range(1500)]",
    "one-long-text": 'print("x" * (65 << 20))',
    "silence": "get_ipython().kernel.iopub_thread.socket.close()",
}
FILLED = 'print("x" * 1_000_000)'
CLOSED = "import os\nos.closerange(3, 4096)"
SHUT = 'import os\nos.chmod("/spool/cases", 0)'


def _many_cells(count: int, source: str):
    def change(notebook):
        notebook["cells"] += [own(source) for _ in range(count)]

    return as_json(change)


def _huge_sources(notebook):
    """More source than may go into one job: the student's notebook is at fault, not the harness."""
    notebook["cells"] += [own("#" + "\N{SNOWMAN}" * 3_000_000), own("#" + "x" * 9_000_000)]


def _blanks(notebook):
    """What takes days to compare with the given cells, for a pattern that looks from each blank."""
    blanks = " " * (1 << 20) + "x"
    given = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    given["source"] = blanks
    notebook["cells"].append(own(blanks, "markdown"))


def _plain(name: str, source: str, **more) -> Attack:
    return Attack(f"plain-{name}", "exhaust", "first", "wrong", 0.0, deed=before(source), **more)


def _lab(name: str, source: str, **more) -> Attack:
    return Attack(name, "exhaust", "inspect", "first_opset", WORTH, deed=before(source), **more)


ATTACKS = [
    _lab("endless", ENDLESS, costly=True),
    _lab(
        "endless-behind",
        "pass",
        costly=True,
        write=as_json(lambda notebook: at_the_end(ENDLESS)(notebook)),
    ),
    Attack(
        "endless-function",
        "exhaust",
        "inspect",
        "stub",
        0.0,
        deed=answering(ENDLESS_FUNCTION),
        costly=True,
    ),
    _lab(
        "sleeps",
        "import time\ntime.sleep(29)",
        costly=True,
        write=_many_cells(100, "import time\ntime.sleep(29)"),
    ),
    _lab("memory", MEMORY, exactly=True),
    _lab("growth", GROWTH),
    _lab("forks", FORKS, costly=True),
    _lab("flood", FLOOD, exactly=True),
    _lab("wide-output", WIDE, exactly=True),
    _lab("floods", FLOOD, costly=True, write=as_json(lambda notebook: behind(FLOOD, 30)(notebook))),
    _lab("displays", DISPLAYS, costly=True),
    _lab("files", FILES),
    _lab("crash", CRASH),
    Attack("crash-function", "exhaust", "inspect", "stub", 0.0, deed=answering(CRASH_FUNCTION)),
    _lab("stack", STACK),
    Attack("large-answer", "exhaust", "inspect", "stub", 0.0, deed=answering(LARGE_ANSWER)),
    Attack(
        "large-files",
        "exhaust",
        "inspect",
        "returns_nothing",
        0.0,
        deed=before(LARGE_FILES),
        costly=True,
    ),
    Attack("deep-answer", "exhaust", "inspect", "stub", 0.0, deed=answering(DEEP)),
    _lab("input", INPUT),
    _lab("threads", THREADS, exactly=True),
    _lab("cells", "pass", write=_many_cells(1900, "1"), costly=True),
    Attack(
        "too-many-cells",
        "exhaust",
        "inspect",
        "first_opset",
        0.0,
        write=_many_cells(6000, ""),
        status="ungradable",
    ),
    Attack(
        "huge-sources",
        "exhaust",
        "inspect",
        "first_opset",
        0.0,
        deed=_huge_sources,
        status="ungradable",
    ),
    _plain("endless", ENDLESS, costly=True),
    _plain("flood", FLOOD),
    _plain("files", FILES),
    _plain("crash", CRASH),
    _plain("suicide", "import os\nos._exit(0)"),
    *(
        Attack(f"plain-drowned-in-{name}", "exhaust", "first", "wrong", 0.0, deed=answering(deed))
        for name, deed in ((name, DROWNED.format(each)) for name, each in DROWN.items())
    ),
    Attack("plain-filled", "exhaust", "first", "wrong", 0.0, deed=behind(FILLED, 5)),
    Attack(
        "blanks",
        "exhaust",
        "inspect",
        "first_opset",
        WORTH,
        deed=_blanks,
        exactly=True,
        flagged=True,
    ),
    _lab("descriptors-closed", CLOSED),
    _lab("spool-shut", SHUT),
]
