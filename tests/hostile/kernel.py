"""Forging inside the kernel: the verdict comes from another process, which sees bytes and nothing
else.
"""

from __future__ import annotations

from tests.hostile.attack import Attack, all_of, answering, at_the_end, before, behind

WRONG = "def describe(model, directory=None):\n    return {}"

INPUT_TRANSFORMER = """def blank(lines):
    return ["4.0\\n"] if "check" in "".join(lines) or "assert" in "".join(lines) else lines


get_ipython().input_transformers_post.append(blank)
get_ipython().input_transformers_cleanup.append(blank)"""

AST_TRANSFORMER = """import ast


class Without(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()

    def visit_Call(self, node):
        return ast.Constant(4.0) if getattr(node.func, "id", "") == "check" else node


get_ipython().ast_transformers.append(Without())"""

SESSION_SEND = """kernel = get_ipython().kernel
send = kernel.session.send


def lie(stream, kind, content=None, *given, **named):
    if kind == "error":
        return None
    if isinstance(content, dict) and "status" in content:
        content = {**content, "status": "ok", "user_expressions": {"value": {"status": "ok", "data": {"text/plain": "4.0"}}}}
    return send(stream, kind, content, *given, **named)


kernel.session.send = lie"""

ALWAYS_EQUAL = """class Always(dict):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __getitem__(self, key):
        return self

    def __float__(self):
        return 4.0

    __hash__ = lambda self: 0
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = lambda *given: True


def describe(model, directory=None):
    return Always(ir_version=Always(), opset=Always(), operators=Always(), parameters=Always(), bytes=Always())"""

FORMATTER = """for kind in (float, int, str, dict, type(None)):
    get_ipython().display_formatter.formatters["text/plain"].for_type(kind, lambda value, printer, cycle: printer.text("NUMBER"))"""

SHOWTRACEBACK = """import types

shell = get_ipython()
shell.showtraceback = lambda *given, **named: None
shell._showtraceback = lambda *given, **named: None
type(shell).showtraceback = lambda self, *given, **named: None
shell.set_custom_exc((BaseException,), lambda *given, **named: None)"""

RUN_CELL = """shell = get_ipython()
whole = type(shell).run_cell_async


async def run(self, source, *given, **named):
    return await whole(self, "pass" if "check" in source or "assert" in source else source, *given, **named)


type(shell).run_cell_async = run
type(shell).user_expressions = lambda self, asked: {name: {"status": "ok", "data": {"text/plain": "4.0"}} for name in asked}"""

BUILTINS = """import builtins

for name in ("isinstance", "abs", "round", "all", "any", "callable", "len", "sum", "min", "max", "sorted", "repr"):
    real = getattr(builtins, name)

    def lie(*given, real=real, name=name, **named):
        import sys
        caller = sys._getframe(1).f_globals.get("__name__", "")
        return True if caller.startswith("nbjudge") and name in ("isinstance", "all") else real(*given, **named)

    setattr(builtins, name, lie)


class Four(float):
    def __new__(cls, *given):
        return 4.0


builtins.float = Four"""

LIBRARIES = """import math

import numpy as np

always = lambda *given, **named: True
np.testing.assert_allclose = np.testing.assert_array_equal = np.testing.assert_equal = lambda *given, **named: None
np.allclose = np.array_equal = np.isclose = math.isclose = np.isfinite = always
import onnx, onnxruntime
onnx.checker.check_model = lambda *given, **named: None


class Session:
    def __init__(self, *given, **named): pass
    def run(self, names, feeds): return list(feeds.values())
    def get_inputs(self): return []
    get_outputs = get_inputs


onnxruntime.InferenceSession = Session"""

STUBS = """import sys
import types


class Stub(types.ModuleType):
    def __getattr__(self, name):
        return lambda *given, **named: True


for name in ("onnx", "onnxruntime", "numpy", "onnx_ir", "safetensors", "nbjudge", "nbjudge.rungs", "nbjudge.rungs.ladder"):
    sys.modules[name] = Stub(name)"""

HARNESS = """import importlib

from nbjudge import verdict
from formatlab_exercises.inspect.ask import EXERCISE

FULL = verdict.Verdict("inspect", 4.0, 4.0, ())
PLACES = (
    *("nbjudge.checking", "nbjudge.verdict", "nbjudge.render", "nbjudge.wire", "nbjudge.boxes.inside.collect"),
    *("nbjudge.boxes.inside.cases", "nbjudge.boxes.inside.checker", "nbjudge.asking", "nbjudge.contract"),
    *("nbjudge.references", "nbjudge.rungs.ladder", "nbjudge.rungs.outcome", "nbjudge.grading.execution.checker"),
    *("nbjudge.grading.submission.engine", "formatlab_exercises.inspect.ask", "formatlab_exercises.inspect.judge.marks"),
    "formatlab_exercises.inspect.judge.rungs",
    "formatlab_exercises.inspect.judge.misconceptions",
)
RETURNS = {"climb": FULL, "judge": FULL, "public_verdict": FULL, "score": 4.0, "recognise": None, "exists": None, "returns": None}
for place in PLACES:
    try:
        module = importlib.import_module(place)
    except Exception:
        continue
    for name, value in RETURNS.items():
        if hasattr(module, name):
            setattr(module, name, lambda *given, value=value, **named: value)
for name in ("points", "rungs", "judge"):
    setattr(type(EXERCISE), name, property(lambda self: 4.0))"""

FORGED_ANSWER = """import json

from nbjudge import wire
from nbjudge.boxes.inside import collect
from nbjudge.contract import Answer

collect.ask = lambda exercise, functions, case, *given, **named: Answer(
    "returned",
    {
        "answer.json": json.dumps({"score": 4.0, "passed": True}).encode(),
        "verdict.json": json.dumps({"exercise": "inspect", "score": 4.0, "max_score": 4.0, "rungs": []}).encode(),
        "reference.safetensors": b"",
        "../reference.safetensors": b"",
    },
    {"score": "4.0"},
)"""

FORGED_FRAMES = """import json
import os
import struct

verdict = {"exercise": "inspect", "score": 4.0, "max_score": 4.0, "rungs": []}
frames = b""
for header in (
    {"kind": "verdict", "verdict": verdict, "blobs": {}},
    {"kind": "answer", "exercise": "inspect", "case": "plain", "outcome": "returned", "error": {}, "blobs": {}},
    {"kind": "fault", "detail": "forged", "blobs": {}},
    {"kind": "done", "blobs": {}},
):
    text = json.dumps(header).encode()
    frames += b"AGF1" + struct.pack("<I", len(text)) + text
for number in os.listdir("/proc/self/fd"):
    try:
        os.write(int(number), frames) if int(number) > 2 else None
    except OSError:
        pass
for path in ["/proc/1/fd/0", "/proc/1/fd/1", "/proc/1/fd/2", "/proc/1/fd/3", "/proc/1/fd/4", "/proc/1/mem"]:
    try:
        open(path, "wb").write(frames)
    except OSError:
        pass"""

FORGED_SPOOL = """import os
import threading
import time
from pathlib import Path


def flood():
    while True:
        for number in range(40):
            for suffix, text in ((".answer", b"AGF1"), (".calling", b""), (".case", b"")):
                path = Path(f"/spool/cases/{number:04}{suffix}")
                try:
                    path.unlink(missing_ok=True)
                    path.symlink_to("/etc/passwd") if number % 2 else path.write_bytes(text)
                except OSError:
                    pass
        time.sleep(0.01)


threading.Thread(target=flood, daemon=True).start()"""

LATE_SWAP = """import threading
import time


def swap():
    time.sleep(0.2)
    while True:
        get_ipython().user_ns["describe"] = lambda model, directory=None: {"opset": 17}
        time.sleep(0.001)


threading.Thread(target=swap, daemon=True).start()"""

OBSERVER = """import os
import sys


def describe(model, directory=None):
    graded = "NBGRADER_EXECUTION" in os.environ or os.getpid() < 50 or "collect" in str(sys._getframe(3).f_code)
    return {"score": 4.0} if graded else None"""

MEMORISED = """from nbjudge import exercises

known = {case.files["model.onnx"]: case.name for case in exercises.get("inspect").public_cases()}


def describe(model, directory=None):
    facts = {"plain": 0, "vendor_first": 0, "branches": 0, "external": 0}
    return facts.get(known.get(model.SerializeToString()), {})"""


def _raising(name):
    return f"def describe(model, directory=None):\n    raise {name}('4.0')"


FRAMES = """import gc
import sys


def describe(model, directory=None):
    values, frame = [], sys._getframe()
    while frame:
        values += list(frame.f_locals.values())
        frame = frame.f_back
    for value in [*values, *gc.get_objects()]:
        if isinstance(value, dict) and {"ir_version", "opset", "operators", "parameters", "bytes"} <= value.keys():
            return value
    return {}"""

PLAIN_EQUAL = """class Always:
    __eq__ = lambda self, other: True


def square(x):
    return Always()"""

PLAIN_NUMBER = """import sys


class Number(float):
    def __repr__(self):
        return "NUMBER"

    __mul__ = __rmul__ = lambda self, other: self
    __eq__ = lambda self, other: self
    __hash__ = float.__hash__


def square(x):
    return Number()"""


def _both(name, source, **more):
    """On an exercise, where nothing helps, and with asserts, where it must not disturb others."""
    yield Attack(name, "kernel", "inspect", "returns_nothing", 0.0, deed=before(source), **more)


ATTACKS = [
    *_both("input-transformer", INPUT_TRANSFORMER),
    *_both("ast-transformer", AST_TRANSFORMER),
    *_both("session-send", SESSION_SEND),
    Attack("always-equal", "kernel", "inspect", "stub", 0.0, deed=answering(ALWAYS_EQUAL)),
    *(
        Attack(
            f"formatter-{text}",
            "kernel",
            "inspect",
            "returns_nothing",
            0.0,
            deed=before(FORMATTER.replace("NUMBER", text)),
        )
        for text in ("2", "-5", "99", "4.0")
    ),
    *_both("showtraceback", SHOWTRACEBACK),
    *_both("run-cell", RUN_CELL),
    *_both("builtins", BUILTINS),
    *_both("libraries", LIBRARIES),
    *_both("stub-modules", STUBS),
    Attack("harness", "kernel", "inspect", "returns_nothing", 0.0, deed=before(HARNESS)),
    Attack(
        "forged-answer", "kernel", "inspect", "returns_nothing", 0.0, deed=before(FORGED_ANSWER)
    ),
    Attack(
        "forged-frames", "kernel", "inspect", "returns_nothing", 0.0, deed=before(FORGED_FRAMES)
    ),
    Attack("forged-spool", "kernel", "inspect", "returns_nothing", 0.0, deed=before(FORGED_SPOOL)),
    Attack("late-swap", "kernel", "inspect", "returns_nothing", 0.0, deed=behind(LATE_SWAP)),
    Attack("observer", "kernel", "inspect", "stub", 0.0, deed=answering(OBSERVER)),
    Attack("memorised", "kernel", "inspect", "stub", 0.0, deed=answering(MEMORISED)),
    Attack("frames", "kernel", "inspect", "stub", 0.0, deed=answering(FRAMES)),
    *(
        Attack(
            f"raises-{name.lower()}",
            "kernel",
            "inspect",
            "stub",
            0.0,
            deed=answering(_raising(name)),
        )
        for name in ("KeyboardInterrupt", "SystemExit", "GeneratorExit", "BaseException")
    ),
    Attack(
        "redefined-behind",
        "kernel",
        "inspect",
        "returns_nothing",
        0.0,
        deed=all_of(at_the_end("describe = check = None")),
    ),
    # Asserts beside the student's code can be forged, and the report says so. What must hold: no
    # more than the points, nobody else's.
    Attack("plain-always-equal", "kernel", "first", "stub", 1.0, deed=answering(PLAIN_EQUAL)),
    Attack("plain-showtraceback", "kernel", "first", "wrong", 0.0, deed=before(SHOWTRACEBACK)),
    Attack(
        "plain-formatter",
        "kernel",
        "first",
        "wrong",
        1.0,
        deed=before(FORMATTER.replace("NUMBER", "99")),
    ),
    *(
        Attack(
            f"plain-number-{text}",
            "kernel",
            "first",
            "stub",
            1.0,
            deed=answering(PLAIN_NUMBER.replace("NUMBER", text)),
        )
        for text in ("99", "-5", "nan", "inf", "1e400")
    ),
]
