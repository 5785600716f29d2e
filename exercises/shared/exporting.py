"""torch's exporter, asked several times in one process."""

from __future__ import annotations

import functools


def read_once() -> None:
    """Let torch's exporter read its operators once a process.

    It parses the source of each of its five hundred operators anew for every model, which takes as long as the rest of a small export. The
    list that it makes of them is never changed. Where a version of torch does it in another way, nothing happens here.
    """
    try:
        from torch.onnx._internal._lazy_import import onnxscript_apis

        if not hasattr(onnxscript_apis.get_torchlib_ops, "cache_info"):
            onnxscript_apis.get_torchlib_ops = functools.cache(onnxscript_apis.get_torchlib_ops)
    except (ImportError, AttributeError):
        return
