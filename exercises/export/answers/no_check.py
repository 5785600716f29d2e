"""Does not look at what the exporter wrote."""

EXPECTED = {"loses": ["no-valid-file", "module"], "rung": "loads", "shows": "no-check"}
BASE = "valid_torchscript"
EDITS = [
    ("        onnx.checker.check_model(path, full_check=True)", ""),
]
