"""The steps of notebook 06: what folding can know, and how a file is described, checked and chosen."""

import hashlib
import tempfile
from pathlib import Path

from onnx import parser

from formatlab_exercises.steps import Slip, Step, Steps


def known(graph):
    values = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if values.issuperset(node.input):
            values.update(node.output)
    return values


def one_constant_input(graph):
    values = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if values.intersection(node.input):
            values.update(node.output)
    return values


def not_passed_on(graph):
    stored = {tensor.name for tensor in graph.initializer}
    computed = [node for node in graph.node if stored.issuperset(node.input)]
    return stored.union(*(node.output for node in computed))


def fingerprint(path):
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def of_the_name(path):
    sha256 = hashlib.sha256(path.name.encode()).hexdigest()
    return fingerprint(path) | {"sha256": sha256}


def as_text(path):
    data = path.read_text(encoding="latin-1").encode()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def as_bytes(path):
    data = path.read_bytes()
    return {"bytes": len(data), "sha256": hashlib.sha256(data).digest()}


def stale(claimed, true):
    return {key for key in claimed if key not in true or claimed[key] != true[key]}


def frontier(points):
    return [
        name
        for name, (size, quality) in points.items()
        if not any(
            a <= size and b >= quality and (a, b) != (size, quality) for a, b in points.values()
        )
    ]


def better_in_both(points):
    return [
        name
        for name, (size, quality) in points.items()
        if not any(a < size and b > quality for a, b in points.values())
    ]


def beaten_by_itself(points):
    return [
        name
        for name, (size, quality) in points.items()
        if not any(a <= size and b >= quality for a, b in points.values())
    ]


def as_fast(times):
    least = min(high for low, high in times.values())
    return [name for name, (low, high) in times.items() if low <= least]


def by_the_lowest_end(times):
    least = min(low for low, high in times.values())
    return [name for name, (low, high) in times.items() if low <= least]


def by_their_middle(times):
    return [min(times, key=lambda name: sum(times[name]))]


def decide(rows, least):
    good = {name: row for name, row in rows.items() if row["quality"] >= least}
    if not good:
        return None
    candidates = as_fast({name: row["time"] for name, row in good.items()})
    return min(candidates, key=lambda name: good[name]["size"])


def fastest_of_all_first(rows, least):
    candidates = as_fast({name: row["time"] for name, row in rows.items()})
    good = [name for name in candidates if rows[name]["quality"] >= least]
    return min(good, key=lambda name: rows[name]["size"], default=None)


def above_the_least(rows, least):
    return decide({name: row for name, row in rows.items() if row["quality"] > least}, least)


def smallest(rows, least):
    good = [name for name in rows if rows[name]["quality"] >= least]
    return min(good, key=lambda name: rows[name]["size"], default=None)


def best_quality(rows, least):
    good = {name: row for name, row in rows.items() if row["quality"] >= least}
    if not good:
        return None
    candidates = as_fast({name: row["time"] for name, row in good.items()})
    return max(candidates, key=lambda name: good[name]["quality"])


def raises_where_none_is_good(rows, least):
    good = {name: row for name, row in rows.items() if row["quality"] >= least}
    candidates = as_fast({name: row["time"] for name, row in good.items()})
    return min(candidates, key=lambda name: good[name]["size"])


def chain():
    return (
        parser.parse_graph("""
        g (float[N] x) => (float[N] y) <float two = {2}, float three = {3}> {
            six = Mul(two, three)
            nine = Add(six, three)
            y = Mul(x, nine)
        }"""),
    )


def mixed():
    return (
        parser.parse_graph("""
        g (float[N] x) => (float[N] y) <float one = {1}> {
            a = Add(x, one)
            b = Neg(one)
            y = Mul(a, b)
        }"""),
    )


FOLDER = tempfile.TemporaryDirectory()  # removed when the kernel ends


def stored_file(name, data):
    path = Path(FOLDER.name) / name
    path.write_bytes(data)
    return path


def row(size, quality, low, high):
    return {"size": size, "quality": quality, "time": (low, high)}


ROWS = {
    "float32": row(400, 130.0, 1.0, 1.0),
    "float16": row(200, 70.0, 1.1, 1.3),
    "int8": row(100, 20.0, 0.4, 0.5),
    "int8, 7 bits": row(110, 36.0, 0.5, 0.6),
    "int8, reduced": row(120, 38.0, 0.48, 0.55),
}
LOSSES = {
    "float32": row(90.4, 0.0, 1.0, 1.0),
    "8 bits": row(22.8, -0.015, 0.41, 0.44),
    "8 bits, faster": row(58.6, -0.03, 0.33, 0.36),
}
step = Steps(
    "lab-7-01/06-interview",
    known=Step(
        "folding",
        known,
        {"a chain": chain, "an input on the way": mixed},
        (
            Slip(
                one_constant_input,
                "One constant input is not enough. Folding needs all inputs of a node.",
            ),
            Slip(
                not_passed_on,
                "What a folded node writes is known, too. The next node may read it.",
            ),
        ),
    ),
    fingerprint=Step(
        "passport",
        fingerprint,
        {
            "seven bytes": lambda: (stored_file("seven.onnx", b"\x08\x0a\x12\x00\xff\xfe\r"),),
            "an empty file": lambda: (stored_file("empty.onnx", b""),),
        },
        (
            Slip(of_the_name, "You hash the name of the file. Hash the bytes that lie in it."),
            Slip(as_text, "The file holds bytes, not text: `read_bytes` returns them as they are."),
            Slip(as_bytes, "`digest` returns bytes. A passport is JSON, so it takes `hexdigest`."),
        ),
    ),
    stale=Step(
        "passport",
        stale,
        {
            "one is false": lambda: ({"bytes": 7, "opset": 18}, {"bytes": 8, "opset": 18}),
            "nothing claimed of what is not there": lambda: (
                {"bytes": 8, "signed": None},
                {"bytes": 8},
            ),
            "not in the file": lambda: ({"bytes": 8, "signed": True}, {"bytes": 8}),
            "all true": lambda: ({"bytes": 8}, {"bytes": 8, "opset": 18}),
        },
        (
            Slip(
                lambda claimed, true: {key for key in claimed if claimed[key] != true[key]},
                "The passport may claim something that the file does not have. Ask `key not in true` first.",
            ),
            Slip(
                lambda claimed, true: {key for key in claimed if claimed[key] != true.get(key)},
                "`true.get` gives None for a missing key, and a passport may claim None. Ask `key not in true`.",
            ),
            Slip(
                lambda claimed, true: {key for key in true if claimed.get(key) != true[key]},
                "Go through the claims. A fact that the passport leaves out is no false claim.",
            ),
            Slip(lambda claimed, true: claimed != true, "Say which claims are false."),
        ),
    ),
    frontier=Step(
        "the-decision",
        frontier,
        {
            "three files": lambda: ({"a": (100, 60), "b": (50, 40), "c": (60, 30)},),
            "of one size": lambda: ({"a": (50, 40), "b": (50, 45), "c": (20, 10)},),
            "twice the same": lambda: ({"a": (50, 40), "b": (50, 40)},),
        },
        (
            Slip(
                better_in_both,
                "A file of the same size and a better quality is enough to beat another one.",
            ),
            Slip(
                beaten_by_itself,
                "Every file is as small and as good as itself. Leave out equal pairs.",
            ),
        ),
    ),
    fast=Step(
        "the-decision",
        as_fast,
        {
            "two overlap": lambda: ({"a": (1.0, 1.2), "b": (1.1, 1.3), "c": (1.25, 1.4)},),
            "a wide one": lambda: ({"a": (0.8, 1.5), "b": (0.9, 1.0), "c": (1.1, 1.2)},),
            "alone": lambda: ({"a": (1.0, 1.0)},),
        },
        (
            Slip(
                by_the_lowest_end,
                "Compare with the upper end of the fastest. Intervals that overlap show no difference.",
            ),
            Slip(by_their_middle, "One name is too few if another interval overlaps it."),
        ),
    ),
    decide=Step(
        "the-decision",
        decide,
        {
            "30 dB": lambda: (ROWS, 30),
            "60 dB": lambda: (ROWS, 60),
            "just good enough": lambda: (ROWS, 36.0),
            "a loss": lambda: (LOSSES, -0.02),
            "no file": lambda: (ROWS, 200),
        },
        (
            Slip(
                fastest_of_all_first,
                "First refuse what is not good enough. The fastest file of all may be one of those.",
            ),
            Slip(
                smallest, "Time comes before size: among the good ones look for the fastest first."
            ),
            Slip(above_the_least, "A quality of exactly `least` is good enough: ask with `>=`."),
            Slip(best_quality, "All of these are good enough. Take the smallest of the fastest."),
            Slip(
                raises_where_none_is_good,
                "If no file is good enough, return None. `min` of nothing raises an error.",
            ),
        ),
    ),
)
