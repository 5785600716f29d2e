"""Ask the search, in a process that can be lost, for a limited time."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

from formatlab.diff import CannotDiff
from formatlab.diff.reading import Source, read
from formatlab.diff.words import plain
from formatlab.measure.isolated import MEANINGS
from formatlab.why.answer import DIFFERENT, UNDECIDED, Answer, Cause, Where

SECONDS = 60.0
# After its time is over, the search may end what it has begun.
GRACE = 8.0
Feeds = str | os.PathLike[str] | Mapping[str, np.ndarray] | Sequence[Mapping[str, np.ndarray]]


def why(
    a: Source,
    b: Source | None = None,
    *,
    feeds: Feeds | None = None,
    expected: Feeds | None = None,
    seed: int = 1,
    inputs: int = 3,
    sizes: Mapping[str, int] | None = None,
    ranges: Mapping[str, tuple[int, int]] | None = None,
    seconds: float = SECONDS,
    reproducer: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Answer:
    """Return why `b` gives other numbers than `a`, or whether that is rounding: paths of ONNX files,
    their bytes or ModelProtos. Without `b`: whether `a` gives, in every session, what it says.

    `feeds` are the inputs that your program fed, as a mapping from names to arrays, several of them,
    or an .npz, a .safetensors or a folder of .pb files; `expected` the outputs that it got, by the
    names of the outputs. Without `feeds` inputs are drawn. `reproducer` is a folder to which the
    smallest part that shows it is written. The search ends after `seconds` with what it has found by
    then. `progress` gets a line for everything that is begun.

    Raises CannotDiff where a model or the inputs cannot be read, or the first does not run.
    """
    _require_readable(a, b)
    with tempfile.TemporaryDirectory(prefix="formatlab-why-") as folder:
        request = {
            "a": _path(a, folder, "A"),
            "b": None if b is None else _path(b, folder, "B"),
            "feeds": _file(feeds, folder, "feeds"),
            "expected": _file(expected, folder, "expected"),
            "seed": seed,
            "runs": inputs,
            "sizes": dict(sizes or {}),
            "ranges": {name: list(pair) for name, pair in (ranges or {}).items()},
            "seconds": seconds,
            "reproducer": str(Path(reproducer).resolve()) if reproducer else None,
            "careful": False,
        }
        asked = Path(folder) / "request.json"
        asked.write_text(json.dumps(request))
        say = progress or (lambda _: None)
        began = time.monotonic()
        try:
            return _asked(asked, seconds, say)
        except _Lost as lost:
            left = seconds - (time.monotonic() - began)
            if b is None or left < 1:
                return lost.answer
            asked.write_text(json.dumps({**request, "careful": True, "seconds": left}))
            try:
                answer = _asked(asked, left, say)
            except _Lost as again:
                return again.answer
            except CannotDiff:
                return lost.answer
            answer.notes.append(lost.answer.headline)
            return answer


class _Lost(Exception):
    """The process ended by itself."""

    def __init__(self, answer: Answer):
        super().__init__(answer.headline)
        self.answer = answer


def _require_readable(a: Source, b: Source | None) -> None:
    """What is no model is refused here, before a process is started for it."""
    for letter, source in (("A", a), ("B", b)):
        if source is not None:
            read(source, letter)


def _path(source: Source, folder: str, letter: str) -> str:
    if isinstance(source, (str, os.PathLike)):
        return str(Path(source).resolve())
    path = Path(folder) / f"{letter}.onnx"
    data = source.SerializeToString() if isinstance(source, ModelProto) else source
    path.write_bytes(data)
    return str(path)


def _file(given: Feeds | None, folder: str, name: str) -> Any:
    if given is None:
        return None
    if isinstance(given, (str, os.PathLike)):
        if not Path(given).exists():
            raise CannotDiff(
                f"{given} is not there: give an .npz, a .safetensors or a folder of .pb files"
            )
        return str(Path(given).resolve())
    runs = [given] if isinstance(given, Mapping) else list(given)
    paths = []
    for number, arrays in enumerate(runs):
        path = Path(folder) / f"{name}-{number}.npz"
        np.savez(path, **{key: np.asarray(value) for key, value in arrays.items()})  # type: ignore[arg-type]
        paths.append(str(path))
    return {"runs": paths}


def _asked(asked: Path, seconds: float, progress: Callable[[str], None]) -> Answer:
    process = subprocess.Popen(
        [sys.executable, "-m", "formatlab.why.child", str(asked)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    events: queue.Queue[dict[str, Any] | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process, events), daemon=True)
    reader.start()
    ends = time.monotonic() + seconds + GRACE
    doing = "it began"
    answer = Answer(headline="nothing was found in the time that was given")
    try:
        while True:
            try:
                event = events.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                answer.notes.append(
                    f"The search was ended after {seconds:.0f} seconds ({doing}), and this is what it had found"
                )
                if not answer.headline:
                    answer.headline = "the time was over before anything was decided"
                return answer
            if event is None:
                raise _Lost(_lost(process, answer, doing))
            if "refused" in event:
                raise CannotDiff(plain(event["refused"], 400))
            if "stopped" in event:
                return _stopped(answer, doing, plain(event["stopped"], 300))
            if "done" in event:
                return _complete(Answer.of_json(event["done"]), seconds)
            doing = plain(event["doing"], 120)
            answer = Answer.of_json(event["answer"])
            progress(doing)
    finally:
        process.kill()
        process.wait()
        reader.join()


def _read(process: subprocess.Popen[bytes], events: queue.Queue[dict[str, Any] | None]) -> None:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            events.put(json.loads(line))
    events.put(None)


def _complete(answer: Answer, seconds: float) -> Answer:
    if not answer.complete:
        answer.notes.append(
            f"The time of {seconds:.0f} seconds was over before everything was tried: --seconds gives more"
        )
    return answer


def _stopped(answer: Answer, doing: str, why: str) -> Answer:
    if doing == "it began" or (answer.verdict == UNDECIDED and not answer.causes):
        raise CannotDiff(f"the search stopped ({doing}): {why}")
    answer.notes.append(f"The search stopped ({doing}): {why}")
    return answer


def _lost(process: subprocess.Popen[bytes], answer: Answer, doing: str) -> Answer:
    """The process ended by itself: a native fault, or the system ended it. That is a finding."""
    status = process.wait()
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    meaning = MEANINGS.get(name, "")
    how = f"{name}{f' ({meaning})' if meaning else ''}"
    name_of = doing.partition("? ")[2] if doing.startswith(("where?", "what?")) else ""
    answer.verdict = DIFFERENT if name_of else UNDECIDED
    if name_of and not answer.causes:
        where = Where(node=name_of, operator="The part that gives", output=name_of, b_value=name_of)
        text = "The process that ran this part of B on A's values was ended by a native fault"
        answer.causes = [Cause(kind="", proved=False, sentence=text, where=where)]
    answer.headline = f"ONNX Runtime ended with {how} while this was tried: {doing}"
    answer.notes.append(
        "A fault in native code is one of ONNX Runtime: report it with the part of the model that was running"
    )
    return answer
