"""The line from a kernel to the servers of its cases: what goes over it, and what student code can
do to it.
"""

import os
import socket
import struct
import textwrap
import threading
import time
from collections import Counter

import pytest

from nbjudge import exercises, wire
from nbjudge.boxes import mounts
from nbjudge.boxes.inside.cases import Cases
from nbjudge.boxes.inside.line import Line, Relay
from tests.boxes.box_tools import run_cells

pytestmark = pytest.mark.xdist_group("boxes-line")
IMPORT = "from nbjudge import check"
CHECK = 'check("benchmark", benchmark)'
# A function that the exercise `benchmark` calls, with what a test is about in its body.
FUNCTION = """
import json, os, socket, struct, threading
def benchmark(variants, clock, rounds):
    if rounds < 1 or not variants:
        raise ValueError
    calls = list(variants.values())
{body}
    return {{name: {{"median": 0.0, "p10": 0.0, "p90": 0.0, "warmup": 0}} for name in variants}}
"""


class Server:
    """Counts questions by case; answers the first `most` of each case, with how many there were."""

    def __init__(self, most: int = 10**9):
        self.asked: dict[str, list[int]] = {}
        self.most = most

    def __call__(self, frame: wire.Frame) -> bytes:
        questions = self.asked.setdefault(frame.header["case"], [])
        questions.append(frame.header["question"])
        return wire.encode("told", reply=len(questions) if len(questions) <= self.most else None)


def public_cases():
    return exercises.get("benchmark").public_cases()


def served(body: str, server: Server, *before: str, **job):
    source = FUNCTION.format(body=textwrap.indent(textwrap.dedent(body), "    "))
    return run_cells(
        IMPORT,
        *before,
        source,
        CHECK,
        "'after'",
        cases=public_cases(),
        exercise="benchmark",
        reply=server,
        **job,
    )


def outcomes(ran):
    return [ran.outcome(case.name) for case in public_cases()]


def test_questions_reach_the_server_of_their_case_and_come_back_in_order():
    server = Server()
    ran = served(
        "assert [round(clock() * 1e9) for _ in range(500)] == list(range(1, 501)); calls[0](); calls[1]()",
        server,
    )
    assert outcomes(ran) == ["returned", "returned"]
    assert server.asked == {case.name: [0] * 500 + [1, 2] for case in public_cases()}
    assert not [frame for frame in ran.frames if frame.kind == "ask"]


def test_a_server_that_hangs_up_is_not_asked_again_however_often_the_code_asks():
    server = Server(most=10)
    flood = """
        refused = 0
        for _ in range(20_000):
            try:
                clock()
            except RuntimeError:
                refused += 1
        assert refused == 19_990
    """
    ran = served(flood, server)
    assert outcomes(ran) == ["returned", "returned"]
    assert {case: len(questions) for case, questions in server.asked.items()} == dict.fromkeys(
        server.asked, 11
    )


def test_an_endless_flood_ends_with_its_case():
    ran = served(
        "while True:\n    try:\n        clock()\n    except Exception:\n        pass",
        Server(most=10),
        case_seconds=1,
    )
    assert outcomes(ran) == ["timeout", "timeout"]
    assert ran.status(3) == "ok"


@pytest.mark.parametrize(
    "data",
    [
        "b''",
        "b'x'",
        "b'x' * 19",
        "b'x' * 21",
        "b'x' * 100_000",
        "json.dumps({'exercise': 'benchmark', 'case': 'two-variants', 'question': 0}).encode()",
    ],
)
def test_nonsense_cuts_the_line_and_nothing_else(data):
    """The line is the kernel's own: who spoils it has none. The next kernel would have a new one."""
    server = Server()
    forge = f"""
        from nbjudge.boxes.inside import collect
        try:
            collect._line._socket.send({data})
        except OSError:
            pass
        clock()
    """
    ran = served(forge, server)
    assert set(outcomes(ran)) == {"raised"}
    assert ran.status(3) == "ok" and server.asked == {}


def test_forged_numbers_are_nothing_but_questions():
    """Any case, any question: what is not on offer is answered in the box, and the rest is only a
    number to the server.
    """
    server = Server()
    forge = """
        from nbjudge.boxes.inside import collect
        told = [collect._line.ask(case, 0) for case in (7, 99, 2**32 - 1)]
        assert told == [None] * 3, told
        assert collect._line.ask(0 if len(calls) == 2 else 1, -(2**63)) == 1
        assert collect._line.ask(0 if len(calls) == 2 else 1, 2**63 - 1) == 2
    """
    ran = served(forge, server)
    assert outcomes(ran) == ["returned", "returned"]
    assert server.asked == {case.name: [-(2**63), 2**63 - 1] for case in public_cases()}


def test_nobody_is_served_before_the_test_cell_or_behind_it():
    server = Server()
    early = "from nbjudge.boxes.inside import collect\nprint([collect._line.ask(case, 0) for case in range(3)])"
    ran = run_cells(
        IMPORT,
        early,
        FUNCTION.format(body="    clock()"),
        CHECK,
        "assert [collect._line.ask(case, 0) for case in range(3)] == [None] * 3",
        cases=public_cases(),
        exercise="benchmark",
        reply=server,
    )
    assert ran.text(1) == "[None, None, None]\n" and ran.status(4) == "ok"
    assert server.asked == {case.name: [0] for case in public_cases()}


def test_a_kernel_that_dies_while_it_asks_costs_its_case_and_the_next_kernel_asks_on():
    server = Server()
    ran = served("clock()\nif len(calls) == 2:\n    os._exit(0)\nclock()", server)
    assert outcomes(ran) == ["killed", "returned"]
    assert Counter({case: len(asked) for case, asked in server.asked.items()}) == {
        "two-variants": 1,
        "three-variants": 2,
    }


def test_cells_that_a_new_kernel_replays_are_not_served():
    server = Server()
    early = "from nbjudge.boxes.inside import collect\nassert collect._line.ask(1, 0) is None"
    ran = served("if len(calls) == 2:\n    os._exit(0)\ncalls[2]()", server, early)
    assert outcomes(ran) == ["killed", "returned"]
    assert server.asked == {"three-variants": [3]}


def test_threads_of_one_kernel_get_their_own_replies():
    server = Server()
    body = """
        told = []
        threads = [threading.Thread(target=lambda: told.extend(round(clock() * 1e9) for _ in range(200))) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert sorted(told) == list(range(1, 801))
    """
    assert outcomes(served(body, server)) == ["returned", "returned"]


def test_who_reads_no_replies_harms_only_its_own_case():
    """The supervisor's end fills up; the case's time goes by, and the cases after it are served on
    a new line.
    """
    body = """
        from nbjudge.boxes.inside import collect
        if len(calls) == 2:
            line = collect._line
            while True:
                line._socket.send(struct.pack("<QIq", 0, 0, 0))
        clock()
    """
    ran = served(body, Server(), case_seconds=2)
    assert outcomes(ran)[0] in ("timeout", "killed") and ran.status(3) == "ok"


def test_an_exception_of_the_server_ends_the_box_and_is_the_harness_s():
    def broken(frame):
        raise ZeroDivisionError("a bug of ours")

    with pytest.raises(ZeroDivisionError, match="a bug of ours"):
        served("clock()", broken)


def test_a_server_that_refuses_the_runner_ends_the_box_as_a_breach_of_protocol():
    def refuses(frame):
        raise wire.WireError("too much")

    ran = served("clock()", refuses)
    assert (ran.ended, ran.answers) == ("protocol", {})


def test_the_line_is_not_handed_on_to_other_programs():
    body = """
        import subprocess, sys
        from nbjudge.boxes.inside import collect
        number = str(collect._line._socket.fileno())
        print_it = "import os, sys; os.fstat(int(sys.argv[1]))"
        assert subprocess.run([sys.executable, "-c", print_it, number], close_fds=False, stderr=-3).returncode == 1
    """
    assert outcomes(served(body, Server())) == ["returned", "returned"]


def test_a_reply_that_nobody_waited_for_any_more_is_not_taken_for_the_next():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line = Line(theirs.detach())
    with ours:
        ours.send(struct.pack("<Q?q", 0, True, 5))
        ours.send(struct.pack("<Q?q", 1, True, 6))
        assert line.ask(0, 0) == 6


def test_a_job_is_over_when_its_last_question_is_answered(tmp_path, monkeypatch):
    """The reply would be read into the next job."""
    monkeypatch.setattr(mounts, "SPOOL", str(tmp_path))
    asked, answered, told = threading.Event(), threading.Event(), []

    class Slow:
        def ask(self, **question):
            asked.set()
            answered.wait()
            return wire.Frame({"kind": "told", "reply": 7})

    case = wire.Frame({"kind": "case", "exercise": "benchmark", "name": "one"})
    cases = Cases([case], 1, Slow(), time.monotonic)
    cases.opened({0: case})
    asking = threading.Thread(target=lambda: told.append(cases.reply(0, 0)))
    closing = threading.Thread(target=cases.close)
    asking.start()
    asked.wait()
    closing.start()
    closing.join(0.2)
    assert closing.is_alive()
    answered.set()
    closing.join()
    asking.join()
    assert (told, cases.reply(0, 0)) == ([7], None)


def test_a_relay_ends_when_the_other_end_is_gone():
    before = threading.active_count()
    with Relay(lambda case, question: case + question) as handle:
        line = Line(os.dup(handle))
    assert line.ask(2, 3) == 5
    line._socket.close()
    for thread in threading.enumerate():
        if thread.daemon and thread.name.endswith("(_answer)"):
            thread.join(10)
    assert threading.active_count() <= before
