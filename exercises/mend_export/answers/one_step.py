"""Exports in one step, with the words of wanted."""

EXPECTED = {"loses": ["tied", "narrower"], "rung": "structure", "shows": "tied-in-code"}
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
    given = tuple(call[name] for name in names[: len(arguments)])
    return torch.onnx.export(module, given, kwargs=keywords, dynamic_shapes=axes, verbose=False).model_proto
""",
    ),
]
