"""What the layout level makes of a convolution on this processor. It is the only thing here that
differs between machines.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper, parser

from formatlab.models import make_model


@cache
def block_size() -> int:
    """How many channels ONNX Runtime's blocked layout puts side by side here: 8, 16, or 0 where it
    has no such layout.

    The weights of a blocked convolution are stored with their channels filled up to a whole block.
    """
    graph = parser.parse_graph(
        "probe (float[1, 3, 5, 5] x) => (float[1, 1, 3, 3] y) { y = Conv (x, w) }"
    )
    graph.initializer.append(numpy_helper.from_array(np.ones((1, 3, 3, 3), np.float32), "w"))
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / "probe.onnx")
        ort.InferenceSession(
            make_model(graph).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        saved = onnx.load(options.optimized_model_filepath)
    blocked = any(node.domain == "com.microsoft.nchwc" for node in saved.graph.node)
    return saved.graph.initializer[0].dims[0] if blocked else 0
