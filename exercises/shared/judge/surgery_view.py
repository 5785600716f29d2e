"""What the rungs of a surgery look at: the model before, the one that came back, and what was read of
both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from onnx import ModelProto

from autograder.contract import View
from exercises.shared.judge import models
from exercises.shared.surgery import MODEL
from workbench import graphs, loading


@dataclass(frozen=True)
class SurgeryView(View):
    """`before` is the case's model, `facts` what the exercise knows about it, `after` the model
    that came back.
    """

    read: Callable[[bytes], Any]

    @cached_property
    def before(self) -> ModelProto:
        return loading.parse(self.case.files[MODEL])

    @cached_property
    def facts(self) -> Any:
        return self.read(self.case.files[MODEL])

    @cached_property
    def after(self) -> ModelProto:
        return loading.parse(self.answer.files[MODEL])

    @cached_property
    def liveness(self) -> graphs.Liveness:
        return models.leftovers(self.after)

    @cached_property
    def report(self) -> dict | None:
        return models.report(self.answer)

    def new_constants(self) -> int:
        """How many more numbers there are in initializers and Constants than before."""
        return graphs.constant_elements(self.after) - graphs.constant_elements(self.before)

    def has_new_constant_output(self) -> bool:
        return bool(
            set(graphs.constant_outputs(self.after)) - set(graphs.constant_outputs(self.before))
        )
