"""Falls back to the older exporter, and tries its file at other sizes with the same values."""

EXPECTED = {'score': 0.5, 'rung': 'structure', 'message': 'chooses by a value', 'shows': 'branch-frozen'}
BASE = 'valid_walk'
EDITS = [
    ('    program = torch.export.export(\n        module,\n        tuple(example[name] for name in names[: len(arguments)]),\n        {name: example[name] for name in keywords},\n        dynamic_shapes=shapes,\n    )\n    return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto\n', '    given = tuple(example[name] for name in names[: len(arguments)])\n    rest = {name: example[name] for name in keywords}\n    try:\n        program = torch.export.export(module, given, rest, dynamic_shapes=shapes)\n    except Exception:\n        if len(given) > 1 or rest or not isinstance(given[0], torch.Tensor):\n            raise\n    else:\n        return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto\n    file = io.BytesIO()\n    options = {"input_names": list(wanted), "dynamic_axes": axes, "dynamo": False}\n    torch.onnx.export(module, given, file, **options)\n    session = onnxruntime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])\n    for run in (1, 3, 30):\n        for place, word in enumerate(words):\n            sizes[word] = run + place\n        tried = widened(given[0], wanted[names[0]])\n        [found] = session.run(None, {names[0]: tried.numpy()})\n        if abs(found - module(tried).numpy()).max() > 1e-4:\n            raise ValueError("another output at other sizes")\n    return onnx.load_from_string(file.getvalue())\n'),
    ('import inspect\n', 'import inspect\nimport io\n'),
    ('import torch\n', 'import onnx\nimport onnxruntime\nimport torch\n'),
]
