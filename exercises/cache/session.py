"""The session that the functions of `cache` are handed: ONNX Runtime's, with a count of the tokens
that it was fed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime as ort

TOKENS = "input_ids"


def open_session(data: bytes) -> ort.InferenceSession:
    """A session on one thread of the CPU, whose errors arrive as exceptions alone."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


class CountingSession:
    """`get_inputs`, `get_outputs` and `run`, as an `onnxruntime.InferenceSession` has them. `fed` is
    how many tokens of each row it was fed.
    """

    def __init__(self, data: bytes):
        self._session = open_session(data)
        self.fed = 0

    def get_inputs(self) -> list[ort.NodeArg]:
        return self._session.get_inputs()

    def get_outputs(self) -> list[ort.NodeArg]:
        return self._session.get_outputs()

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any]
    ) -> list[np.ndarray]:
        """Raises what ONNX Runtime raises."""
        outputs: list[np.ndarray] = self._session.run(output_names, dict(input_feed))
        self.fed += int(np.asarray(input_feed[TOKENS]).shape[1])
        return outputs
