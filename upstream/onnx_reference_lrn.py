"""onnx: the reference evaluator's LRN goes through as many channels as there are pictures."""

import sys

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[1, 3, 1, 1] x) => (float[1, 3, 1, 1] y) {
    y = LRN <size = 1, alpha = 1.0, beta = 1.0, bias = 0.0> (x)
}"""


def main() -> int:
    model = onnx.parser.parse_model(MODEL)
    onnx.checker.check_model(model, full_check=True)
    x = np.array([1, 2, 4], np.float32).reshape(1, 3, 1, 1)
    with np.errstate(divide="ignore"):
        found = ReferenceEvaluator(model).run(None, {"x": x})[0].ravel().tolist()
    expected = (1 / x).ravel().tolist()
    print(f"onnx {onnx.__version__}")
    print("expected:", expected, "as x / x**2")
    print("found:", found)
    return int(found != expected)


if __name__ == "__main__":
    sys.exit(main())
