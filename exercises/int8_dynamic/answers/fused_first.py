"""Fuses the graph with ONNX Runtime's transformer optimizer, then quantizes."""

EXPECTED = {"loses": "everything", "rung": "type", "shows": "fused-first"}
BASE = "valid_unsigned"
EDITS = [
    (
        "import tempfile",
        """\
from onnxruntime.transformers.optimizer import optimize_model
import tempfile""",
    ),
    (
        """\
        path = f"{folder}/int8.onnx"
        quantize_dynamic(undescribed(model), path, per_channel=True, weight_type=QuantType.QUInt8)""",
        """\
        plain, fused, path = (f"{folder}/{name}.onnx" for name in ("plain", "fused", "int8"))
        onnx.save(undescribed(model), plain)
        optimize_model(plain, model_type="bert", num_heads=0, hidden_size=0).save_model_to_file(fused)
        quantize_dynamic(fused, path, per_channel=True)""",
    ),
]
