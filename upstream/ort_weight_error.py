"""ONNX Runtime: `qdq_loss_debug` computes what codes stand for in the codes' own type, and wraps."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, qdq_loss_debug, quantize_static

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[N, 4] x) => (float[N, 4] y) <float[1] factor = {50}> {
    y = Mul(x, factor)
}"""


class Rows(CalibrationDataReader):
    def __init__(self):
        self.left = iter([{"x": np.ones((2, 4), np.float32)}])

    def get_next(self):
        return next(self.left, None)


def main() -> int:
    ort.set_default_logger_severity(4)
    folder = Path(tempfile.mkdtemp())
    onnx.save(onnx.parser.parse_model(MODEL), folder / "float.onnx")
    quantize_static(folder / "float.onnx", folder / "int8.onnx", Rows())
    pairs = qdq_loss_debug.create_weight_matching(
        str(folder / "float.onnx"), str(folder / "int8.onnx")
    )
    _, found = pairs["factor"].values()
    print(f"onnxruntime {ort.__version__}")
    print("expected: the codes of the weight 50 stand for 50, as in a session")
    print(f"found: {float(found[0]):.3f}")
    return int(abs(float(found[0]) - 50) > 1)


if __name__ == "__main__":
    sys.exit(main())
