"""onnxoptimizer: `optimize` fuses a Pad with zeros into a MaxPool, which pads with -infinity."""

import sys
from importlib import metadata

import numpy as np
import onnx
import onnxoptimizer
from onnx.reference import ReferenceEvaluator

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y) <int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}> {
    padded = Pad(x, pads)
    y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (padded)
}"""


def main() -> int:
    model = onnx.parser.parse_model(MODEL)
    onnx.checker.check_model(model, full_check=True)
    x = np.array([[[[-1, -2], [-3, 4]]]], np.float32)
    expected, found = (
        ReferenceEvaluator(each).run(None, {"x": x})[0].ravel().tolist()
        for each in (model, onnxoptimizer.optimize(model))
    )
    print(f"onnxoptimizer {metadata.version('onnxoptimizer')}")
    print("expected:", expected)
    print("found:", found)
    return int(found != expected)


if __name__ == "__main__":
    sys.exit(main())
