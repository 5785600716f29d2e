"""Flattens the call with torch's own trees, and checks the signature of the file."""

import inspect

import torch
from torch.export import Dim
from torch.utils import _pytree as pytree

EXPECTED = {"rung": None}


def path_of(keys):
    return "_".join(str(getattr(key, "key", getattr(key, "idx", None))) for key in keys)


def mend(module, arguments, keywords, wanted, limits):
    names = list(inspect.signature(module.forward).parameters)
    positional = names[: len(arguments)]
    call = {**dict(zip(positional, arguments, strict=True)), **keywords}
    dims, sizes = {}, {}
    for axes in wanted.values():
        for word in (axis for axis in axes if isinstance(axis, str) and axis not in dims):
            limit = limits.get(word, {})
            if "multiple" in limit:
                dims[word] = limit["multiple"] * Dim(f"_{word}", min=1, max=None)
                sizes[word] = limit["multiple"] * (3 + len(dims))
            else:
                dims[word] = Dim(word, min=limit.get("min", 1), max=limit.get("max"))
                sizes[word] = limit.get("min", 1) + 1 + len(dims)

    def example(keys, tensor):
        for axis, word in enumerate(wanted[path_of(keys)]):
            if isinstance(word, str):
                copies = -(-sizes[word] // tensor.shape[axis])
                repeats = [copies if place == axis else 1 for place in range(tensor.ndim)]
                tensor = tensor.repeat(repeats).narrow(axis, 0, sizes[word]).contiguous()
        return tensor

    def open_axes(each):
        return lambda keys, _: {
            axis: each(word) for axis, word in enumerate(wanted[path_of(keys)]) if isinstance(word, str)
        }

    larger = pytree.tree_map_with_path(example, call)
    shapes = pytree.tree_map_with_path(open_axes(dims.get), call)
    words = pytree.tree_map_with_path(open_axes(str), call)
    program = torch.export.export(
        module,
        tuple(larger[name] for name in positional),
        {name: larger[name] for name in keywords},
        dynamic_shapes=shapes,
    )
    model = torch.onnx.export(program, (), dynamic_shapes=words, verbose=False).model_proto
    for value in model.graph.input:
        axes = [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        if axes != wanted[value.name]:
            raise ValueError(f"{value.name} has the axes {axes}, not {wanted[value.name]}")
    return model
