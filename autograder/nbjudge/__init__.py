"""nbjudge grades Jupyter notebooks in a sandbox, beside nbgrader's gradebook.

Importing it is cheap: it keeps jsonschema from compiling a grammar that nobody needs
(`nbjudge._replaced`), and resolves `check` on first use.
"""

from nbjudge import _replaced

__version__ = "0.1.0"
__all__ = ["check"]

_replaced.install()


def __getattr__(name: str) -> object:
    if name == "check":
        # Not from a module of the same name: importing that would put the module in the function's
        # place.
        from nbjudge.checking import check

        return check
    raise AttributeError(f"module 'nbjudge' has no attribute {name!r}")
