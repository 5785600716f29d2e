"""Takes the suggestion to give two sizes one Dim."""

EXPECTED = {"loses": ["tied"], "rung": "structure", "shows": "tied-in-code"}
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
    try:
        program = torch.export.export(module, given, rest, dynamic_shapes=shapes)
    except Exception as error:
        if "must match the size" not in str(error):
            raise
        given = tuple(value[:1].repeat(2, 1) for value in given)
        shapes = {name: {0: Dim.AUTO} for name in names}
        program = torch.export.export(module, given, rest, dynamic_shapes=shapes)
        model = torch.onnx.export(program, (), verbose=False).model_proto
        for value in model.graph.input:
            value.type.tensor_type.shape.dim[0].dim_param = wanted[value.name][0]
        return model
    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto
""",
    ),
]
