"""What the rungs of a surgery look at: the model before, the one that came back, and what was read of
both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from onnx import ModelProto

from formatlab import graphs, loading
from formatlab_exercises.shared.judge import models
from formatlab_exercises.shared.judge.surgery_mistakes import SurgeryMistakes
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Finding, View


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

    def stores_one_run(self) -> Finding | None:
        """What is wrong where an output that followed from the graph's inputs no longer does."""
        constant = graphs.constant_outputs
        if set(constant(self.after)) <= set(constant(self.before)):
            return None
        return Finding(
            "every output depends on the graph's inputs",
            "an output that depends on no input",
            SurgeryMistakes.stores_one_run,
        )
