"""Exports in the mode in which the module arrives, and doubles a single row because BatchNorm asks for several."""

EXPECTED = {"loses": "everything", "rung": "structure", "shows": "in-training-mode-again"}
BASE = "valid_torchscript"
EDITS = [
    (
        "import inspect",
        """\
import copy
import inspect""",
    ),
    (
        "    arguments = example if isinstance(example, tuple) else (example,)",
        """\
    arguments = example if isinstance(example, tuple) else (example,)
    arguments = tuple(tensor.repeat(2, *[1] * (tensor.ndim - 1)) for tensor in arguments)
    module = copy.deepcopy(module)""",
    ),
    ("        module.eval()", ""),
    (
        "                opset_version=18,",
        """\
                opset_version=18,
                training=torch.onnx.TrainingMode.PRESERVE,""",
    ),
]
