"""Gives the result the mode in which the module came."""

import copy

import torch

EXPECTED = {"score": 0.55, "rung": "numerics", "message": "two runs on one input differ", "shows": "in-its-mode"}


def shifted(by):
    return lambda tensor: tensor + by if tensor.is_floating_point() else tensor


CHANGES = [shifted(0), shifted(20), shifted(-20), lambda tensor: tensor[:1], lambda tensor: torch.cat([tensor, tensor])]


def trials(part, arguments):
    for change in CHANGES:
        try:
            values = tuple(map(change, arguments))
            yield values, part(*values)
        except (RuntimeError, IndexError):
            continue


def close(expected, found):
    if isinstance(expected, tuple):
        return isinstance(found, tuple) and len(found) == len(expected) and all(map(close, expected, found))
    return torch.is_tensor(found) and found.shape == expected.shape and torch.allclose(found, expected, 1e-4, 1e-5)


def agrees(part, compiled, arguments):
    try:
        return all(close(expected, compiled(*values)) for values, expected in trials(part, arguments))
    except Exception:
        return False


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


def best(part, arguments):
    for make in (torch.jit.script, lambda part: torch.jit.trace(part, arguments)):
        try:
            compiled = make(part)
        except Exception:
            continue
        if agrees(part, compiled, arguments):
            return compiled
    raise ValueError("neither way")


def compile_module(module, example):
    with torch.no_grad():
        compiled = from_the_parts(copy.deepcopy(module).eval(), example, best)
    return compiled.train(module.training)
