"""Exports in one step, with the words of wanted."""

EXPECTED = {'score': 0.5, 'rung': 'structure', 'message': 'wanted lists as two', 'shows': 'tied-in-code'}
BASE = 'valid_walk'
EDITS = [
    ('    program = torch.export.export(\n        module,\n        tuple(example[name] for name in names[: len(arguments)]),\n        {name: example[name] for name in keywords},\n        dynamic_shapes=shapes,\n    )\n    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto\n', '    given = tuple(call[name] for name in names[: len(arguments)])\n    return torch.onnx.export(module, given, kwargs=keywords, dynamic_shapes=axes, verbose=False).model_proto\n'),
]
