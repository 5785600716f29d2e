"""ONNX Runtime: GPTQ takes its corrections from the zeros of a triangular factor, so it rounds as plain
rounding does.
"""

import sys
from unittest.mock import patch

import numpy as np
import onnxruntime as ort
from onnxruntime.quantization.neural_compressor.weight_only import gptq

CHOLESKY = np.linalg.cholesky


def main() -> int:
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(64, 16))
    inputs = rng.normal(size=(512, 8)) @ rng.normal(size=(8, 64))  # 64 numbers that hang together
    inputs += 0.1 * rng.normal(size=inputs.shape)

    def error(hessian: np.ndarray) -> float:
        """The error of the products with weights in 4 bits."""
        rounded = gptq(weight.copy(), hessian.copy(), group_size=32)
        return float(np.linalg.norm(inputs @ (rounded - weight)) / np.linalg.norm(inputs @ weight))

    plain, found = error(np.eye(64)), error(inputs.T @ inputs)
    with patch.object(np.linalg, "cholesky", lambda matrix: CHOLESKY(matrix).T):
        expected = error(inputs.T @ inputs)
    print(f"onnxruntime {ort.__version__}")
    print(f"expected: an error of {expected:.3f}, as with the factor transposed back")
    print(f"found: {found:.3f}, and {plain:.3f} by plain rounding")
    return int(found > 0.9 * plain)


if __name__ == "__main__":
    sys.exit(main())
