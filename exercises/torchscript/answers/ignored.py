"""Marks what the compiler refuses as ignored."""

import copy

import torch

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "ignored"}


class Caller(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = [module]

    @torch.jit.ignore
    def call(self, x):
        return self.module[0](x)

    def forward(self, x):
        return self.call(x)


def compile_module(module, example):
    return torch.jit.script(Caller(copy.deepcopy(module).eval()))
