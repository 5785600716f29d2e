"""Switches off each Dropout, and nothing else; a single row is doubled, because BatchNorm asks for several."""

EXPECTED = {
    "loses": ["ordinary", "convolutions", "one-row", "encoder", "no-valid-file", "module", "names", "opset", "folder", "rows"],
    "rung": "structure",
    "shows": "dropout-only",
}
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
    (
        "        module.eval()",
        """\
        for each in module.modules():
            if isinstance(each, torch.nn.Dropout):
                each.eval()""",
    ),
    (
        "                opset_version=18,",
        """\
                opset_version=18,
                training=torch.onnx.TrainingMode.PRESERVE,""",
    ),
]
