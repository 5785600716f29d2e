"""ONNX Runtime: `CalibMaxIntermediateOutputs` drops what was collected before it reached the limit."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, quantize_static

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[N, 4] x) => (float[N, 2] y) <float[4, 2] w = {1, -1, 0.5, 0.5, -0.5, 1, 1, 0.25}> {
    y = MatMul(x, w)
}"""


class Batches(CalibrationDataReader):
    """Three batches, of which the first is ten times as wide as the others."""

    def __init__(self):
        rows = np.random.default_rng(0).uniform(-1, 1, (3, 64, 4)).astype(np.float32)
        self.left = iter([{"x": rows[0] * 10}, {"x": rows[1]}, {"x": rows[2]}])

    def get_next(self):
        return next(self.left, None)


def scale(folder, **options):
    """The scale of the input."""
    quantize_static(folder / "float.onnx", folder / "int8.onnx", Batches(), extra_options=options)
    stored = {tensor.name: tensor for tensor in onnx.load(folder / "int8.onnx").graph.initializer}
    return float(onnx.numpy_helper.to_array(stored["x_scale"]))


def main() -> int:
    ort.set_default_logger_severity(4)
    folder = Path(tempfile.mkdtemp())
    onnx.save(onnx.parser.parse_model(MODEL), folder / "float.onnx")
    whole, limited = scale(folder), scale(folder, CalibMaxIntermediateOutputs=2)
    print(f"onnxruntime {ort.__version__}")
    print(
        f"expected: with a limit of two batches, the scale of the input is {whole:.4f}, as without"
    )
    print(f"found: {limited:.4f}")
    return int(abs(limited / whole - 1) > 0.01)


if __name__ == "__main__":
    sys.exit(main())
