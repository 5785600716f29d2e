"""Writes under a name of its own."""

EXPECTED = {"score": 0.0, "rung": "type", "message": "a name of its own", "shows": "path-ignored"}
BASE = "valid_torchscript"
EDITS = [
    (
        "def export_model(module, example, path):",
        '''\
def export_model(module, example, path):
    path = Path(path).parent / "exported.onnx"''',
    ),
]
