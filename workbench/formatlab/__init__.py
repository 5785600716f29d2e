"""A library for looking at ML models in their files: `show` draws, `measure` times, `models` builds,
`diff` says what changed between two, `why` why they give other numbers; the other modules read and compare ONNX models.

It knows no harness and no exercise. Importing it is cheap: it makes torchvision importable beside
another build of torch and keeps onnx_ir from importing sympy before it needs it
(`formatlab._replaced`), and ONNX Runtime from collecting usage data in the home folder.
"""

import importlib
import os
from types import ModuleType

from formatlab import _replaced

__version__ = "0.1.0"

# Read when onnxruntime is imported. Processes that this one starts, such as JupyterLab and its
# kernels, inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
_replaced.install()


def __getattr__(name: str) -> ModuleType:
    """`formatlab.diff` and `formatlab.why`, imported when they are first used."""
    if name in ("diff", "why"):
        return importlib.import_module(f"formatlab.{name}")
    raise AttributeError(f"module 'formatlab' has no attribute {name!r}")
