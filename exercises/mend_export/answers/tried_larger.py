"""Tries the file at larger sizes than the example has."""

EXPECTED = {"loses": ["narrower"], "rung": "structure", "shows": "limit-lost"}
BASE = "valid_walk"
EDITS = [
    (
        """\
    program = torch.export.export(
        module,
        tuple(example[name] for name in names[: len(arguments)]),
        {name: example[name] for name in keywords},
        dynamic_shapes=shapes,
    )
    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto
""",
        """\
    given = tuple(example[name] for name in names[: len(arguments)])
    rest = {name: example[name] for name in keywords}
    shapes = {name: walk(lambda tensor, axes: {axis: Dim.DYNAMIC for axis in named(tensor, axes)}, value, name) for name, value in call.items()}
    program = torch.export.export(module, given, rest, dynamic_shapes=shapes)
    model = torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for run in (7, 30):
        for place, word in enumerate(words):
            limit = limits.get(word, {})
            step = limit.get("multiple", 1)
            size = max(limit.get("min", 1), step * (run + place))
            sizes[word] = min(size, limit.get("max", size))
        tried = {name: walk(widened, value, name) for name, value in example.items()}
        flat = {}
        for name, value in tried.items():
            walk2(value, name, flat)
        right = module(*(tried[name] for name in names[: len(arguments)]), **{name: tried[name] for name in keywords})
        [found] = session.run(None, flat)
        if found.shape != tuple(right.shape) or abs(found - right.numpy()).max() > 1e-4:
            raise ValueError("another output at other sizes")
    return model
""",
    ),
    (
        "    def widened(tensor, axes):",
        """\
    def walk2(value, path, flat):
        if isinstance(value, dict):
            for key, each in value.items():
                walk2(each, f"{path}_{key}", flat)
        elif isinstance(value, (list, tuple)):
            for place, each in enumerate(value):
                walk2(each, f"{path}_{place}", flat)
        else:
            flat[path] = value.numpy()

    def widened(tensor, axes):""",
    ),
    (
        """\
import torch
""",
        """\
import onnxruntime
import torch
""",
    ),
    ("step * max(2 + place", "step * max(5 + place"),
]
