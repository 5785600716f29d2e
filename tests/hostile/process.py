"""The kernel's process: what it does to itself, its descriptors, its interpreter and its loop, and
what it leaves for when a cell or a program is over.
"""

from __future__ import annotations

from tests.hostile.attack import WORTH, Attack, all_of, answering, at_the_end, before, behind

# A tracer sees every call of the harness in the kernel, and puts other values in its frames.
TRACED = """import sys
import threading

FULL = {"score": 4.0, "max_score": 4.0, "outcome": "returned", "opset": 17}


def trace(frame, event, value):
    for name in list(frame.f_locals):
        if name in ("answer", "verdict", "outcome", "result", "score", "reference"):
            frame.f_locals[name] = FULL
    if event == "return" and isinstance(value, dict):
        value.update(FULL)
    return trace


for set_it in (sys.settrace, sys.setprofile, threading.settrace, threading.setprofile):
    set_it(trace)"""

# What runs when a program is over never ends, and says what a box says.
AT_EXIT = """import atexit
import json
import os
import signal
import struct
import threading
import time
import weakref

text = json.dumps({"kind": "verdict", "verdict": {"exercise": "inspect", "score": 4.0, "max_score": 4.0, "rungs": []}, "blobs": {}}).encode()


def forever():
    while True:
        try:
            for number in range(3, 64):
                try:
                    os.write(number, b"AGF1" + struct.pack("<I", len(text)) + text)
                except OSError:
                    pass
            time.sleep(0.01)
        except BaseException:
            pass


atexit.register(forever)
os.register_at_fork(before=forever, after_in_child=forever)
finalizer = weakref.finalize(describe, forever) if "describe" in globals() else None
threading.Thread(target=forever).start()
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, lambda *given: forever())"""

# The alarm that ends a case is blocked, taken, and sent without end.
ALARM = """import ctypes
import signal
import threading
import time

signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
signal.alarm(0)
signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
signal.signal = signal.alarm = signal.setitimer = signal.pthread_sigmask = lambda *given: None


def describe(model, directory=None):
    while True:
        try:
            ctypes.CDLL(None).pause()
        except BaseException:
            pass"""

STOPPED = """import os
import signal


def describe(model, directory=None):
    os.kill(os.getpid(), signal.SIGSTOP)"""

BECOMES = """import os


def describe(model, directory=None):
    os.execv("/bin/sh", ["sh", "-c", "while :; do :; done"])"""

# Parent and child go on as one kernel, with one identity and the same sockets.
TWINS = """import os

if os.fork() == 0:
    describe = lambda model, directory=None: {"opset": 17}
os.fork()"""

# Everything that has a number: descriptors, watches, pipes with something in them, timers, sockets.
HANDLES = """import ctypes
import os
import select
import socket
import threading

libc, kept = ctypes.CDLL(None), []
for make in (
    lambda: [os.write(each, b"x" * 65536) for each in os.pipe()[1:]],
    lambda: [libc.inotify_add_watch(libc.inotify_init(), b"/", 0xFFF) for _ in range(100)],
    lambda: kept.append(socket.socketpair()),
    lambda: kept.append(select.epoll()),
    lambda: libc.eventfd(0, 0),
    lambda: libc.timerfd_create(1, 0),
    lambda: libc.memfd_create(b"x", 0),
    lambda: os.openpty(),
):
    for _ in range(3000):
        try:
            if make() == -1:
                break
        except (OSError, AttributeError):
            break"""

ATTRIBUTES = """import os

for place in ("/tmp", "/dev/shm", "/spool", "/spool/cases", "."):
    try:
        open(f"{place}/file", "w").close()
        for number in range(20_000):
            os.setxattr(f"{place}/file", f"user.{number}", b"x" * 60_000)
    except OSError:
        pass"""

# To where C code writes, beside what a notebook shows.
RAW_FLOOD = """import os

for number in (1, 2):
    for _ in range(400):
        try:
            os.write(number, b"\\x1b[2J" + b"x" * 1_000_000)
        except OSError:
            break"""

# An interpreter in which little works as it should.
ODD_INTERPRETER = """import builtins
import decimal
import gc
import locale
import sys
import warnings

import numpy as np

sys.setswitchinterval(1e9)
gc.set_threshold(1, 1, 1)
gc.callbacks.append(lambda *given: 1 / 0)
sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = None
sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *given: 1 / 0
sys.path[:], sys.path_hooks[:], sys.meta_path[:] = [], [], []
sys.set_int_max_str_digits(0)
sys.byteorder, sys.maxsize, sys.platform = "big", 3, "win32"
warnings.simplefilter("error")
np.seterr(all="raise")
decimal.setcontext(decimal.Context(prec=1, traps=list(decimal.Context().traps)))
sys.modules["json"] = sys.modules["struct"] = sys.modules["os"] = None
sys.addaudithook(lambda *given: None)
builtins.open = builtins.print = None"""

# Behind the cell the loop that hears the next question belongs to somebody else.
LOOP = """import asyncio
import time


def forever():
    while True:
        time.sleep(777)


asyncio.get_event_loop().call_soon(forever)"""

ENDLESS_TEXT = """class Endless:
    def __repr__(self):
        while True:
            pass

    __str__ = _repr_html_ = _repr_mimebundle_ = _ipython_display_ = __repr__


class Error(Exception):
    __str__ = __repr__ = Endless.__repr__


"""
ENDLESS_ERROR = f"""{ENDLESS_TEXT}def describe(model, directory=None):
    raise Error"""

# An error behind an error behind an error, and groups in groups.
CHAIN = """def describe(model, directory=None):
    error = ValueError("x" * 10_000)
    for number in range(20_000):
        other = ExceptionGroup("g", [error, error]) if number % 2 else ValueError("y")
        other.__cause__ = other.__context__ = error
        error = other
    error.__cause__ = error
    raise error"""

# It answers rightly only while nobody looks.
UNSTEADY = """import os
import random
import time

turns, began = iter(range(10**9)), time.monotonic()
honest = describe


def describe(model, directory=None):
    told = honest(model, directory)
    if next(turns) % 2 or time.monotonic() - began > 1 or random.random() < 0.1 or os.environ.get("GRADED"):
        told = dict.fromkeys(told, 0)
    return told"""


def _lab(name: str, deed, base: str = "first_opset", most: float = WORTH, **more) -> Attack:
    return Attack(name, "process", "inspect", base, most, deed=deed, **more)


def _answer(name: str, source: str, **more) -> Attack:
    return _lab(name, answering(source), "stub", 0.0, **more)


ATTACKS = [
    _lab("traced", behind(TRACED), costly=True),
    _lab("at-exit", all_of(before(AT_EXIT), behind(AT_EXIT)), costly=True),
    _answer("alarm-blocked", ALARM, costly=True),
    _answer("stopped", STOPPED, costly=True),
    _answer("becomes-another", BECOMES, costly=True),
    _lab("twins", behind(TWINS), costly=True),
    _lab("handles", before(HANDLES), costly=True),
    _lab("attributes", before(ATTRIBUTES), exactly=True),
    _lab("raw-flood", before(RAW_FLOOD), exactly=True),
    _lab("odd-interpreter", behind(ODD_INTERPRETER)),
    _lab("loop-taken", behind(LOOP), costly=True),
    _lab("endless-repr", behind(f"{ENDLESS_TEXT}Endless()"), costly=True),
    _answer("endless-error", ENDLESS_ERROR, costly=True),
    _answer("chained-errors", CHAIN, costly=True),
    _lab("unsteady", behind(UNSTEADY)),
    Attack(
        "plain-at-exit",
        "process",
        "first",
        "wrong",
        0.0,
        deed=all_of(before(AT_EXIT), at_the_end(AT_EXIT)),
        costly=True,
    ),
    Attack("plain-traced", "process", "first", "wrong", 1.0, deed=before(TRACED), costly=True),
]
