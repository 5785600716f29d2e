"""ONNX Runtime, whichever build of it is installed.

It comes as several distributions (`onnxruntime`, `onnxruntime-gpu`, `onnxruntime-directml`, …), which
all write the same folder, and pip cannot be told that any of them will do. So `formatlab` names none
among its requirements, takes the one that is there, and says what to type where there is none.
"""

from __future__ import annotations

try:
    import onnxruntime as ort
except ModuleNotFoundError as error:
    if error.name != "onnxruntime":
        raise
    raise ModuleNotFoundError(
        "this needs ONNX Runtime, and no build of it is installed: type `pip install onnxruntime`, "
        "or with an NVIDIA GPU `pip install 'onnxruntime-gpu[cuda,cudnn]'`",
        name="onnxruntime",
    ) from None

__all__ = ["ort"]
