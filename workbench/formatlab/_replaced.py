"""What the library replaces in packages of others, all of it: the table in docs/architecture.md says
why, and which test notices when a package no longer has it.

1. A CUDA build of torchvision cannot load its compiled operators beside a CPU build of torch, and
   then fails on import, because it describes two of them, `nms` and `qnms`, that are not there;
   `transformers` fails with it. Defining the two schemas makes torchvision's Python parts (models,
   transforms) work. The operators themselves stay missing, and say so when they are called.
2. Importing onnx_ir imports sympy, which takes longer than all the rest of it together. onnx_ir uses
   it for one thing: to compute with sizes that have names (`batch + 1`). So sympy, and the module of
   onnx_ir that lists its functions, run when their first attribute is looked up.
   `importlib.util.LazyLoader` does the same, but takes a second `import` for a use.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# Imported right after torchvision has tried to load its operators, and the module that needs them.
NEEDS_OPERATORS = "torchvision._meta_registrations"
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"

# torch forgets a definition when the library object that made it goes away.
_libraries: list[torch.library.Library] = []

_LATER = ("sympy", "onnx_ir._symbolic_shapes")


def install() -> None:
    """Arm the import hooks, once each. Nothing is imported by this."""
    for hook in (_Operators, _Sympy):
        if not any(isinstance(finder, hook) for finder in sys.meta_path):
            sys.meta_path.insert(0, hook())


class _Operators(MetaPathFinder):
    """Finds no module; when torchvision comes to the one that needs its operators, defines those
    that are missing and goes away.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  # the import system gives it
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname == NEEDS_OPERATORS:
            sys.meta_path.remove(self)
            _define_missing()
        return None


def _define_missing() -> None:
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(name + SIGNATURE)
    _libraries.append(library)


class _Sympy(MetaPathFinder):
    """Finds those modules, with a loader that waits."""

    def __init__(self) -> None:
        self._left = set(_LATER)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  # the import system gives it
        target: types.ModuleType | None = None,  # noqa: ARG002
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

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        module.__class__ = _NotYetRun


class _NotYetRun(types.ModuleType):
    """A module before its first use, which makes an ordinary one of it."""

    def __getattribute__(self, name: str) -> Any:
        spec = super().__getattribute__("__spec__")
        if name == "__spec__":  # what a second `import` looks at
            return spec
        self.__class__ = types.ModuleType  # type: ignore[assignment]
        try:
            spec.loader.exec_module(self)
        except BaseException:
            self.__class__ = _NotYetRun
            raise
        return getattr(self, name)
