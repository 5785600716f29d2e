"""Importing onnx_ir imports sympy, which takes longer than all the rest of it together. onnx_ir uses
it for one thing: to compute with sizes that have names (`batch + 1`).

So sympy, and the module of onnx_ir that lists its functions, run when their first attribute is
looked up. `importlib.util.LazyLoader` does the same, but takes a second `import` for a use.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

_LATER = ("sympy", "onnx_ir._symbolic_shapes")


def install() -> None:
    """Arm the import hook, once. Nothing is imported by this."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds those modules, with a loader that waits."""

    def __init__(self) -> None:
        self._left = set(_LATER)

    def find_spec(
        self, fullname: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        if fullname not in self._left:
            return None
        self._left.remove(fullname)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Later(spec.loader)
        return spec


class _Later(Loader):
    def __init__(self, loader: Loader):
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__spec__.loader = module.__loader__ = self._loader
        module.__class__ = _NotYetRun


class _NotYetRun(types.ModuleType):
    """A module before its first use, which makes an ordinary one of it."""

    def __getattribute__(self, name: str) -> Any:
        spec = super().__getattribute__("__spec__")
        if name == "__spec__":  # what a second `import` looks at
            return spec
        self.__class__ = types.ModuleType  # type: ignore[assignment]  # until now it was the subclass
        try:
            spec.loader.exec_module(self)
        except BaseException:
            self.__class__ = _NotYetRun
            raise
        return getattr(self, name)
