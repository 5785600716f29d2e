"""Does not look at what the exporter wrote."""

EXPECTED = {"score": 0.7, "rung": "loads", "message": "check the file after writing it", "shows": "no-check"}
BASE = "valid_torchscript"
EDITS = [
    ("        onnx.checker.check_model(path, full_check=True)", ""),
]
