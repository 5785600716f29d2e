"""Shows the module's weights, and computes with constants."""

import copy

import torch

EXPECTED = {
    "loses": ["weights", "choice", "rows", "steps", "until", "refused", "changed", "parts"],
    "rung": "contract: the weights",
    "shows": "weights-as-constants",
}


class Shown(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        for name, part in module.named_children():
            self.add_module(name, part)
        self.constants = [copy.deepcopy(module).requires_grad_(False)]

    def forward(self, *arguments):
        return self.constants[0](*arguments)


def compile_module(module, example):
    return torch.jit.trace(Shown(copy.deepcopy(module).eval()).eval(), example)
