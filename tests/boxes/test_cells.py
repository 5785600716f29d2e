"""When a cell is over, where the machine stands still for longer than any message may take."""

from types import SimpleNamespace

import pytest

from nbjudge.boxes.inside import cells

RESULT = {"execution_count": 1, "data": {"text/plain": "0.5"}}


class Kernel:
    """What the supervisor hears of a kernel; before some messages the machine stands still."""

    is_deaf = lost_messages = False
    now = 0.0

    def __init__(self, *batches):
        self._batches = iter(batches)

    def execute(self, source, expression):
        return "cell"

    def probe(self):
        return "probe"

    def alive(self):
        return True

    def killed(self):
        return False

    def messages(self, seconds):
        self.now += seconds
        for seconds, channel, kind, content in next(self._batches, ()):
            self.now += seconds
            yield (
                channel,
                {"msg_type": kind, "content": content, "parent_header": {"msg_id": "cell"}},
            )


REPLY = (0, "shell", "execute_reply", {"status": "ok"})
IDLE = (0, "iopub", "status", {"execution_state": "idle"})
STILL = 1000


@pytest.fixture
def ran(monkeypatch):
    def run(*batches):
        kernel = Kernel(*batches)
        monkeypatch.setattr(cells, "time", SimpleNamespace(monotonic=lambda: kernel.now))
        return cells.execute(kernel, "f()", output_bytes=1 << 20, left=lambda: 120), kernel

    return run


def test_outputs_that_came_while_the_machine_stood_still_are_taken(ran):
    late = (STILL, "iopub", "execute_result", RESULT)
    outcome, kernel = ran([REPLY], [late], [IDLE])
    assert (outcome.incomplete, kernel.is_deaf) == (False, False)
    assert outcome.outputs[0]["data"] == RESULT["data"]


def test_a_cell_that_ended_while_the_machine_stood_still_ended_in_time(ran):
    outcome, _ = ran([(STILL, *REPLY[1:]), IDLE])
    assert (outcome.status, outcome.incomplete) == ("ok", False)


def test_a_kernel_that_never_says_that_it_is_idle_is_not_waited_for(ran):
    outcome, kernel = ran([REPLY])
    assert (outcome.status, outcome.incomplete, kernel.is_deaf) == ("ok", True, True)


def test_a_kernel_that_never_stops_talking_has_the_time_of_its_cell(ran):
    """A thread of it may, when it has said that the cell is over and holds the reply back."""
    talk = [(1, "iopub", "comm_msg", {})]
    outcome, kernel = ran([IDLE], *[talk] * 100_000)
    assert outcome.incomplete and outcome.status == "error"
    assert kernel.now < 2 * 120
