"""nbjudge grades Jupyter notebooks in a sandbox, beside nbgrader's gradebook.

Importing it is cheap: it keeps jsonschema from compiling a grammar that nobody needs
(`nbjudge._replaced`), and resolves `check` and `defend` on first use.
"""

import importlib

from nbjudge import _replaced

__version__ = "0.1.0"
__all__ = ["check", "defend"]

_replaced.install()


def __getattr__(name: str) -> object:
    if name == "check":
        # Not from a module of the same name: importing that would put the module in the function's
        # place. By name, as `formatlab` does, so that what follows imports finds `checking` only
        # behind those that check.
        return importlib.import_module("nbjudge.checking").check
    if name == "defend":
        return importlib.import_module("nbjudge.defending.learner").defend
    raise AttributeError(f"module 'nbjudge' has no attribute {name!r}")
