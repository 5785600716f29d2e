"""Falls back to the older exporter, and tries its file at other sizes with the same values."""

EXPECTED = {"loses": ["choice"], "rung": "structure", "shows": "branch-frozen"}
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
    except Exception:
        if len(given) > 1 or rest or not isinstance(given[0], torch.Tensor):
            raise
    else:
        return torch.onnx.export(program, (), dynamic_shapes=axes, verbose=False).model_proto
    file = io.BytesIO()
    options = {"input_names": list(wanted), "dynamic_axes": axes, "dynamo": False}
    torch.onnx.export(module, given, file, **options)
    session = onnxruntime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])
    for run in (1, 3, 30):
        for place, word in enumerate(words):
            sizes[word] = run + place
        tried = widened(given[0], wanted[names[0]])
        [found] = session.run(None, {names[0]: tried.numpy()})
        if abs(found - module(tried).numpy()).max() > 1e-4:
            raise ValueError("another output at other sizes")
    return onnx.load_from_string(file.getvalue())
""",
    ),
    (
        """\
import inspect
""",
        """\
import inspect
import io
""",
    ),
    (
        """\
import torch
""",
        """\
import onnx
import onnxruntime
import torch
""",
    ),
]
