"""Lets the exporter write its report beside the model."""

EXPECTED = {"loses": ["folder"], "rung": "contract: the folder", "shows": "report-beside"}
BASE = "valid_torchscript"
EDITS = [
    (
        "        onnx.checker.check_model(path, full_check=True)",
        """\
        onnx.checker.check_model(path, full_check=True)
        Path(path).with_name("report.txt").write_text(onnx.printer.to_text(onnx.load(path)))""",
    ),
]
