"""ONNX Runtime: `quantize_static` cuts off an output of the graph that a Relu reads, too."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, quantize_static

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[N, 4] x) => (float[N, 2] before, float[N, 2] after) <
    float[4, 2] w = {1, -1, 0.5, 0.5, -0.5, 1, 1, 0.25}, float[2] b = {0.1, -0.1}
> {
    before = Gemm(x, w, b)
    after = Relu(before)
}"""


class Rows(CalibrationDataReader):
    def __init__(self, rows):
        self.left = iter([{"x": rows}])

    def get_next(self):
        return next(self.left, None)


def main() -> int:
    ort.set_default_logger_severity(4)
    folder = Path(tempfile.mkdtemp())
    rows = np.random.default_rng(0).uniform(-1, 1, (64, 4)).astype(np.float32)
    onnx.save(onnx.parser.parse_model(MODEL), folder / "float.onnx")
    quantize_static(folder / "float.onnx", folder / "int8.onnx", Rows(rows))
    lowest = [
        ort.InferenceSession(folder / name, providers=["CPUExecutionProvider"])
        .run(["before"], {"x": rows})[0]
        .min()
        for name in ("float.onnx", "int8.onnx")
    ]
    print(f"onnxruntime {ort.__version__}")
    print(f"expected: the output before the Relu goes down to about {lowest[0]:.2f}")
    print(f"found: {lowest[1]:.2f}")
    return int(abs(lowest[1] - lowest[0]) > 0.1)


if __name__ == "__main__":
    sys.exit(main())
