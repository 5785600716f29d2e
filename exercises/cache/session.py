"""The session that the functions of `cache` are handed: ONNX Runtime's, with a count of the tokens
that it was fed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime as ort

TOKENS = "input_ids"
POSITIONS = "position_ids"
MASK = "attention_mask"


def open_session(data: bytes) -> ort.InferenceSession:
    """A session on one thread of the CPU, whose errors arrive as exceptions alone."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


class CountingSession:
    """`get_inputs`, `get_outputs` and `run`, as an `onnxruntime.InferenceSession` has them. `fed` is
    how many tokens it was fed, those of all rows together.

    Caches, positions and a mask of another shape than the call's are refused: a graph may stretch
    them, or pass over an empty one, and then it computes from them all the same.
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
        """Raises what ONNX Runtime raises, and ValueError for a cache, positions or a mask of another
        shape.
        """
        self._refuse_shapes(input_feed)
        outputs: list[np.ndarray] = self._session.run(output_names, dict(input_feed))
        self.fed += int(np.size(input_feed[TOKENS]))
        return outputs

    def _refuse_shapes(self, input_feed: Mapping[str, Any]) -> None:
        if TOKENS not in input_feed or np.ndim(input_feed[TOKENS]) != 2:
            return  # the session knows better what is wrong
        rows, new = np.shape(input_feed[TOKENS])
        caches = [
            each
            for each in self.get_inputs()
            if each.name.startswith("past") and each.name in input_feed
        ]
        held = next((self._held(each, input_feed[each.name]) for each in caches), 0)
        if self.fed == 0:
            held = 0
        total = held + new
        columns = {
            POSITIONS: (new, "each token of this call"),
            MASK: (total, "each token of the cache and of this call"),
        }
        for name, (wanted, of_what) in columns.items():
            if name in input_feed and (found := np.shape(input_feed[name])) != (rows, wanted):
                raise ValueError(
                    f"{name} has the shape {found}, and this call needs {(rows, wanted)}: "
                    f"a row for each row of {TOKENS}, and a column for {of_what}"
                )
        for each in caches:
            needed = tuple(
                dim if isinstance(dim, int) else rows if dim == "batch" else held
                for dim in each.shape
            )
            if (found := np.shape(input_feed[each.name])) != needed:
                raise ValueError(
                    f"the cache {each.name} has the shape {found}, and this call needs {needed}"
                )

    @staticmethod
    def _held(declared: ort.NodeArg, cache: Any) -> int:
        """How many tokens a cache holds."""
        sizes = zip(declared.shape, np.shape(cache), strict=False)
        return next((size for dim, size in sizes if isinstance(dim, str) and dim != "batch"), 0)
