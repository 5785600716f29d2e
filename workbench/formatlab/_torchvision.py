"""Make `import torchvision` work beside a build of torch that does not match it.

A CUDA build of torchvision cannot load its compiled operators beside a CPU build of torch, and then
fails on import, because it describes two of them, `nms` and `qnms`, that are not there;
`transformers` fails with it. Defining the two schemas makes torchvision's Python parts (models,
transforms) work. The operators themselves stay missing, and say so when they are called.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

# Imported right after torchvision has tried to load its operators, and the module that needs them.
NEEDS_OPERATORS = "torchvision._meta_registrations"
SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"

# torch forgets a definition when the library object that made it goes away.
_libraries: list[Any] = []


def install() -> None:
    """Arm the import hook, once. Neither torch nor torchvision is imported by this."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds no module; when torchvision comes to the one that needs its operators, defines those
    that are missing and goes away.
    """

    def find_spec(
        self, fullname: str, _path: object = None, _target: object = None
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
