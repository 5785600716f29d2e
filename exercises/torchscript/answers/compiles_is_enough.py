"""Script or trace for each part: what compiles and runs is not compared."""

import copy

import torch

EXPECTED = {"loses": ["changed"], "rung": "numerics", "shows": "compiles-is-enough"}


def note_inputs(module, example):
    inputs, handles = {}, []
    for part in module.modules():
        handles.append(part.register_forward_pre_hook(lambda part, given: inputs.setdefault(part, given)))
    module(*example)
    for handle in handles:
        handle.remove()
    return inputs


def from_the_parts(module, example, choose):
    inputs = note_inputs(module, example)
    for name, part in reversed(list(module.named_modules())):
        if part in inputs:
            compiled = choose(part, inputs[part])
            if not name:
                return compiled
            module.set_submodule(name, compiled)


def script_first(part, arguments):
    try:
        compiled = torch.jit.script(part)
        compiled(*arguments)
        return compiled
    except Exception:
        return torch.jit.trace(part, arguments)


def compile_module(module, example):
    return from_the_parts(copy.deepcopy(module).eval(), example, script_first)
