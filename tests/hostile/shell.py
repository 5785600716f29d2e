"""The shell: magics, events and messages are the student's own, and change nothing outside."""

from __future__ import annotations

from tests.hostile.attack import WORTH, Attack, all_of, answering, at_the_end, before, behind

MAGICS = [
    "%%bash\nset -x; cat /proc/1/environ; kill -9 -1; :(){ :|:& };:",
    "%%script sh -c 'cat; exec sleep 777 &'\ntext",
    "%%python3\nimport os; os.kill(os.getppid(), 9)",
    "!kill -9 $PPID; echo $HOME; rm -rf / 2>/dev/null",
    "x = !ls /; ls /home",
    "%load /etc/passwd",
    "%run -i /proc/self/fd/0",
    "%load_ext autoreload\n%autoreload 2",
    "%%writefile check.py\nraise SystemExit",
    "%store -r\n%history -g\n%logstart -o -r -t /tmp/log rotate\n%logoff",
    "%config InteractiveShell.ast_node_interactivity = 'all'\n%config Application.log_level = 'DEBUG'",
    "%xmode Verbose\n%pdb on\n1 / 0",
    "%debug\n%tb\n%connect_info\n%qtconsole\n%notebook -e x.ipynb",
    "%%capture --no-stderr kept\nprint('x')",
    "%%javascript\nalert(1)",
    "%%html\n<script>document.title = 'pwned'</script>",
    "%timeit -n 1 -r 1 pass\n%prun pass\n%pip install nothing\n%conda install nothing",
    "%env OMP_NUM_THREADS=64\n%cd /\n%pushd /tmp\n%alias_magic t timeit\n%macro m 1-3",
    "%gui qt\n%matplotlib qt\n%pylab tk",
    "%automagic on\n%alias check echo\n%rerun 1\n%recall 1\n%edit",
    "%%no_such_magic\nx",
    "\\begin{x}\n??describe\n;f x\n/g y\n,h z",
]

# The kernel forgets everything: answers, imports, and what was displayed.
RESET = "%reset -f\n%reset_selective -f .*\nIn, Out, _, __, exit, quit, check = [None] * 7"

EVENTS = """shell = get_ipython()


def again(*given):
    shell.user_ns["describe"] = lambda model, directory=None: {"opset": 17}
    shell.user_ns["check"] = lambda *given: 4.0
    raise ValueError("out of a callback")


for name in ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell", "shell_initialized"):
    shell.events.register(name, again)


class Names(dict):
    def __getitem__(self, name):
        return (lambda *given, **named: {"opset": 17}) if name in ("describe", "check") else super().__getitem__(name)

    get = __getitem__


try:
    shell.user_ns = Names(shell.user_ns)
    shell.user_module.__dict__.update(shell.user_ns)
except Exception:
    pass
shell.history_manager = shell.display_pub = shell.displayhook = shell.compile = None"""

CHECK = """import builtins
import sys

import nbjudge

real = builtins.__import__
nbjudge.check = lambda *given: 4.0
nbjudge.__class__ = type("Module", (type(sys),), {"check": property(lambda self: lambda *given: 4.0)})
builtins.__import__ = lambda name, *given, **named: type(sys)("x") if name == "nbjudge" else real(name, *given, **named)
builtins.__build_class__ = builtins.compile = builtins.eval = builtins.exec = lambda *given, **named: 4.0"""

# Messages that no kernel sends, on both of its channels.
ODD_MESSAGES = """import itertools

kernel = get_ipython().kernel
session, parent = kernel.session, kernel.get_parent()
ODD = [None, [], {}, 4, 1.5, True, "x", [[]], [{"a": []}] * 300, 10**30, "\\ud800", "x" * 100_000, "2026-01-01T00:00:00Z"]
IDS = [{"msg_id": odd} for odd in ODD] + [parent["header"]] * 12 + ODD
FIELDS = "execution_state name text data ename evalue traceback execution_count transient metadata status payload".split()
KINDS = "status stream error display_data execute_result execute_input update_display_data clear_output comm_open nothing".split()
for number, (odd, about) in enumerate(itertools.product(ODD, IDS)):
    message = session.msg(KINDS[number % len(KINDS)], dict.fromkeys(FIELDS, odd))
    message["parent_header"] = about
    try:
        parts = session.serialize(message)
    except Exception:
        continue
    kernel.iopub_socket.send_multipart(parts)
    kernel.shell_stream.socket.send_multipart([kernel._parent_ident["shell"][0], *parts])"""

# The cell says that it is over and holds its reply back, while a thread never stops talking.
HELD_BACK = """import threading
import time

kernel = get_ipython().kernel
parent = kernel.get_parent()
kernel.session.send(kernel.iopub_thread, "status", {"execution_state": "idle"}, parent=parent)


def talk():
    while True:
        kernel.session.send(kernel.iopub_thread, "comm_msg", {"data": "x"}, parent=parent)
        time.sleep(0.001)


threading.Thread(target=talk, daemon=True).start()
while True:
    try:
        time.sleep(777)
    except BaseException:
        pass"""

UPDATES = """from IPython.display import clear_output, display
from ipykernel.comm import Comm

shown = display({"text/plain": "0"}, raw=True, display_id="one")
for number in range(4000):
    shown.update({"text/plain": "x" * 500, "text/html": "<script>alert(1)</script>" * 20}, raw=True)
    clear_output(wait=bool(number % 2))
    display({"text/plain": "4.0"}, raw=True, metadata={"deep": [{"a": "x" * 500}]}, transient={"display_id": "one"})
    Comm(target_name="x", data={"a": "x" * 500}).send({"b": "x" * 500})
bundle = {f"application/x-{number}": "x" * 100_000 for number in range(100)}
for _ in range(20):
    display({**bundle, "text/plain": "x"}, raw=True)"""

# Two cases are begun again and again, so that the time of neither would ever be over.
BEGUN_AGAIN = """import glob
import os


def describe(model, directory=None):
    while True:
        try:
            while True:
                for path in glob.glob("/spool/cases/*.case"):
                    open(path.replace(".case", ".calling"), "w").close()
        except BaseException:
            pass"""

WRITES_ALL_CASES = """import glob
import json

from nbjudge import wire

told = {"ir_version": 8, "opset": 17, "operators": {}, "parameters": 0, "bytes": 0}


def describe(model, directory=None):
    for path in glob.glob("/spool/cases/*.case"):
        for outcome in ("returned", ["returned"], {}, 4):
            data = wire.encode("answer", {"answer.json": json.dumps(told).encode()}, outcome=outcome, error=[])
            open(path.replace(".case", ".answer"), "wb").write(data)
    return {}"""


def _shell(name: str, source: str, most: float = WORTH, **more) -> Attack:
    return Attack(name, "shell", "inspect", "first_opset", most, deed=before(source), **more)


ATTACKS = [
    Attack(
        "magics",
        "shell",
        "inspect",
        "first_opset",
        WORTH,
        deed=all_of(*(before(source) for source in MAGICS)),
        costly=True,
    ),
    Attack(
        "plain-magics",
        "shell",
        "first",
        "wrong",
        0.0,
        deed=all_of(*(behind(source) for source in MAGICS)),
        costly=True,
    ),
    Attack("reset", "shell", "inspect", "first_opset", WORTH, deed=behind(RESET)),
    Attack("events", "shell", "inspect", "returns_nothing", 0.0, deed=behind(EVENTS)),
    Attack("check", "shell", "inspect", "returns_nothing", 0.0, deed=before(CHECK)),
    Attack("check-behind", "shell", "inspect", "returns_nothing", 0.0, deed=at_the_end(CHECK)),
    _shell("odd-messages", ODD_MESSAGES),
    _shell("held-back", HELD_BACK, costly=True),
    _shell("updates", UPDATES),
    Attack(
        "begun-again", "shell", "inspect", "stub", 0.0, deed=answering(BEGUN_AGAIN), costly=True
    ),
    Attack("all-cases", "shell", "inspect", "stub", 0.0, deed=answering(WRITES_ALL_CASES)),
]
