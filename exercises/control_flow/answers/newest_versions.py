"""Builds the model anew with onnx's own default versions."""

EXPECTED = {"loses": ["choice", "choice-weights", "names"], "rung": "loads", "shows": "newest-versions"}
BASE = "valid_script"
EDITS = [
    (
        '    return exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])',
        """    model = exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])
    return onnx.helper.make_model(model.graph)""",
    ),
]
