"""ONNX Runtime: the default level fuses a Pad with zeros into a MaxPool, which pads with -infinity."""

import sys

import numpy as np
import onnx
import onnxruntime as ort

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
        ort.InferenceSession(
            model.SerializeToString(),
            providers=["CPUExecutionProvider"],
            disabled_optimizers=disabled,
        )
        .run(None, {"x": x})[0]
        .ravel()
        .tolist()
        for disabled in (["Pad_Fusion"], [])
    )
    print(f"onnxruntime {ort.__version__}")
    print("expected:", expected, "as without the optimizer Pad_Fusion")
    print("found:", found)
    return int(found != expected)


if __name__ == "__main__":
    sys.exit(main())
