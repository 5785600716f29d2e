"""Exports the module in the mode in which it arrives."""

EXPECTED = {"score": 0.1, "rung": "type", "message": "takes its statistics from the batch", "shows": "in-training-mode"}
BASE = "valid_torchscript"
EDITS = [
    (
        """\
    if len(arguments[0]) == 1:
        arguments = tuple(torch.cat([tensor, tensor]) for tensor in arguments)
""",
        "",
    ),
    ("        module.eval()", ""),
    (
        "                opset_version=18,",
        """\
                opset_version=18,
                training=torch.onnx.TrainingMode.PRESERVE,""",
    ),
]
