"""Whether the model that came back can be loaded, and what stands behind a name that nothing writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from formatlab import graphs, loading
from formatlab.loading import Unloadable
from formatlab_exercises.shared.judge import surgery_mistakes
from formatlab_exercises.shared.judge.models import name_of, refusal
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Finding, View
from nbjudge.contract.rungs import Viewed
from nbjudge.findings import Misconception

WRITTEN_BEFORE = (
    "every name that is read is written before, by a node, an initializer or a graph input"
)


@dataclass(frozen=True)
class Loose:
    """A name that is read where nothing wrote it: `reader` and `what` say in words who reads it,
    and which name it is.
    """

    at: graphs.Unwritten
    reader: str
    what: str

    @classmethod
    def of(cls, at: graphs.Unwritten, public: bool) -> Loose:
        return cls(at, reader_of(at), f"the name {name_of(at.name)}" if public else "a name")

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


def reader_of(unwritten: graphs.Unwritten) -> str:
    """Who reads a name that nothing wrote, in words."""
    node = unwritten.node
    return "an output of the graph" if node is None else f"a node ({node.op_type})"


def loads(
    view: Viewed,
    page: str,
    unwritten: Callable[[Viewed, list[graphs.Unwritten]], Finding],
    output_twice: Misconception,
    refused: Callable[[Viewed, Unloadable], Finding | None],
) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX
    Runtime.

    `refused` may know better than the library why a model is not accepted.
    """
    try:
        finding = _ill_named(view, unwritten, output_twice)
    except Unloadable as problem:
        return _refusal(view, page, problem)
    return finding or _invalid(view, page, refused)


def _ill_named(
    view: Viewed,
    unwritten: Callable[[Viewed, list[graphs.Unwritten]], Finding],
    output_twice: Misconception,
) -> Finding | None:
    """What is wrong with the names of a model within the caps. Raises Unloadable."""
    data, before = view.answer.files[MODEL], view.case.files[MODEL]
    domains = {graphs.domain(node.domain) for node in graphs.nodes(loading.parse(before))}
    loading.refuse(data, loading.Caps.around(before), frozenset(domains | {""}))
    if found := graphs.unwritten(loading.parse(data)):
        return unwritten(view, found)
    given, returned = (
        Counter(value.name for value in loading.parse(one).graph.output) for one in (before, data)
    )
    # Twice only where the argument has it twice: an output may be declared so.
    if not returned - (given | Counter(returned.keys())):
        return None
    expected = "graph outputs of different names"
    return Finding(expected, "two graph outputs of the same name", output_twice)


def _invalid(
    view: Viewed, page: str, refused: Callable[[Viewed, Unloadable], Finding | None]
) -> Finding | None:
    try:
        loading.validate(view.answer.files[MODEL])
    except Unloadable as problem:
        return refused(view, problem) or _refusal(view, page, problem)
    return None


def _refusal(view: View, page: str, problem: Unloadable) -> Finding:
    cause = surgery_mistakes.REFUSALS.get(problem.cause, problem.cause)
    found = refusal(view.case, problem)
    return Finding(problem.expected, found, cause, f"{page}#proving-equivalence")
