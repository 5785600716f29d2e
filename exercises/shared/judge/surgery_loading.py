"""Whether the model that came back can be loaded, and what stands behind a name that nothing writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.contract import Finding, View
from autograder.findings import Misconception
from exercises.shared.judge import surgery_mistakes
from exercises.shared.judge.models import refusal
from exercises.shared.surgery import MODEL
from workbench import graphs, loading
from workbench.loading import Unloadable


@dataclass(frozen=True)
class Loose:
    """A name that is read where nothing wrote it: `reader` and `what` say in words who reads it,
    and which name it is.
    """

    at: graphs.Unwritten
    reader: str
    what: str

    @property
    def name(self) -> str:
        return self.at.name

    @property
    def is_output(self) -> bool:
        return self.at.node is None

    @property
    def depth(self) -> int:
        return self.at.depth

    @property
    def needed(self) -> str:
        return f"{self.reader} needs {self.what}, which nothing writes"


def loads(
    view: View,
    page: str,
    unwritten: Callable[[View, list[graphs.Unwritten]], Finding],
    output_twice: Misconception,
    refused: Callable[[View, Unloadable], Finding | None],
) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX
    Runtime.

    `refused` may know better than the library why a model is not accepted.
    """
    data, before = view.answer.files[MODEL], view.case.files[MODEL]
    domains = frozenset(
        graphs.domain(node.domain) for node in graphs.nodes(loading.parse(before))
    ) | {""}
    try:
        loading.refuse(data, loading.Caps.around(before), domains)
        if found := graphs.unwritten(loading.parse(data)):
            return unwritten(view, found)
        names = [value.name for value in loading.parse(data).graph.output]
        if len(set(names)) < len(names):
            expected = "graph outputs of different names"
            found = "two graph outputs of the same name"
            return Finding(expected, found, output_twice)
        try:
            loading.validate(data)
        except Unloadable as problem:
            if finding := refused(view, problem):
                return finding
            raise
    except Unloadable as problem:
        found = refusal(view.case, problem)
        cause = surgery_mistakes.REFUSALS.get(problem.cause, problem.cause)
        return Finding(problem.expected, found, cause, f"{page}#proving-equivalence")
    return None
