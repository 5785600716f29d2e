"""What is kept of an exception that a student's function raises."""

from pathlib import Path

import pytest
import torch

from nbjudge.asking import ask
from nbjudge.contract import Answer, Case, Exercise, Server, View, by_name
from nbjudge.contract.authored import AuthoredServer, ExerciseBroken
from nbjudge.rungs import outcome


class Plain(Exercise):
    functions = by_name("f(scratch)")
    minutes = 1

    def call(self, functions, case, scratch):
        return {"a": bytes(functions["f"](scratch))}

    def server(self, case):
        return None


def found(function, public=True, scratch=Path("/scratch")):
    case = Case("first", public=public)
    answer = ask(Plain(), {"f": function}, case, scratch)
    assert answer.outcome == "raised"
    return outcome.returns("bytes", "page#section")(View(case, answer, {}))


def raising(error):
    def raises(scratch):
        raise error

    return raises


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (KeyError("p50"), "The code asks for a key that the dictionary does not have."),
        (IndexError("list index out of range"), "The code asks for a position that the"),
        (StopIteration(), "next() finds nothing, and has no default to return."),
        (AttributeError("module 'x' has no attribute 'y'"), ""),
        (TypeError("must be Tensor, not tuple"), ""),
        (type("Own", (Exception,), {})("one. two. three"), ""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_exception_is_explained_by_its_type_or_quoted_and_nothing_is_guessed(error, cause):
    told = found(raising(error))
    assert told.cause.startswith(cause) and (cause or not told.cause)
    assert str(error) in told.found
    for guess in ("model", "None", "often"):
        assert guess not in found(raising(error)).cause
        assert guess not in found(raising(error), public=False).cause


def test_of_a_long_text_the_beginning_and_the_end_are_quoted():
    """Libraries put what they mean last, behind the repr of everything that was passed in."""
    text = f"Check failed: {'inputs of all kinds, ' * 60}end. The case: an Add reads it twice."
    told = found(raising(ValueError(text))).found
    assert "Check failed" in told and "The case: an Add reads it twice." in told
    assert len(told) < 520


@pytest.mark.parametrize("error", [NameError("name 'np' is not defined"), ImportError("no")])
def test_a_mistake_that_no_section_explains_sends_nobody_to_one(error):
    assert found(raising(error)).read == ""
    assert found(raising(KeyError("x"))).read == "page#section"


def test_what_differs_from_call_to_call_is_left_out():
    def fails(scratch):
        raise ValueError(f"{object()} in {scratch / 'levels' / 'a.onnx'}")

    said = {
        found(fails, scratch=Path(f"/tmp/scratch-{n}")).found.partition(", in the")[0] for n in "ab"
    }
    assert said == {"it raises ValueError: <object object at 0x…> in levels/a.onnx"}


class Chooses(torch.nn.Module):
    def __init__(self, other):
        super().__init__()
        self.other = other

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x * 2, self.other, (x,))


def test_torchs_own_reason_for_a_failed_choice_is_kept():
    def fails(scratch):
        torch.export.export(Chooses(lambda x: (x * 2).int()), (torch.ones(2, 3),))

    finding = found(fails)
    assert "expected same dtype but got" in finding.found
    assert "eager" not in finding.found and "fake tensor call" not in finding.found


def test_an_answer_that_came_back_is_no_exception():
    assert ask(Plain(), {"f": lambda scratch: b""}, Case("x"), Path()) == Answer(
        "returned", {"a": b""}
    )


class Broken(Server):
    def reply(self, question):
        return question // 0

    def log(self):
        return {}


class Served(Plain):
    def call(self, functions, case, scratch):
        return {"a": bytes(functions["f"](case.ask))}

    def server(self, case):
        return AuthoredServer(Broken(), case.name)


def test_a_server_that_fails_is_no_fault_of_the_function_that_asks():
    with pytest.raises(ExerciseBroken, match=r"ZeroDivisionError: .*the server of case first"):
        ask(Served(), {"f": lambda ask: ask(1)}, Case("first"), Path("/scratch"))


def test_a_function_cannot_pretend_that_the_exercise_is_broken():
    answer = ask(Plain(), {"f": raising(ExerciseBroken("no"))}, Case("first"), Path("/scratch"))
    assert (answer.outcome, answer.error["type"]) == ("raised", "ExerciseBroken")
