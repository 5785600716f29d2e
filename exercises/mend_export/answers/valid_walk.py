"""Walks through the call once for the example, once for the sizes and once for their names."""

import inspect

import torch
from torch.export import Dim

EXPECTED = {"rung": None}


def mend(module, arguments, keywords, wanted, limits):
    words = list(dict.fromkeys(axis for axes in wanted.values() for axis in axes if isinstance(axis, str)))
    dims, sizes = {}, {}
    for place, word in enumerate(words):
        limit = limits.get(word, {})
        step = limit.get("multiple", 1)
        if step > 1:
            dims[word] = step * Dim(f"_{word}", min=1)
        else:
            dims[word] = Dim(word, min=limit.get("min", 1), max=limit.get("max"))
        sizes[word] = step * max(2 + place, limit.get("min", 1))

    def walk(change, value, path):
        if isinstance(value, dict):
            return {key: walk(change, each, f"{path}_{key}") for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(walk(change, each, f"{path}_{place}") for place, each in enumerate(value))
        return change(value, wanted[path])

    def widened(tensor, axes):
        for axis, word in enumerate(axes):
            if word in sizes:
                tensor = tensor.index_select(axis, torch.arange(sizes[word]) % tensor.shape[axis])
        return tensor

    def declared(tensor, axes):
        return {axis: dims[word] for axis, word in enumerate(axes) if word in dims}

    def named(tensor, axes):
        return {axis: word for axis, word in enumerate(axes) if word in dims}

    names = list(inspect.signature(module.forward).parameters)
    call = {**dict(zip(names, arguments, strict=False)), **keywords}
    example = {name: walk(widened, value, name) for name, value in call.items()}
    shapes = {name: walk(declared, value, name) for name, value in call.items()}
    axes = {name: walk(named, value, name) for name, value in call.items()}
    program = torch.export.export(
        module,
        tuple(example[name] for name in names[: len(arguments)]),
        {name: example[name] for name in keywords},
        dynamic_shapes=shapes,
    )
    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto
