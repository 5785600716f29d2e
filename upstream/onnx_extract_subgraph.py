"""onnx: `extract_model` loses a node whose output only a subgraph reads."""

import sys
import tempfile
from pathlib import Path

import onnx

MODEL = """<ir_version: 10, opset_import: ["" : 18]>
g (float[2] x, bool c) => (float[2] y) {
    a = Neg(x)
    y = If(c) <
        then_branch = t () => (float[2] p) { p = Relu(a) },
        else_branch = e () => (float[2] q) { q = Neg(a) }
    >
}"""


def main() -> int:
    model = onnx.parser.parse_model(MODEL)
    onnx.checker.check_model(model, full_check=True)
    folder = Path(tempfile.mkdtemp())
    onnx.save(model, folder / "whole.onnx")
    print(f"onnx {onnx.__version__}")
    print("expected: all inputs to all outputs is the whole model: Neg, If")
    try:
        onnx.utils.extract_model(folder / "whole.onnx", folder / "part.onnx", ["x", "c"], ["y"])
    except onnx.checker.ValidationError as error:
        print("found: ValidationError:", str(error).splitlines()[0])
        return 1
    found = [node.op_type for node in onnx.load(folder / "part.onnx").graph.node]
    print("found:", ", ".join(found))
    return found != ["Neg", "If"]


if __name__ == "__main__":
    sys.exit(main())
