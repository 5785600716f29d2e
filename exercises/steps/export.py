"""The steps of notebook 03, from a choice without an `if` to a loop that is exported: together, the lab `control_flow`."""

import contextlib
import io
import logging

import torch
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from formatlab_exercises.steps import Slip, Step, Steps, plain

ROWS = torch.tensor([[0.5, 1.0], [1.0, 0.5], [2.0, 0.25]])


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function
        self.eval()


def exported(function, *samples):
    """What the exported function computes of each sample; the first one is the example, its rows are free."""
    function(samples[0].clone())  # an answer that is not written says so here
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        logging.disable(logging.CRITICAL)
        program = torch.export.export(
            Module(function), (samples[0].clone(),), dynamic_shapes=({0: torch.export.Dim.AUTO},)
        )
    names = {str(node.target) for node in program.graph.nodes if node.op == "call_function"}
    kept = [name for name in ("cond", "while_loop", "scan") if name in names]
    return {
        "control flow in the graph": kept,
        "results": _results(program, samples),
    }


def _results(program, samples):
    """Up to the first sample that comes back unchanged: if a loop has the opposite condition, a
    likely mistake, then a sample that needs no round would be doubled for ever.
    """
    results = []
    for sample in samples:
        results.append(_result(program, sample.clone()))
        if results[-1] == plain(sample.numpy()):
            break
    return results


def _result(program, sample):
    try:
        return plain(program.module()(sample))
    except Exception as error:
        return type(error).__name__


def by_where(x):
    return torch.where(x.sum() > 0, x * 2, x - 1)


def by_if(x):
    return x * 2 if x.sum() > 0 else x - 1


def each_element(x):
    return torch.where(x > 0, x * 2, x - 1)


def zero_too(x):
    return torch.where(x.sum() >= 0, x * 2, x - 1)


def exchanged(x):
    return torch.where(x.sum() > 0, x - 1, x * 2)


def by_cond(x):
    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))


def cond_exchanged(x):
    return torch.cond(x.sum() > 0, lambda x: x - 1, lambda x: x * 2, (x,))


def doubled(x):
    return while_loop(lambda x: x.abs().sum() < 100, lambda x: (x * 2,), (x,))[0]


def by_while(x):
    while x.abs().sum() < 100:
        x = x * 2
    return x


def up_to_100(x):
    return while_loop(lambda x: x.abs().sum() <= 100, lambda x: (x * 2,), (x,))[0]


def five_times(x):
    for _ in range(5):
        x = x * 2
    return x


def until_above(x):
    return while_loop(lambda x: x.abs().sum() > 100, lambda x: (x * 2,), (x,))[0]


def scanned(x):
    def combine(state, element):
        following = torch.tanh(state) + element
        return following, following.clone()

    return scan(combine, x[0], x[1:])[0]


def state_and_outputs(x):
    def combine(state, element):
        following = torch.tanh(state) + element
        return following, following.clone()

    return scan(combine, x[0], x[1:])


def all_of_it(x):
    return while_loop(lambda x: x.abs().sum() < 100, lambda x: (x * 2,), (x,))


def by_for(x):
    total = x[0]
    for i in range(1, x.shape[0]):
        total = torch.tanh(total) + x[i]
    return total


def one_tensor_twice(x):
    def combine(state, element):
        following = torch.tanh(state) + element
        return following, following

    return scan(combine, x[0], x[1:])[0]


def every_row(x):
    def combine(state, element):
        following = torch.tanh(state) + element
        return following, following.clone()

    return scan(combine, x[0], x)[0]


CHOICES = {
    "both signs, and a sum of 0": lambda: (ROWS, -ROWS, torch.tensor([[3.0, -3.0]])),
    "mixed signs": lambda: (-ROWS, ROWS - 1, ROWS),
}

step = Steps(
    "day-50/03-export",
    where=Step(
        "branches",
        by_where,
        CHOICES,
        (
            Slip(
                by_if,
                "A Python `if` asks for a value while the exporter has none. Let `torch.where` choose.",
            ),
            Slip(
                each_element,
                "You choose for each element. The sum of all elements decides for all.",
            ),
            Slip(zero_too, "A sum of 0 is not above 0: ask with `>`."),
            Slip(
                exchanged,
                "The two sides are exchanged: the second argument is for a condition that holds.",
            ),
        ),
        call=exported,
    ),
    cond=Step(
        "branches",
        by_cond,
        CHOICES,
        (
            Slip(
                by_where,
                "`torch.where` computes both sides. Use `torch.cond`, so that the model computes one.",
            ),
            Slip(
                cond_exchanged,
                "The two functions are exchanged: the first one is for a condition that holds.",
            ),
        ),
        call=exported,
    ),
    scan=Step(
        "loops",
        scanned,
        {"three rows, then five": lambda: (ROWS, torch.ones(5, 2))},
        (
            Slip(by_for, "A Python `for` is unrolled for the example's rows. Let `scan` repeat."),
            Slip(
                state_and_outputs,
                "`scan` returns the last state and all outputs. The last state is the result.",
            ),
            Slip(
                every_row,
                "You start with the first row and add it again. The elements start at the second row: `x[1:]`.",
            ),
            Slip(
                one_tensor_twice,
                "`combine` returns one tensor as the next state and as the output of this round. Return a `clone()` as the second.",
            ),
        ),
        call=exported,
    ),
    loop=Step(
        "loops",
        doubled,
        {
            "many rounds, then one, then none": lambda: (
                ROWS,
                ROWS * 10,
                torch.tensor([[60.0, -40.0]]),
            )
        },
        (
            Slip(
                by_while,
                "A Python `while` asks for a value while the exporter has none. Use `while_loop`.",
            ),
            Slip(all_of_it, "`while_loop` returns a tuple. Return the tensor in it."),
            Slip(five_times, "You repeat a fixed number of times. The sum decides how often."),
            Slip(until_above, "The condition says when to go on, not when to stop."),
            Slip(up_to_100, "A sum of 100 is not below 100, so nothing is doubled there."),
        ),
        call=exported,
    ),
)
