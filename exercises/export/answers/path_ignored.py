"""Writes under a name of its own."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "path-ignored"}
BASE = "valid_torchscript"
EDITS = [
    (
        "def export_model(module, example, path):",
        '''\
def export_model(module, example, path):
    path = Path(path).parent / "exported.onnx"''',
    ),
]
