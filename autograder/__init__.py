"""The lab harness of the ML model formats course.

Importing it is cheap: it arms the torchvision fix (see `autograder._torchvision`) and resolves `check` on first use.
"""

from autograder import _torchvision

__version__ = "0.1.0"
__all__ = ["check"]

_torchvision.install()


def __getattr__(name: str):
    if name == "check":
        # Not from a module of the same name: importing that would put the module in the function's place.
        from autograder.checking import check

        return check
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")
