"""Slides the window step by step, and reads the model with onnx-ir."""

import onnx_ir as ir

EXPECTED = {"rung": None}


def conv_output_size(size, kernel, stride=1, padding=(0, 0), dilation=1, ceil_mode=False):
    begin, end = padding
    last = begin + size + end - (dilation * (kernel - 1) + 1)
    starts = list(range(0, last + 1, stride))
    following = len(starts) * stride
    if ceil_mode and following < last + stride and following < begin + size:
        starts.append(following)
    if not starts:
        raise ValueError(f"a window of {kernel} does not fit into {size}")
    return len(starts)


def shape_coverage(model):
    counts = {"missing": 0, "unknown": 0, "named": 0, "static": 0}
    for node in ir.from_proto(model).graph.all_nodes():
        for value in node.outputs:
            if not value.name:
                continue
            if value.shape is None:
                counts["missing"] += 1
                continue
            names = [dim.value for dim in value.shape if not isinstance(dim, int)]
            if any(name is None or name.startswith("unk__") for name in names):
                counts["unknown"] += 1
            else:
                counts["named" if names else "static"] += 1
    return counts
