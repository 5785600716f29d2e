"""Exports the module in the mode in which it arrives."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "in-training-mode-again"}
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
