"""Calls eval() on the module itself."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "eval-in-place"}
BASE = "valid_static"
EDITS = [
    (
        "torch.onnx.export(copy.deepcopy(module).eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)",
        "torch.onnx.export(module.eval(), (example,), buffer, dynamo=False, dynamic_axes=axes, **names)",
    ),
    ("return copy.deepcopy(module).eval()(example).numpy()", "return module.eval()(example).numpy()"),
]
