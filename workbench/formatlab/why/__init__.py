"""`formatlab.why(a, b)`: is it rounding or a bug, which node is it, and what is the cause?

The package is callable, so that the name is the same for the function and for its parts. Each step has
a module, and each can end the search: `question` (do both answer the same one?), rounding (in `steps`,
by `measure.yardstick`, with what `unseen` finds within it), the place (`formatlab.diff.places`), the
cause (`causes`, by `repairs`, `reduced` and `formulas`), a session's optimizations (`levels`),
`reproducer`, `answer`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from formatlab.diff.errors import CannotDiff
from formatlab.why.answer import Answer, Cause, Where
from formatlab.why.asking import why

__all__ = ["Answer", "CannotDiff", "Cause", "Where", "why"]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Answer:
        return why(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
