"""The steps of notebook 03, from an error between two arrays to a loop that is exported: together, the lab `control_flow`."""

import contextlib
import io
import logging

import numpy as np
import torch
from onnx import parser
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from formatlab.models import make_model
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


def relative_error(found, expected):
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def absolute(found, expected):
    return float(np.abs(found - expected).max())


def elementwise(found, expected):
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((np.abs(found - expected) / np.abs(expected)).max())


def signed(found, expected):
    return float((found - expected).max() / expected.max())


def model(inside, outside):
    return (
        make_model(
            parser.parse_graph(f"g (float[{inside}] x) => (float[{outside}] y) {{ y = Neg(x) }}")
        ),
    )


def without_name():
    """Neither a name nor a number for the first dimension."""
    made = model("batch, 4", "batch, 4")[0]
    for value in (*made.graph.input, *made.graph.output):
        value.type.tensor_type.shape.dim[0].Clear()
    return (made,)


def of_two(first, second):
    """Two inputs and two outputs, of which the second ones may differ from the first."""
    text = f"""
        g (float[{first}, 4] a, float[{second}, 4] b) => (float[{first}, 4] c, float[{second}, 4] d) {{
            c = Neg(a)   d = Neg(b)
        }}"""
    return (make_model(parser.parse_graph(text)),)


def is_open(model):
    values = [*model.graph.input, *model.graph.output]
    return all(bool(value.type.tensor_type.shape.dim[0].dim_param) for value in values)


def inputs_only(model):
    return all(bool(value.type.tensor_type.shape.dim[0].dim_param) for value in model.graph.input)


def outputs_only(model):
    return all(bool(value.type.tensor_type.shape.dim[0].dim_param) for value in model.graph.output)


def first_of_each(model):
    values = [model.graph.input[0], model.graph.output[0]]
    return all(bool(value.type.tensor_type.shape.dim[0].dim_param) for value in values)


def no_number(model):
    values = [*model.graph.input, *model.graph.output]
    return not any(value.type.tensor_type.shape.dim[0].HasField("dim_value") for value in values)


def any_dimension(model):
    values = [*model.graph.input, *model.graph.output]
    return all(any(dim.dim_param for dim in value.type.tensor_type.shape.dim) for value in values)


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


PAIRS = {
    "small numbers": lambda: (
        np.array([1e-4, 2e-4], np.float32),
        np.array([1e-4, 1e-4], np.float32),
    ),
    "large numbers": lambda: (
        np.array([1000, -2001], np.float32),
        np.array([1000, -2000], np.float32),
    ),
    "a zero": lambda: (np.array([0.001, 4], np.float32), np.array([0, -2], np.float32)),
}
CHOICES = {
    "both signs, and a sum of 0": lambda: (ROWS, -ROWS, torch.tensor([[3.0, -3.0]])),
    "mixed signs": lambda: (-ROWS, ROWS - 1, ROWS),
}

step = Steps(
    "day-50/03-export",
    error=Step(
        "two-exporters",
        relative_error,
        PAIRS,
        (
            Slip(absolute, "You return an absolute error. Divide by the largest expected number."),
            Slip(
                elementwise,
                "You divide each difference by its own number, and some are 0. Divide by the largest one.",
            ),
            Slip(
                signed,
                "You forgot the signs: take the absolute value of the differences and of the expected numbers.",
            ),
        ),
    ),
    is_open=Step(
        "dynamic-dimensions",
        is_open,
        {
            "open": lambda: model("batch, 4", "batch, 4"),
            "closed": lambda: model("2, 4", "2, 4"),
            "open output only": lambda: model("2, 4", "batch, 4"),
            "closed output": lambda: model("batch, 4", "2, 4"),
            "open columns": lambda: model("2, width", "2, width"),
            "neither name nor number": without_name,
            "second input and output closed": lambda: of_two("batch", "2"),
            "all of two open": lambda: of_two("batch", "rows"),
        },
        (
            Slip(inputs_only, "You look at the inputs only. A declared output can be closed too."),
            Slip(
                outputs_only,
                "You look at the outputs only. If the input is closed, a session refuses other sizes.",
            ),
            Slip(first_of_each, "You look at the first input and the first output. Look at all."),
            Slip(no_number, "A dimension may have neither a number nor a name. Ask for the name."),
            Slip(any_dimension, "Another dimension is open. Look at the first one, `dim[0]`."),
        ),
    ),
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
