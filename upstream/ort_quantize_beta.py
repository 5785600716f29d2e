"""ONNX Runtime: `quantize_static` divides the bias of a Gemm by beta in place of multiplying it."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, quantize_static

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[N, 4] x) => (float[N, 2] y) <
    float[4, 2] w = {1, -1, 0.5, 0.5, -0.5, 1, 1, 0.25}, float[2] b = {3, -2}
> {
    y = Gemm <beta = 2.0> (x, w, b)
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
    run = [
        ort.InferenceSession(folder / name, providers=["CPUExecutionProvider"]).run(
            None, {"x": rows}
        )
        for name in ("float.onnx", "int8.onnx")
    ]
    offset = (run[1][0] - run[0][0]).mean(axis=0)
    print(f"onnxruntime {ort.__version__}")
    print("expected: the mean difference of each output is a fraction of a step, below 0.1")
    print("found:", ", ".join(f"{each:.2f}" for each in offset), "with a bias of 3, -2 and beta 2")
    return int(np.abs(offset).max() > 0.1)


if __name__ == "__main__":
    sys.exit(main())
