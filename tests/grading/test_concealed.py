"""Hidden inputs do not leave through a notebook's cells: what is recorded is the same, whatever the
hidden bytes were.
"""

import json
import textwrap

import pytest

from nbjudge import exercises, wire
from nbjudge.contract import Case
from nbjudge.grading.execution.progress import CellRun, NotebookRun, Progress, Servers
from nbjudge.grading.execution.runner import run_notebook

# Keeps the first 180 bytes of what it is called on, and returns the same for everything.
SPY = """
from nbjudge import check
SEEN = b""
def describe(model, directory=None):
    global SEEN
    SEEN = model.producer_name.encode()[:180]
    return {}
"""
# Every cell after the check tells bytes of it in another way.
CHANNELS = {
    "execution counts": "get_ipython().execution_count = 1000 + int.from_bytes(SEEN[:3])",
    "the same, once more": "get_ipython().execution_count = 1000 + int.from_bytes(SEEN[3:6])",
    "stdout": "print(SEEN.hex())",
    "stderr": "import sys; print(SEEN.hex(), file=sys.stderr)",
    "a result": "SEEN.hex()",
    "display ids": "from IPython.display import display; display('x', display_id=SEEN.hex())",
    "metadata": "from IPython.display import display; display('x', metadata={'text/plain': {'a': SEEN.hex()}})",
    "an error's name": "raise type('E' + SEEN.hex(), (Exception,), {})(SEEN.hex())",
    "whether there is an error": "assert SEEN[0] % 2",
    "whether there is output": "print('x') if SEEN[1] % 2 else None",
    "how much output": "print('x' * (SEEN[2] << 14))",
    "order of streams": "import sys; [print('x', file=(sys.stdout, sys.stderr)[byte % 2], flush=True) for byte in SEEN[:16]]",
    "file names": "open(SEEN.hex()[:100], 'w').write(SEEN.hex())",
    "earlier output": "from IPython.display import display; display('x', display_id='early', update=True)",
    "a dead kernel": "import os; os._exit(0)",
    "after a dead kernel": "1 / 0 if SEEN else 2",
}


def spied(secret: bytes) -> NotebookRun:
    def code(source, metadata=None):
        return {"cell_type": "code", "source": textwrap.dedent(source), "metadata": metadata or {}}

    exercise = exercises.get("inspect")
    case = exercise.cases(1)[0]
    model_file = next(iter(case.files))
    import onnx

    model = onnx.ModelProto.FromString(case.files[model_file])
    model.producer_name = secret.hex()[:180]
    hidden = Case("hidden", {**case.files, model_file: model.SerializeToString()}, case.parameters)
    check = code(
        'check("inspect", describe)',
        {"nbgrader": {"grade_id": exercise.grade_id, "grade": True, "solution": False}},
    )
    early = "from IPython.display import display; display('early', display_id='early')"
    cells = [code(SPY), code(early), check, *map(code, CHANNELS.values())]
    return run_notebook({"cells": cells}, {"inspect": [hidden]})


def test_what_is_kept_of_cells_does_not_depend_on_hidden_inputs():
    runs = [spied(bytes([(seed + step * 7) % 256 for step in range(90)])) for seed in (1, 128)]
    kept = [json.dumps({index: vars(cell) for index, cell in run.cells.items()}) for run in runs]
    assert kept[0] == kept[1]
    assert {run.answers["inspect"]["hidden"].outcome for run in runs} == {"returned"}, (
        "the spy was not called"
    )
    assert runs[0].files == runs[1].files == {}
    after = [runs[0].cells[index] for index in range(2, len(CHANNELS) + 3)]
    died = list(CHANNELS).index("a dead kernel") + 1
    assert [cell.status for cell in after] == [
        "not_run" if index == died else "ok" for index in range(len(after))
    ]
    assert all("hidden inputs" in cell.outputs[0]["text"] for cell in after)
    assert all(cell.execution_count is None for cell in after)


@pytest.mark.parametrize("first", ["started", "calling"])
def test_frames_that_a_box_forges_tell_no_more(first):
    """A box that student code took over may send what it likes."""

    class Frame:
        def __init__(self, kind, **header):
            self.kind, self.header, self.blobs = kind, header, {}

    run = NotebookRun(answers={"inspect": {}})
    cells = [
        {"index": index, "source": "", "exercise": "inspect" if index == 1 else None}
        for index in range(3)
    ]
    progress = Progress(run, cells, {"inspect": [Case("hidden", {}, {})]}, Servers({}), [])
    stream = [{"output_type": "stream", "name": "stdout", "text": "secret"}]
    progress.take(Frame("cell", index=0, status="ok", outputs=[], execution_count=1))
    progress.take(
        Frame("started", index=1)
        if first == "started"
        else Frame("calling", exercise="inspect", case="hidden")
    )
    for index in (0, 1, 2):
        progress.take(
            Frame("cell", index=index, status="error", outputs=stream, execution_count=12345)
        )
    assert run.cells[0] == CellRun("ok", [], 1)
    assert (
        run.cells[1] == run.cells[2]
        and run.cells[1].status == "ok"
        and "secret" not in str(run.cells)
    )


@pytest.mark.parametrize("odd", [[], {}, [["inspect"]], None, 1.5, "x", 10**30, True])
def test_frames_of_other_types_are_no_frames(odd):
    run = NotebookRun(answers={"inspect": {}})
    cells = [{"index": 0, "source": "", "exercise": "inspect"}]
    progress = Progress(run, cells, {"inspect": [Case("hidden", {}, {})]}, Servers({}), [])
    outputs = [{"output_type": "error", "traceback": odd}, {"output_type": odd, "data": odd}, odd]
    right = {"index": 0, "status": "ok", "outputs": outputs, "exercise": "inspect"}
    right |= {"case": "hidden", "outcome": "returned", "error": {}}
    for kind in ("started", "calling", "answer", "cell", "file", "killed", "no_kernel"):
        for key in right:
            progress.take(wire.Frame({"kind": kind, **right, key: odd}))
            progress.take(wire.Frame({"kind": kind, key: odd}))
    assert set(run.cells) <= {0} and set(run.answers["inspect"]) <= {"hidden"}
