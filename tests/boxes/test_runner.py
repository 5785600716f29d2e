"""What becomes of a notebook's cells: order, deadlines, dead kernels, outputs, files."""

import base64
import contextlib
import os
import signal
import struct
import textwrap
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from nbjudge import exercises
from nbjudge.boxes.inside.outputs import NO_PNG, Outputs
from tests.boxes.box_tools import public_cases, run_cells

pytestmark = pytest.mark.xdist_group("boxes-runner")
SOLUTION = "def describe(model, directory=None):\n    return {'ir_version': model.ir_version}"
CHECK = 'check("inspect", describe)'
IMPORT = "from nbjudge import check"
KILLERS = {
    "exit": "import os; os._exit(0)",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "abort": "import os; os.abort()",
    "stopped, then killed by itself": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
}


@pytest.mark.parametrize("source", KILLERS.values(), ids=KILLERS.keys())
def test_a_dead_kernel_costs_one_cell(source):
    ran = run_cells("a = 41", source, "a + 1", "1 / 0")
    assert [ran.status(index) for index in range(4)] == ["ok", "died", "ok", "error"]
    assert ran.error(1) == "DeadKernelError"
    assert not ran.cells[1]["truncated"]
    assert ran.text(2) == "42"


@pytest.mark.parametrize("source", ["exit()", "quit()", "exit", "import sys; sys.exit()"])
def test_a_cell_that_leaves_ends_and_takes_no_other_with_it(source):
    ran = run_cells("a = 41", f"{source}", "a + 1")
    assert [ran.status(index) for index in range(3)] == ["ok", "error", "ok"]
    assert (ran.error(1), ran.text(2)) == ("SystemExit", "42")


def test_a_kernel_that_starts_is_not_flooded_with_questions():
    source = """
        import os
        kernel = get_ipython().kernel
        ticks = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
        age = float(open("/proc/uptime").read().split()[0]) - ticks / os.sysconf("SC_CLK_TCK")
        print(len(kernel.session.digest_history), age)
    """
    for _ in range(5):
        messages, age = run_cells(textwrap.dedent(source)).text(0).split()
        # the cell itself, the first question, and one more for each second
        assert int(messages) <= 3 + float(age)


@pytest.mark.slow
def test_a_kernel_that_never_answers_is_replaced():
    with ThreadPoolExecutor(1) as pool:
        ran = pool.submit(run_cells, "print('here')")
        os.kill(_starting_kernel(), signal.SIGSTOP)
        assert ran.result().text(0) == "here\n"


def _starting_kernel() -> int:
    """The first kernel of the one box that this process has started. The template and then the
    kernel lead sessions of their own; their parent is the box's process 1, bwrap's only child.
    """
    while True:
        children = [os.getpid()]
        for _ in range(3):
            children = [child for pid in children for child in _children(pid)]
        with contextlib.suppress(ProcessLookupError):
            leaders = [pid for pid in children if os.getsid(pid) == pid]
            if len(leaders) == 2:
                return leaders[1]


def _children(pid: int) -> list[int]:
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += map(int, file.read().split())
    return found


def test_kill_minus_one_is_refused():
    ran = run_cells("a = 41", "import os; os.system('sleep 1000 &'); os.kill(-1, 9)", "a + 1")
    assert (ran.ended, ran.error(1), ran.text(2)) == ("finished", "PermissionError", "42")


def test_a_loop_that_ignores_interrupts_is_killed_and_the_rest_runs():
    stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    ran = run_cells("a = 41", stubborn, "a + 1", cell_seconds=2)
    assert [ran.status(index) for index in range(3)] == ["ok", "timeout", "ok"]
    assert ran.error(1) == "CellTimeoutError"
    assert ran.text(2) == "42"


def test_a_loop_that_heeds_interrupts_keeps_its_kernel():
    ran = run_cells("a = [0]", "while True: a[0] = 41", "a[0] + 1", cell_seconds=2)
    assert [ran.status(index) for index in range(3)] == ["ok", "timeout", "ok"]
    assert ran.text(2) == "42"


def test_what_the_notebook_has_no_time_for_is_not_run():
    ran = run_cells("1", "while True: pass", "2", "3", notebook_seconds=3, cell_seconds=60)
    assert ran.ended == "finished", ran.detail
    assert [ran.status(index) for index in range(4)] == ["ok", "timeout", "not_run", "not_run"]


def test_a_kernel_that_dies_too_often_is_not_replaced_again():
    ran = run_cells(*["import os; os._exit(0)"] * 14, "1")
    statuses = [ran.status(index) for index in range(15)]
    assert statuses == ["died"] * 13 + ["not_run"] * 2


def test_cells_to_skip_are_not_run():
    ran = run_cells("a = 1", "a = 2", "print(a)", skip=[1])
    assert (ran.status(1), ran.text(2)) == ("not_run", "1\n")


@pytest.mark.parametrize("source", ["a = 1\0", "'\ud800'", "(" * 100_000, "input()", "def f(:"])
def test_a_cell_that_cannot_run_fails_alone(source):
    ran = run_cells(source, "'after'")
    assert ran.status(0) == "error"
    assert ran.error(0) in ("SyntaxError", "StdinNotImplementedError")
    assert ran.text(1) == "'after'"


def test_an_error_whose_traceback_is_hidden_is_an_error():
    ran = run_cells("get_ipython().showtraceback = lambda *a, **k: None", "1 / 0")
    assert (ran.status(1), ran.error(1)) == ("error", "ZeroDivisionError")


def test_a_forged_message_too_deep_to_parse_changes_nothing():
    forge = """
        kernel = get_ipython().kernel
        session = kernel.session
        parts = session.serialize(session.msg("stream", {}, parent=kernel.get_parent()))[2:5] + [b"[" * 100_000 + b"]" * 100_000]
        kernel.iopub_socket.send_multipart([b"stream", b"<IDS|MSG>", session.sign(parts), *parts])
    """
    ran = run_cells(textwrap.dedent(forge), "'after'")
    assert (ran.status(0), ran.text(1)) == ("ok", "'after'")


@pytest.mark.parametrize("parent", ["{'msg_id': []}", "{'msg_id': {}}", "{'msg_id': None}", "{}"])
def test_a_forged_message_that_belongs_to_nothing_changes_nothing(parent):
    forge = f"""
        kernel = get_ipython().kernel
        message = kernel.session.msg("stream") | {{"parent_header": {parent}}}
        parts = kernel.session.serialize(message)
        kernel.iopub_socket.send_multipart(parts)
        kernel.shell_stream.socket.send_multipart([kernel._parent_ident["shell"][0], *parts])
    """
    ran = run_cells(textwrap.dedent(forge), "'after'")
    assert ran.ended == "finished", ran.detail
    assert ran.text(1) == "'after'"


def test_output_that_comes_after_its_cell_is_dropped():
    late = """
        import threading
        parent, kernel = get_ipython().kernel.get_parent(), get_ipython().kernel
        send = lambda: kernel.session.send(kernel.iopub_socket, "stream", {"name": "stdout", "text": "late"}, parent=parent)
    """
    ran = run_cells(textwrap.dedent(late), "send(); None", "'after'")
    assert [ran.text(index) for index in range(3)] == ["", "", "'after'"]


# The reply does not wait for the thread that sends outputs, as it does for ten seconds at most.
SENDING_LATE = """\
import os, sys, time
sys.stdout.flush_timeout = sys.stderr.flush_timeout = 0
late = get_ipython().kernel.iopub_thread.schedule"""


def test_outputs_that_come_long_after_the_reply_are_waited_for():
    """On a busy machine the thread that sends them may not get its turn for seconds."""
    ran = run_cells(f"{SENDING_LATE}\nlate(lambda: time.sleep(3))\n'late'", "'after'")
    assert ran.text(0) == "'late'" and not ran.cells[0]["truncated"]
    assert "'after'" in ran.text(1)


def test_a_kernel_that_shows_nothing_any_more_does_not_stop_the_notebook():
    mute = "get_ipython().kernel.iopub_thread.send_multipart = lambda *message, **options: None"
    ran = run_cells(mute, "'unheard'", "1 / 0")
    assert [ran.status(index) for index in range(3)] == ["ok", "ok", "error"]
    assert ran.cells[1]["truncated"] and "'unheard'" not in ran.text(1)


def test_a_kernel_that_is_killed_before_its_last_output_came_is_tried_again():
    """Whoever killed it, the machine perhaps: what was lost is no mark before it was lost twice."""
    killed = f"{SENDING_LATE}\nlate(lambda: (time.sleep(1), os.kill(os.getpid(), 9)))"
    ran = run_cells(killed, "'after'", endures=[])
    assert [frame.kind for frame in ran.frames if frame.kind in ("cell", "killed")] == ["killed"]
    again = run_cells(killed, "'after'", endures=[[0]])
    assert again.status(0) == "ok" and again.cells[0]["incomplete"]


OVER_THE_LIMIT = {
    "text": "print('x' * 2000)",
    "displays": "from IPython.display import display\nfor _ in range(1001): display(1)",
}


@pytest.mark.parametrize("source", OVER_THE_LIMIT.values(), ids=OVER_THE_LIMIT.keys())
@pytest.mark.parametrize("last", ["1.5", "1 / 0"])
def test_what_a_mark_is_read_from_is_kept_behind_the_limit(source, last):
    outputs = run_cells(f"{source}\n{last}", output_bytes=1500).cells[0]["outputs"]
    kinds = [output["output_type"] for output in outputs if output["output_type"] != "display_data"]
    assert kinds == ["stream", "error" if "/" in last else "execute_result"]
    assert "1.5" in str(outputs[-1]) or "ZeroDivisionError" in str(outputs[-1])


def test_only_text_and_real_pictures_are_kept():
    picture = base64.b64encode(png(9, 9)).decode()
    source = f"""
        from IPython.display import display
        display({{"text/html": "<script>", "application/javascript": "x", "image/png": '"><script>'}}, raw=True)
        display({{"text/html": "<script>", "text/plain": "plain", "image/png": "{picture}"}}, raw=True)
    """
    note, *outputs = run_cells(textwrap.dedent(source)).cells[0]["outputs"]
    assert note["data"] == {"text/plain": NO_PNG.format(kind="image/png")}
    assert outputs == [
        {
            "output_type": "display_data",
            "data": {"text/plain": "plain", "image/png": picture},
            "metadata": {},
        }
    ]


def png(width, height, *more):
    """A white picture with more parts between its head and its pixels."""
    parts = [(b"IHDR", struct.pack(">2I5B", width, height, 1, 0, 0, 0, 0)), *more]
    parts.append((b"IDAT", zlib.compress(b"\0" * 18)))
    sealed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*parts, (b"IEND", b"")]
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(sealed)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (png(6000, 5000), png(6000, 5000)),
        (png(9, 9, (b"acTL", bytes(8)), (b"zTXt", b"x" * 99)), png(9, 9)),
        (png(1 << 14, 1 << 14), None),
        (png((1 << 32) - 1, (1 << 32) - 1), None),
        (png(9, 9)[:30], None),
        (png(9, 9)[8:], None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 0, b"IHDR") + bytes(99), None),
    ],
    ids=["whole", "animated", "large", "largest", "cut", "no start", "empty", "no size"],
)
def test_a_picture_is_a_still_one_that_a_browser_can_draw(given, kept):
    """One of 33 kB with 16,384 by 16,384 pixels takes a browser some hundred megabytes."""
    taken = Outputs(1 << 20)
    taken.add("display_data", {"data": {"image/png": base64.b64encode(given).decode()}})
    (output,) = taken.list
    if kept:
        assert base64.b64decode(output["data"]["image/png"]) == kept
    else:
        assert output["data"] == {"text/plain": NO_PNG.format(kind="image/png")}


def test_a_picture_of_another_type_says_why_it_is_not_shown():
    taken = Outputs(1 << 20)
    taken.add("display_data", {"data": {"image/svg+xml": "<svg/>", "text/plain": "<Figure>"}})
    note = NO_PNG.format(kind="image/svg+xml")
    assert taken.list[0]["data"] == {"text/plain": f"<Figure>\n{note}"}


def test_the_notebook_is_told_that_it_is_graded_only_in_plain_mode():
    source = "import os; print(os.environ.get('NBGRADER_EXECUTION'))"
    assert run_cells(source).text(0) == "autograde\n"
    assert run_cells(source, mode="exercises").text(0) == "None\n"


def test_files_go_in_and_new_regular_files_come_out():
    source = """
        import os, helper
        open("data/new.txt", "w").write(open("data/old.txt").read() + helper.NAME)
        for name in ("p1.ipynb", "timestamp.txt"):
            open(name, "w").write("planted")
        os.symlink("/etc/ld.so.cache", "link")
        os.mkfifo("fifo")
        os.remove("helper.py")
    """
    ran = run_cells(
        textwrap.dedent(source), files={"data/old.txt": b"old ", "helper.py": b"NAME = 'helper'"}
    )
    assert ran.status(0) == "ok", ran.text(0)
    assert ran.files == {"data/new.txt": b"old helper"}


def test_a_replaced_kernel_finds_the_files_as_they_were():
    ran = run_cells(
        "open('a.txt', 'w').write('changed')\nimport os; os._exit(0)",
        "print(open('a.txt').read())",
        files={"a.txt": b"given"},
    )
    assert ran.text(1) == "given\n"


def test_no_output_is_kept_once_hidden_inputs_have_entered():
    leak = "def describe(model, directory=None):\n    print('leak', model)\n    global seen\n    seen = model\n    return {}"
    ran = run_cells(
        IMPORT, leak, "print('before')", CHECK, "print('leak', seen)", cases=public_cases()
    )
    assert ran.text(2) == "before\n"
    assert "leak" not in str(ran.cells[3]) + str(ran.cells[4])
    assert "hidden inputs" in ran.text(4)


def test_hidden_inputs_are_not_there_before_their_test_cell():
    look = "import os; print([name for name in os.listdir('/spool/cases')])"
    ran = run_cells(look, IMPORT, SOLUTION, CHECK, cases=public_cases())
    assert ran.text(0) == "[]\n"
    assert len(ran.answers) == len(public_cases())


def test_every_case_is_called_and_answered_in_order():
    ran = run_cells(IMPORT, SOLUTION, CHECK, cases=public_cases())
    names = [case.name for case in public_cases()]
    told = [
        (frame.kind, frame.header["case"])
        for frame in ran.frames
        if frame.kind in ("calling", "answer")
    ]
    assert told == [(kind, name) for name in names for kind in ("calling", "answer")]
    assert {ran.outcome(name) for name in names} == {"returned"}


MISBEHAVIOUR = {
    "import os; os._exit(0)": "killed",
    "import ctypes; ctypes.string_at(0)": "killed",
    "while True: pass": "timeout",
    "import signal\n        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGINT])\n        while True: pass": "timeout",
    "raise ValueError('no')": "raised",
    "raise SystemExit": "raised",
    "raise KeyboardInterrupt": "raised",
    "raise type('Odd', (BaseException,), {'__str__': lambda self: 1 / 0})": "raised",
    "raise NotImplementedError": "missing",
    "return 5": "wrong_type",
    "from nbjudge.contract import WrongType; raise WrongType(1, None)": "wrong_type",
    "return bytearray(10**13)": "raised",
}


@pytest.mark.parametrize(
    ("body", "outcome"), MISBEHAVIOUR.items(), ids=[body.splitlines()[0] for body in MISBEHAVIOUR]
)
def test_a_case_that_goes_wrong_costs_itself_alone(body, outcome):
    """The function misbehaves on its second case only; a kernel that is replaced starts counting
    again, with the third.
    """
    cases = public_cases()
    second = cases[1].files["model.onnx"]
    source = f"""
def describe(model, directory=None):
    if model.SerializeToString(deterministic=True) == SECOND:
        {body}
    return {{"ir_version": model.ir_version}}
"""
    define = f"import onnx\nSECOND = onnx.load_model_from_string({second!r}).SerializeToString(deterministic=True)"
    # Where nothing is to be late, a busy machine may take its time.
    seconds = 3 if outcome == "timeout" else 60
    ran = run_cells(IMPORT, define, source, CHECK, "1", cases=cases, case_seconds=seconds)
    assert [ran.outcome(case.name) for case in cases] == [
        "returned",
        outcome,
        *["returned"] * (len(cases) - 2),
    ]
    assert ran.status(4) == "ok"


@pytest.mark.parametrize(
    "source", ["pass", "describe = None", "describe = 5", "def describe(:", "raise ValueError"]
)
def test_a_function_that_is_not_there_gives_no_answer_but_missing(source):
    ran = run_cells(IMPORT, source, CHECK, cases=public_cases())
    assert ran.ended == "finished", ran.detail
    assert {frame.header["outcome"] for frame in ran.answers.values()} <= {"missing"}


@pytest.mark.parametrize(
    "forgery",
    [
        "os.mkdir(path)",
        "os.mkfifo(path)",
        "os.symlink('/proc/1/environ', path)",
        "open(path, 'wb').write(b'AGF1' + b'\\xff' * 100)",
        "open(path, 'wb').truncate(300 << 20)",
        "open(path, 'wb').write(wire.encode('answer', {'../../x': b''}, outcome='full marks'))",
        "open(path, 'wb').write(wire.encode('answer', outcome=['returned'], error=[]))",
    ],
)
def test_a_forged_answer_is_no_answer(forgery):
    source = f"""
        import glob, os, time
        from nbjudge import wire
        def describe(model, directory=None):
            calling = sorted(glob.glob("/spool/cases/*.calling"))[-1]
            path = calling.replace("calling", "answer")
            {forgery}
            while os.path.exists(calling):
                time.sleep(0.01)  # until it has been taken
            return {{}}
    """
    ran = run_cells(IMPORT, textwrap.dedent(source), CHECK, cases=public_cases()[:1])
    assert ran.ended == "finished", ran.detail
    assert ran.outcome(public_cases()[0].name) in ("killed", "too_large")


@pytest.mark.parametrize(
    ("body", "outcome"),
    [("while True: pass", "timeout"), ("import os; os._exit(0)", "killed")],
    ids=["endless", "exit"],
)
def test_a_function_that_never_answers_is_not_asked_for_ever(body, outcome):
    """Three cases are tried; the others are answered for, so that the notebook's time is left for
    other exercises.
    """
    cases = exercises.get("inspect").graded_cases(7)
    ran = run_cells(
        IMPORT,
        f"def describe(model, directory=None):\n    {body}",
        CHECK,
        "1",
        cases=cases,
        case_seconds=1,
    )
    assert {ran.outcome(case.name) for case in cases} == {outcome}
    called = [frame.header["case"] for frame in ran.frames if frame.kind == "calling"]
    texts = [ran.answers[case.name].header["error"]["text"] for case in cases]
    assert (
        sum(text.startswith("not called") for text in texts) == len(cases) - 3 and len(called) >= 3
    )
    assert ran.status(3) == "ok"


@pytest.mark.parametrize(
    "sabotage",
    [
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])",
        "get_ipython().ast_transformers.append(type('Blank', (), {'visit': lambda self, tree: type(tree)([], [])})())",
        "check = lambda *anything: None",
    ],
    ids=["input transformer", "ast transformer", "name"],
)
def test_blanking_the_test_cell_changes_no_answer(sabotage):
    cases = public_cases()
    define = "def describe(model, directory=None):\n    return {'opset': 1}"
    ran = run_cells(IMPORT, define, sabotage, CHECK, cases=cases)
    assert {ran.outcome(case.name) for case in cases} == {"returned"}


def test_no_hidden_case_is_in_reach_while_a_public_one_is_answered():
    """What a student's code says about a public case is shown; it must not be able to speak of the
    others.
    """
    first, second = public_cases()[:2]
    cases = [replace(first, name="secret", public=False), replace(second, name="open")]
    sees = (
        "import pathlib\n"
        "def describe(model, directory=None):\n"
        "    raise ValueError(' '.join(sorted(path.name for path in pathlib.Path('/spool/cases').glob('*.case'))))"
    )
    ran = run_cells("from nbjudge import check", sees, 'check("inspect", describe)', cases=cases)
    assert [ran.answers[name].header["error"]["text"] for name in ("open", "secret")] == [
        "0001.case",
        "0000.case",
    ]


@pytest.mark.parametrize("cases", [[], public_cases()], ids=["plain", "exercises"])
def test_what_a_forked_child_prints_is_heard(cases):
    """Through a pipe that needs no network, because a box with exercises has none."""
    source = """
import os
if child := os.fork():
    os.waitpid(child, 0)
else:
    print("from the child", flush=True)
    os._exit(0)
"""
    ran = run_cells(source, cases=cases)
    assert (ran.status(0), ran.text(0)) == ("ok", "from the child\n")
