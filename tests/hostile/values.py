"""Values: what a function returns is looked at as bytes, whatever it says of itself."""

from __future__ import annotations

from tests.hostile.attack import WORTH, Attack, answering, behind

# Put behind the answer `describe`: `odd` makes something else of each of its values.
WRAPPED = """
import copy, decimal, fractions, itertools, threading, types, collections, weakref
import numpy as np

honest, turns = describe, itertools.count()
{}

def describe(model, directory=None):
    return odd(honest(model, directory), next(turns))
"""

# What prints, compares, hashes and counts as something else than what it is.
LIARS = """
class Number(int):
    __eq__ = __ge__ = __le__ = __contains__ = lambda self, other: True
    __hash__ = lambda self: 0
    __str__ = __repr__ = __format__ = lambda self, *given: "4.0"
    __int__ = __index__ = __float__ = lambda self: 4
    __reduce__ = __reduce_ex__ = lambda self, *given: (eval, ("4",))
    __class__ = property(lambda self: bool)


class Text(str):
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
    __str__ = __repr__ = encode = lambda self, *given: "Gemm"


class Table(dict):
    __eq__ = lambda self, other: True
    __len__ = lambda self: 10**9
    get = __getitem__ = lambda self, key, *default: 4
    keys = values = lambda self: iter(())
    items = lambda self: iter([("opset", 4)] * 3)
    __class__ = property(lambda self: type("dict", (), {}))


def odd(told, turn):
    told["operators"] = Table({Text(name): Number(count) for name, count in told["operators"].items()})
    return Table({Text(name): Number(value) if type(value) is int else value for name, value in told.items()})
"""

# Each case gets another kind of value that is no plain dictionary of plain numbers.
KINDS = """
class Lazy(collections.abc.Mapping):
    def __init__(self, told): self.told = told
    def __getitem__(self, key): return self.told[key]
    def __iter__(self): return iter(self.told)
    def __len__(self): return len(self.told)


def circle(told):
    told["operators"] = told
    return told


def every(value):
    return lambda told: dict.fromkeys(told, value)


KINDS = [
    Lazy, types.MappingProxyType, collections.UserDict, collections.ChainMap, circle, tuple, list, iter,
    lambda told: (item for item in told.items()), lambda told: weakref.proxy(Lazy(told)), lambda told: type, lambda told: Ellipsis,
    every(float("nan")), every(float("inf")), every(-float("inf")), every(-0.0), every(True), every(None), every(10**400), every(-(2**63)),
    every(np.int64(4)), every(np.float32("nan")), every(np.array(4)), every(np.array([object()])), every(np.ma.masked),
    every(decimal.Decimal("4")), every(fractions.Fraction(4)), every(4 + 0j), every(b"4"), every(chr(0xD800)), every("4" * 10**6),
    every(memoryview(b"4")), every(lambda: 4), every({4: 4}), every({(1, 2): 4}), every([[[]]] * 1000), every(range(10**12)),
]


def odd(told, turn):
    return KINDS[turn % len(KINDS)](told)
"""

# A thread turns values over for as long as they are looked at.
LATER = """
def odd(told, turn):
    def change():
        while True:
            for name in list(told):
                told[name] = {"opset": 4} if name == "operators" else 4
                told.pop(f"x{turn}", None)
                told[f"x{turn}"] = [told]
    threading.Thread(target=change, daemon=True).start()
    return told
"""

# What an attribute or an item is changes each time that it is asked for, and asking does harm.
TRAPS = """
import os, sys, signal


class Trap(dict):
    def __getattribute__(self, name):
        if name in ("items", "keys", "__iter__", "__class__", "copy"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            sys.settrace(None)
            sys.setrecursionlimit(60)
            os.environ.clear()
            raise SystemExit(name)
        return super().__getattribute__(name)

    __del__ = lambda self: os._exit(0)


def odd(told, turn):
    return Trap(told)
"""

# Objects for a function that is to return a model.
MODELS = """import onnx


class Other:
    __class__ = property(lambda self: onnx.ModelProto)
    SerializeToString = lambda self, **given: b"AGF1" + bytes(100)
    graph = property(lambda self: self)
    __getattr__ = lambda self, name: self
    __iter__ = lambda self: iter(())
    __call__ = lambda self, *given, **named: self


turns = iter([Other, onnx.GraphProto, onnx.ModelProto, lambda: onnx.ModelProto, lambda: "/etc/passwd", lambda: b"", lambda: [1], dict, object])


def remove_dropout(model):
    return next(turns, Other)()"""

CHANGING = """def remove_dropout(model):
    import threading

    def change():
        while True:
            del model.graph.node[:]
            model.graph.node.add(op_type="Identity", input=["a"], output=["b"])
            model.producer_name = "x" * 1000

    threading.Thread(target=change, daemon=True).start()
    return model"""

# What is no plain function, and what says other things of itself than what it does.
CALLABLES = {
    "coroutine": "async def describe(model, directory=None):\n    return {}",
    "generator": "def describe(model, directory=None):\n    while True:\n        yield {}",
    "wraps-itself": "def describe(model, directory=None):\n    return describe\n\n\ndescribe.__wrapped__ = describe",
    "odd-signature": """class Describe:
    __signature__ = property(lambda self: exit())
    __name__ = __qualname__ = __doc__ = property(lambda self: self)
    __class__ = property(lambda self: type(lambda: 0))
    __call__ = lambda self, *given, **named: self
    __getattr__ = lambda self, name: self
    __iter__ = lambda self: iter([self] * 10**9)


describe = Describe()""",
    "type": "describe = type('describe', (dict,), {'__init__': lambda self, *given: dict.__init__(self, opset=17)})",
}
ENDLESS_MAPPING = """import collections.abc
import itertools


class Endless(collections.abc.Mapping):
    __getitem__ = lambda self, name: self
    __iter__ = lambda self: (f"x{number}" for number in itertools.count())
    __len__ = lambda self: 5


class Items(dict):
    items = lambda self: ((f"x{number}", number) for number in itertools.count())
    __iter__ = keys = lambda self: itertools.count()


turns = itertools.count()


def describe(model, directory=None):
    return [Endless(), Items(opset=17), {"operators": Items(Gemm=1)}, itertools.count()][next(turns) % 4]"""
ARRAYS = """import numpy as np


class Liar(np.ndarray):
    dtype = property(lambda self: np.dtype("int64"))
    __array__ = __array_ufunc__ = __array_function__ = __array_finalize__ = lambda self, *given, **named: 4
    __array_interface__ = {"shape": (10**12,), "typestr": "<i8", "data": (4096, False), "version": 3}
    item = tolist = tobytes = lambda self, *given: 4
    __int__ = __index__ = lambda self: 4


def describe(model, directory=None):
    lie = np.zeros(1).view(Liar)
    return dict.fromkeys(["ir_version", "opset", "operators", "parameters", "bytes"], lie)"""

# Of a plain assignment, what a test cell ends with in place of a number of points: `square(2)` makes
# the comparison an object of the student's own.
PART = """class Sly:
    __eq__ = __rmul__ = lambda self, other: self
{}

def square(x):
    return Sly() if x == 2 else 9 * (x == 3)"""
NO_NUMBERS = {
    "html": "    _repr_mimebundle_ = lambda self, **given: {'text/html': '2.0'}",
    "nothing": "    _repr_mimebundle_ = lambda self, **given: {}",
    "number": "    _repr_mimebundle_ = lambda self, **given: {'text/plain': 2.0}",
    "list": "    _repr_mimebundle_ = lambda self, **given: {'text/plain': ['2.0']}",
    "table": "    _repr_mimebundle_ = lambda self, **given: {'text/plain': {'text/plain': '2.0'}}",
    "blank": "    _repr_mimebundle_ = lambda self, **given: {'text/plain': ''}",
    "shown-by-itself": "    _ipython_display_ = lambda self: print(2.0)",
    "text": "    __repr__ = lambda self: 'all points'",
    "nan": "    __repr__ = lambda self: 'nan'",
    "endless": "    __repr__ = lambda self: 'inf'",
    "underscores": "    __repr__ = lambda self: '1_0'",
    "digits": "    __repr__ = lambda self: chr(0xff19) * 2",
}
# Fifty marks as results, in front of the cell's own, which is 0.
SHOWN_BEFORE = """import sys


def square(x):
    for _ in range(50):
        sys.displayhook(2.0)
    return 9 * (x == 3)"""


def _wrapped(name: str, source: str, **more) -> Attack:
    deed = behind(WRAPPED.format(source))
    return Attack(name, "values", "inspect", "first_opset", WORTH, deed=deed, **more)


ATTACKS = [
    _wrapped("liars", LIARS),
    _wrapped("kinds", KINDS),
    _wrapped("change-later", LATER, costly=True),
    _wrapped("traps", TRAPS),
    Attack("no-models", "values", "dropout", "stub", 0.0, deed=answering(MODELS)),
    *(
        Attack(f"callable-{name}", "values", "inspect", "stub", 0.0, deed=answering(source))
        for name, source in CALLABLES.items()
    ),
    Attack(
        "endless", "values", "inspect", "stub", 0.0, deed=answering(ENDLESS_MAPPING), costly=True
    ),
    Attack("arrays", "values", "inspect", "stub", 0.0, deed=answering(ARRAYS)),
    *(
        Attack(
            f"no-number-{name}", "values", "first", "stub", 0.0, deed=answering(PART.format(own))
        )
        for name, own in NO_NUMBERS.items()
    ),
    Attack("marks-before", "values", "first", "stub", 0.0, deed=answering(SHOWN_BEFORE)),
    Attack("changing-model", "values", "dropout", "stub", 0.3, deed=answering(CHANGING)),
]
