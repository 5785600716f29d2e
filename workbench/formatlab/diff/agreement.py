"""What runs on drawn inputs showed: asked for from a process of its own (`formatlab.diff.running`)."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from formatlab import graphs
from formatlab.diff.compare import ScopeDiff
from formatlab.diff.errors import CannotDiff
from formatlab.diff.inputs import RUNS, SEED, Range
from formatlab.diff.reading import Model
from formatlab.diff.words import capital, plain, quoted

# Models whose numbers take more are not run unless that is asked for: two sessions hold them twice.
LARGEST = 1 << 30
SECONDS = 300
CPU_SECONDS = 120
FILLED = "the runs need more memory than the 8 GiB that they are given: fewer inputs with --inputs, or smaller ones with --dim"
# The most nodes of a model with its functions in place of the calls.
EXPANDED = 1_000_000
# How many inner values are looked at for the first one that differs.
INNER = 2000
# What a CPU may gain on float16 arithmetic without a word.
HIDDEN_DB = 1


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """`verdict` is same, equal (bit for bit), other, undecided, or not run. `first` names the first
    value, in A and in B, at which B adds error of its own. `sqnr_db` is how far the worst output of
    B stands above its difference to A's; what is float16 is computed in float16. `expected` says the same of each model
    against outputs that were given.
    """

    verdict: str
    text: str
    runs: int = 0
    first: tuple[str, str] | None = None
    sqnr_db: float | None = None
    yardstick: str = ""
    expected: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_as_expected(self) -> bool:
        """Does each model give the outputs that were expected, if some were?"""
        return all(verdict in ("same", "equal") for verdict in self.expected.values())


@dataclass(frozen=True, kw_only=True)
class Found:
    """`agreement` is None where no run was asked for; `false` are declarations that shape inference
    contradicts, per side {value: (declared, given)}.
    """

    agreement: Agreement | None
    false: tuple[dict[str, list[str]], dict[str, list[str]]]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What to run: so many drawn inputs (`sizes` of free dimensions, `ranges` of integers and the
    `seed` as somebody gave them), or those of a file; and a file of outputs that are expected.
    """

    runs: int = RUNS
    seed: int = SEED
    sizes: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, Range] = field(default_factory=dict)
    feeds: Path | None = None
    expected: Path | None = None
    large: bool = False


def ask(a: Model, b: Model, graph: ScopeDiff, asked_for: Asked) -> Found:
    """Run both. Never raises for what a model does: that is part of the answer. Raises CannotDiff for
    sizes, ranges and files that do not fit.
    """
    total = sum((model.bytes or model.proto.ByteSize()) + model.weight_bytes for model in (a, b))
    if total > LARGEST and not asked_for.large:
        return _nothing(
            f"Nothing was run, because the two hold {total >> 20} MiB: `--large` runs them all the same"
        )
    for letter, model in (("A", a), ("B", b)):
        if (nodes := graphs.expanded(model.proto)) > EXPANDED:
            stands = f"stand for {nodes:.0e} nodes" if nodes < math.inf else "never end"
            return _nothing(
                f"Nothing was run, because the functions of {letter} call one another so often that they {stands}, which no session loads"
            )
    with tempfile.TemporaryDirectory(prefix="formatlab-diff-") as folder:
        request = {
            "a": _path(a, folder),
            "b": _path(b, folder),
            "runs": asked_for.runs,
            "seed": asked_for.seed,
            "sizes": dict(asked_for.sizes),
            "ranges": {name: list(ends) for name, ends in asked_for.ranges.items()},
            "feeds": str(asked_for.feeds.absolute()) if asked_for.feeds else None,
            "expected": str(asked_for.expected.absolute()) if asked_for.expected else None,
            **paired_names(graph),
        }
        asked = Path(folder) / "request.json"
        asked.write_text(json.dumps(request))
        return _answered(asked, graph)


def _path(model: Model, folder: str) -> str:
    if model.path is not None:
        return str(model.path.resolve())
    path = Path(folder) / f"{model.label}.onnx"
    path.write_bytes(model.proto.SerializeToString())
    return str(path)


def paired_names(graph: ScopeDiff) -> dict[str, Any]:
    """Return the pairs of names (A's, B's) of the main graph: its `inputs`, its `outputs`, and `inner`
    values in A's order, at most `INNER` of them.
    """
    pairs = graph.pairs
    inner = []
    for one in pairs.a.order:
        if one in pairs.forth:
            names = zip(
                pairs.a.nodes[one].outputs, pairs.b.nodes[pairs.forth[one]].outputs, strict=False
            )
            inner += [(mine, theirs) for mine, theirs in names if mine and theirs]
    outputs = [
        (pairs.a.output_names[one], pairs.b.output_names[other])
        for one, other in pairs.outputs.items()
    ]
    known = set(outputs)
    inputs = [(pairs.a.inputs[one], pairs.b.inputs[other]) for one, other in pairs.inputs.items()]
    twice = {*pairs.a.twice, *pairs.b.twice}
    return {
        "inputs": inputs,
        "outputs": outputs,
        "inner": [
            each
            for each in inner
            if each not in known
            and not twice.intersection(each)
            and each[0] not in pairs.a.output_names
            and each[1] not in pairs.b.output_names
        ][:INNER],
    }


def _answered(asked: Path, graph: ScopeDiff) -> Found:
    found = _apart(asked)
    if isinstance(found, str):
        return _nothing(found)
    if "refused" in found:
        raise CannotDiff(found["refused"])
    false = (found["false"]["a"], found["false"]["b"])
    return Found(agreement=_worded(found.get("agreement"), graph), false=false)


def _apart(asked: Path) -> dict[str, Any] | str:
    """What a process of its own answers, or why it does not."""
    command = [sys.executable, "-m", "formatlab.diff.running", str(asked)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=SECONDS,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"The runs were stopped after {SECONDS} seconds"
    if done.returncode and (b"MemoryError" in done.stderr or b"bad_alloc" in done.stderr):
        return f"Nothing was compared, because {FILLED}"
    if done.returncode == -signal.SIGXCPU:
        return (
            f"Nothing was compared, because the runs took more than {CPU_SECONDS} seconds of the processor: "
            "give fewer inputs with --inputs, or smaller ones with --dim"
        )
    if done.returncode:
        return f"The models could not be run: {_end(done.returncode, done.stderr)}"
    return json.loads(done.stdout)


def _end(status: int, said: bytes) -> str:
    """Why the process ended, in a few words."""
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
        return f"the process that ran them ended with {name}"
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return plain(lines[-1] if lines else f"exit status {status}", 200)


def _nothing(text: str) -> Found:
    return Found(agreement=Agreement(verdict="not run", text=f"{text}."), false=({}, {}))


def _worded(found: dict[str, Any] | None, graph: ScopeDiff) -> Agreement | None:
    if found is None:
        return None
    if found["verdict"] == "not run":
        why = plain(found["why"], 900)
        return Agreement(verdict="not run", text=f"No outputs were compared, because {why}.")
    wrong = (found.get("where") or {}).get("wrong") or []
    infinite = (found.get("where") or {}).get("infinite")
    first = wrong[0] if wrong else infinite
    return Agreement(
        verdict=found["verdict"],
        text=" ".join(filter(None, (_text(found, graph), *_after(found)))),
        runs=found["runs"],
        first=(first["a"], first["b"]) if first else None,
        sqnr_db=found.get("sqnr_db"),
        yardstick=found.get("yardstick", ""),
        expected={side: each["verdict"] for side, each in (found.get("expected") or {}).items()},
    )


def _text(found: dict[str, Any], graph: ScopeDiff) -> str:
    runs = found["runs"]
    how = "given" if found.get("given") else "drawn"
    drawn = f"On {runs} {how} inputs" if runs > 1 else f"On one {how} input"
    distance = _distance(found) + _place(found.get("where") or {}, graph)
    if found["verdict"] == "equal":
        return f"{drawn} both give the same numbers, bit for bit."
    if found["verdict"] == "same":
        reason = found["text"].removeprefix("same: ")
        if found.get("open"):  # not all was compared
            return f"{drawn} the outputs agree: {reason}."
        return f"{drawn} both compute the same function: {reason}."
    if found["verdict"] == "undecided":
        reason = found["text"].removeprefix("undecided: ")
        return f"{drawn} nothing was decided: {plain(reason, 300)}.{distance}"
    reason = found["text"].removeprefix("other: ")
    return f"{drawn} the outputs differ: {plain(reason, 300)}.{distance}"


def _after(found: dict[str, Any]) -> list[str]:
    """What was tried, what was not, and how both stand to what was expected, in sentences."""
    sentences = [f"{capital(plain(each, 400).rstrip('.'))}." for each in found.get("notes", [])]
    if found.get("tried") and found["verdict"] in ("same", "equal", "undecided"):
        sentences.append(f"In these runs {plain(found['tried'], 400)}.")
    expected = found.get("expected") or {}
    for side, verdict in expected.items():
        decibels = verdict.get("sqnr_db")
        level = f", with an SQNR of {decibels:.0f} dB" if decibels is not None else ""
        text = plain(verdict["text"].removeprefix("same: ").removeprefix("other: "), 300)
        says = {"same": "gives what was expected", "equal": "gives what was expected, bit for bit"}
        word = says.get(verdict["verdict"], "does not give what was expected")
        if verdict["verdict"] == "undecided":
            word, text = (
                "cannot be held against what was expected",
                text.removeprefix("undecided: "),
            )
        sentences.append(f"{side} {word}: {text}{level}.")
    return sentences


def _distance(found: dict[str, Any]) -> str:
    """The SQNR, in float16 arithmetic and natively where that is another number."""
    decibels = found.get("sqnr_db")
    native = found.get("native_db")
    if native is None and decibels is None:
        return ""
    if native is None or (decibels is not None and abs(native - decibels) <= HIDDEN_DB):
        return f" The SQNR of the worst output is {decibels:.0f} dB."
    true = "an output is NaN or infinite" if decibels is None else f"it is {decibels:.0f} dB"
    return (
        f" The SQNR of the worst output is {native:.0f} dB on this CPU, which computes most float16 nodes in float32; "
        f"in float16 arithmetic, as the file says and other hardware computes, {true}."
    )


def _place(where: dict[str, Any], graph: ScopeDiff) -> str:
    """Where B adds error: on A's values, so that nothing is inherited."""
    text = ""
    if infinite := where.get("infinite"):
        text += f" {_value(infinite, graph)}, is infinite or NaN in B alone: its largest number in A is {infinite['largest']:.3g}"
        text += ", and float16 holds 65504 at most." if infinite["dtype"] == "float16" else "."
    if where.get("problem"):
        return f"{text} Where B adds error was not found out: {where['problem']}."
    wrong = where.get("wrong", [])
    if not wrong:
        return text + _no_place(where, graph)
    first = wrong[0]
    if infinite and first["b"] == infinite["b"]:
        return text
    text += f" B adds error at {_value(first, graph)}"
    if first["nodes"] > 1:
        text += f" (the last of {first['nodes']} nodes, one of which does it)"
    text += f": on A's values {_added(first)}."
    if len(wrong) > 1:
        more = len(wrong) - 1
        text += f" {more} more place{'s' if more > 1 else ''} behind it add{'' if more > 1 else 's'} error too."
    return text


def _added(place: dict[str, Any]) -> str:
    if place["kind"] == "float" and place["units"] is not None:
        return f"it is {place['units']:.3g} times float32's own error there"
    level = "not finite" if place["sqnr_db"] is None else f"at {place['sqnr_db']:.0f} dB"
    if place["kind"] == "float" or place["like_db"] is None:
        return f"it is {level}"
    return f"it is {level}, where parts like it are at {place['like_db']:.0f} dB"


def _no_place(where: dict[str, Any], graph: ScopeDiff) -> str:
    if not where.get("levels") or where.get("infinite"):
        return ""
    low, high = where["levels"]
    if set(where["kinds"]) == {"float"}:
        return " On A's values no part of B adds more than rounding, so no place is named."
    span = f"{low:.0f}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}"
    text = (
        f" No place stands out: on A's values the parts of B are at {span} dB each, as rounding to fewer "
        "bits costs everywhere."
    )
    if largest := where.get("largest"):
        text += f" Nothing overflows: the largest number is {largest['largest']:.3g}, in {_value(largest, graph)}, and float16 holds 65504."
    return text


def _value(first: dict[str, Any], graph: ScopeDiff) -> str:
    from formatlab.diff import naming

    scope = graph.pairs.b
    giver = next((node for node in scope.nodes if first["b"] in node.outputs), None)
    name = quoted(first["b"])
    if giver is None or not giver.name:
        return f"{name}{f', which {plain(giver.operator)} gives' if giver else ''}"
    return f"{name}, which {naming.called(giver)} gives"
