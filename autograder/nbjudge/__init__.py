"""The lab harness of the ML model formats course.

Importing it is cheap: it arms the torchvision fix (see `nbjudge._torchvision`), keeps jsonschema
from compiling a grammar that nobody needs (`nbjudge._jsonschema`), onnx_ir from importing sympy
before it needs it (`nbjudge._onnx_ir`) and ONNX Runtime from collecting usage data in the home
folder, and resolves `check` on first use.
"""

import os

from nbjudge import _jsonschema, _onnx_ir, _torchvision

__version__ = "0.1.0"
__all__ = ["check"]

# Read when onnxruntime is imported. Processes that this one starts, such as JupyterLab and its
# kernels, inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
_jsonschema.install()
_onnx_ir.install()
_torchvision.install()


def __getattr__(name: str):
    if name == "check":
        # Not from a module of the same name: importing that would put the module in the function's
        # place.
        from nbjudge.checking import check

        return check
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
