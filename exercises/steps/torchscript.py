"""The steps of notebook 05: what a trace keeps, and how a copy of a module is made ready to ship."""

import copy
import io

import torch
from torch import nn

from formatlab_exercises.steps import Slip, Step, Steps, plain


def agreement(first, second, inputs):
    return [torch.equal(first(x), second(x)) for x in inputs]


def survives(program, x):
    buffer = io.BytesIO()
    torch.jit.save(program, buffer)
    buffer.seek(0)
    return torch.equal(torch.jit.load(buffer)(x), program(x))


def at_the_end(program, x):
    buffer = io.BytesIO()
    torch.jit.save(program, buffer)
    return torch.equal(torch.jit.load(buffer)(x), program(x))


def ready(module):
    return copy.deepcopy(module).eval()


def modes(module):
    return [each.training for each in module.modules()]


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Dropout()).train()


ONES, ROWS = torch.ones(2, 4), torch.arange(12.0).reshape(3, 4) - 5
step = Steps(
    "lab-7-01/05-torchscript",
    agreement=Step(
        "trace",
        agreement,
        {
            "one side": lambda: (torch.abs, torch.relu, [ONES, -ONES, ROWS]),
            "the same": lambda: (torch.neg, lambda x: -x, [ROWS, ONES]),
            "nearly the same": lambda: (torch.neg, lambda x: -x * (1 + 1e-6), [ROWS]),
            "first differs": lambda: (torch.neg, torch.abs, [ONES, -ONES]),
        },
        (
            Slip(
                lambda first, second, inputs: [first(x).shape == second(x).shape for x in inputs],
                "Equal shapes are not equal numbers.",
            ),
            Slip(
                lambda first, second, inputs: [torch.allclose(first(x), second(x)) for x in inputs],
                "Close is not equal. `torch.equal` compares every number exactly.",
            ),
            Slip(
                lambda first, second, inputs: all(torch.equal(first(x), second(x)) for x in inputs),
                "One answer for all inputs does not say which input differs.",
            ),
            Slip(
                lambda first, second, inputs: (
                    [torch.equal(first(inputs[0]), second(inputs[0]))] * len(inputs)
                ),
                "Every input has to go through both.",
            ),
        ),
    ),
    survives=Step(
        "script",
        survives,
        {
            "a program": lambda: (torch.jit.script(network().eval()), ROWS),
            "random": lambda: (torch.jit.script(nn.Dropout().train()), torch.ones(1000)),
        },
        (
            Slip(at_the_end, "After writing, the buffer stands at its end: `seek(0)` goes back."),
            Slip(lambda program, x: True, "Load what was saved, run it, and compare."),
        ),
    ),
    ready=Step(
        "training-mode",
        ready,
        {
            "training": lambda: (network(),),
            "a part frozen": lambda: (nn.Sequential(nn.BatchNorm1d(4).eval(), network()),),
        },
        (
            Slip(lambda module: module.eval(), "This changes the module that you were given."),
            Slip(copy.deepcopy, "The copy is in the mode of the original."),
            Slip(
                lambda module: copy.copy(module).eval(),
                "`copy.copy` copies the outer module. Its submodules are those of the original.",
            ),
        ),
        observe=lambda arguments, result: [
            modes(arguments[0]),
            modes(result) if isinstance(result, nn.Module) else plain(result),
        ],
    ),
)
