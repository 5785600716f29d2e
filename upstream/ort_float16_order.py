"""ONNX Runtime: `convert_float_to_float16(keep_io_types=True)` writes nodes that are not sorted."""

import sys

import onnx
import onnxruntime as ort
from onnxruntime.transformers.float16 import convert_float_to_float16

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[N, 4] x) => (float[N, 4] h, float[N, 4] y) {
    h = Relu(x)
    y = Neg(h)
}"""


def main() -> int:
    model = onnx.parser.parse_model(MODEL)
    onnx.checker.check_model(model, full_check=True)
    half = convert_float_to_float16(model, keep_io_types=True)
    print(f"onnxruntime {ort.__version__}")
    print("expected: a model that the checker accepts")
    try:
        onnx.checker.check_model(half)
    except onnx.checker.ValidationError as error:
        print("found:", " ".join(str(error).split())[:160])
        print(
            "nodes:",
            ", ".join(f"{each.op_type}({', '.join(each.input)})" for each in half.graph.node),
        )
        return 1
    print("found: the checker accepts it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
