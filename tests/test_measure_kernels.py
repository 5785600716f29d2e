"""What a session runs of a quantized model, and where its time goes."""

import numpy as np
import onnx
from onnx import numpy_helper, parser
from onnxruntime.quantization import QuantType, quantize_dynamic

from formatlab.measure import kernels
from formatlab.models import make_model


def matmul():
    model = make_model(
        parser.parse_graph("g (float[N, 32] x) => (float[N, 16] y) { y = MatMul(x, w) }")
    )
    weight = np.random.default_rng(0).normal(size=(32, 16)).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weight, "w"))
    return model


def quantized(tmp_path, weight_type):
    quantize_dynamic(matmul(), tmp_path / "int8.onnx", weight_type=weight_type)
    return onnx.load(tmp_path / "int8.onnx")


def test_a_float_product_is_called_float():
    assert kernels.products(matmul()) == {"MatMul float": 1}


def test_integer_products_are_named_with_their_types_as_written_and_as_fused(tmp_path):
    for kind, name in ((QuantType.QInt8, "S8"), (QuantType.QUInt8, "U8")):
        model = quantized(tmp_path, kind)
        assert kernels.products(model, "DISABLE_ALL") == {
            "DynamicQuantizeLinear": 1,
            f"MatMulInteger U8·{name}": 1,
        }
        assert kernels.products(model) == {f"DynamicQuantizeMatMul U8·{name}": 1}


def test_the_hottest_operator_is_one_of_the_model_and_has_a_share():
    feeds = {"x": np.ones((512, 32), np.float32)}
    operator, share = kernels.hottest(matmul(), feeds, runs=2)
    assert operator == "MatMul" and 0 < share <= 1


def test_nothing_is_left_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kernels.products(matmul())
    kernels.hottest(matmul(), {"x": np.ones((2, 32), np.float32)}, runs=1)
    assert list(tmp_path.iterdir()) == []
