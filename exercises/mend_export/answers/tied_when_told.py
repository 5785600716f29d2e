"""Takes the suggestion to give two sizes one Dim."""

EXPECTED = {'score': 0.5, 'rung': 'structure', 'message': 'wanted lists as two', 'shows': 'tied-in-code'}
BASE = 'valid_walk'
EDITS = [
    ('    program = torch.export.export(\n        module,\n        tuple(example[name] for name in names[: len(arguments)]),\n        {name: example[name] for name in keywords},\n        dynamic_shapes=shapes,\n    )\n    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto\n', '    given = tuple(example[name] for name in names[: len(arguments)])\n    rest = {name: example[name] for name in keywords}\n    try:\n        program = torch.export.export(module, given, rest, dynamic_shapes=shapes)\n    except Exception as error:\n        if "must match the size" not in str(error):\n            raise\n        given = tuple(value[:1].repeat(2, 1) for value in given)\n        shapes = {name: {0: Dim.AUTO} for name in names}\n        program = torch.export.export(module, given, rest, dynamic_shapes=shapes)\n        model = torch.onnx.export(program, (), verbose=False).model_proto\n        for value in model.graph.input:\n            value.type.tensor_type.shape.dim[0].dim_param = wanted[value.name][0]\n        return model\n    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto\n'),
]
