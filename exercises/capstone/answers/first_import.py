"""Takes the first entry of opset_import for all of them."""

EXPECTED = {"loses": ["entries"], "rung": "quality: entries", "shows": "first-import"}
BASE = "valid_static"
EDITS = [
    (
        "import copy",
        """\
from onnxruntime.quantization.shape_inference import quant_pre_process
import copy""",
    ),
    (
        "    quantize_static(source, path, Rows(example.numpy()), per_channel=True, **types)",
        """\
    quant_pre_process(source, path, skip_symbolic_shape=True)
    quantize_static(onnx.load(path), path, Rows(example.numpy()), per_channel=True, **types)""",
    ),
    (
        '"opset_imports": {entry.domain: entry.version for entry in model.opset_import},',
        '"opset_imports": {model.opset_import[0].domain: model.opset_import[0].version},',
    ),
]
