"""Works in the module itself and puts everything back; goes into the parts only where it has to."""

import torch

EXPECTED = {"rung": None}


def shifted(by):
    return lambda tensor: tensor + by if tensor.is_floating_point() else tensor


CHANGES = [*map(shifted, (0, 1, -1, 20, -20)), lambda tensor: tensor[:1], lambda tensor: torch.cat([tensor, tensor])]


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


def build(part, inputs):
    """The compiled part: as a whole if that keeps what it does, from its children otherwise."""
    arguments = inputs[part]
    for make in (torch.jit.script, lambda part: torch.jit.trace(part, arguments)):
        try:
            compiled = make(part)
        except Exception:
            continue
        if agrees(part, compiled, arguments):
            return compiled
    children = {name: child for name, child in part.named_children() if child in inputs}
    try:
        for name, child in children.items():
            part._modules[name] = build(child, inputs)
        try:
            return torch.jit.script(part)
        except Exception:
            return torch.jit.trace(part, arguments)
    finally:
        part._modules.update(children)


def compile_module(module, example):
    modes = {part: part.training for part in module.modules()}
    module.eval()
    try:
        with torch.no_grad():
            return build(module, note_inputs(module, example))
    finally:
        for part, training in modes.items():
            part.training = training
