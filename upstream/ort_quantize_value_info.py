"""ONNX Runtime: `quantize_dynamic` refuses a Gemm whose weight is named in `value_info`.

It transposes the weight of a Gemm with transB=1 and leaves the shape in `value_info` as it was.
torch.onnx.export writes such a `value_info` for each initializer.
"""

import sys
import tempfile
from pathlib import Path

import onnx
import onnxruntime as ort
from onnxruntime.quantization import quantize_dynamic

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[N, 3] x) => (float[N, 2] y) <float[2, 3] w = {1, -1, 0.5, 0.5, -0.5, 1}> {
    y = Gemm <transB = 1> (x, w)
}"""


def main() -> int:
    folder = Path(tempfile.mkdtemp())
    model = onnx.parser.parse_model(MODEL)
    weight = onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [2, 3])
    del model.graph.value_info[:]
    model.graph.value_info.append(weight)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, folder / "float.onnx")
    print(f"onnxruntime {ort.__version__}, onnx {onnx.__version__}")
    print("expected: a quantized model")
    try:
        quantize_dynamic(folder / "float.onnx", folder / "int8.onnx")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is found
        print(f"found: {type(error).__name__}: {str(error).splitlines()[0]}")
        return 1
    print("found: a quantized model")
    return 0


if __name__ == "__main__":
    sys.exit(main())
