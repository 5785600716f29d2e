"""jsonschema, and with it nbformat and nbgrader, imports a package that compiles a grammar when it
is imported: a second for every command.

The grammar is needed to check that a text is an international address (`iri`), which no schema of a
notebook asks for. So the package is imported when the first text is checked.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types

_NAME = "rfc3987_syntax"


def install() -> None:
    """Stand in for the package until it is used; nothing where it is imported already, or missing."""
    spec = None if _NAME in sys.modules else importlib.util.find_spec(_NAME)
    if spec is not None:
        stand_in = types.ModuleType(_NAME)
        stand_in.__dict__.update(
            __path__=spec.submodule_search_locations,
            is_valid_syntax=_is_valid_syntax,
            __getattr__=_attribute,
        )
        sys.modules[_NAME] = stand_in


def _attribute(name: str) -> object:
    if name.startswith("__"):  # what the import system looks for
        raise AttributeError(name)
    return getattr(_real(), name)


def _is_valid_syntax(term: str, value: str) -> bool:
    return bool(_real().is_valid_syntax(term, value))


def _real() -> types.ModuleType:
    """The package itself, in the place of what stands in for it."""
    if getattr(sys.modules.get(_NAME), "is_valid_syntax", None) is _is_valid_syntax:
        del sys.modules[_NAME]
    return importlib.import_module(_NAME)
