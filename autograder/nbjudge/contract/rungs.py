"""What a rung looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Generic

from nbjudge.contract.cases import Answer, Case, Reference
from nbjudge.findings import Finding


@dataclass(frozen=True)
class View:
    """What a rung looks at: a case, the answer to it, and what was kept of the reference's. A judge
    may add what it reads of them.
    """

    case: Case
    answer: Answer
    reference: Reference


if TYPE_CHECKING:
    from typing_extensions import TypeVar  # Python's own has defaults from 3.13 on

    Viewed = TypeVar("Viewed", bound=View, default=View)
else:
    from typing import TypeVar

    Viewed = TypeVar("Viewed", bound=View)

# What a rung does: the finding where the case breaks it, None where it does not. `Viewed` is the
# view that the judge makes, `View` itself where nothing else is said.
Inspect = Callable[[Viewed], Finding | None]


@dataclass(frozen=True)
class RungSpec(Generic[Viewed]):
    """A rung of an exercise. `inspect` looks at one case. Its name, in words, is the rung's title
    unless another is given: a clause that completes "your answer …".

    A case that breaks a `gate` has nothing left for the later rungs to look at. A rung that
    `is_property` is looked at for the items that name it alone: the argument left as it was, nothing
    left over. What is `forbidden` must never happen: where one answer shows it, also one that a gate
    stopped, the exercise gives nothing. With a `function` a rung looks only at the cases that call it
    (`Judge.function_of`). What gives points is `contract.items`.
    """

    name: str
    inspect: Inspect[Viewed]
    _: KW_ONLY
    gate: bool = False
    is_property: bool = False
    forbidden: bool = False
    title: str = ""
    function: str = ""

    def __post_init__(self) -> None:
        if not self.title:
            words = getattr(self.inspect, "__name__", self.name).strip("_<>").replace("_", " ")
            object.__setattr__(self, "title", words)


def gate(name: str, inspect: Inspect[Viewed], **more: Any) -> RungSpec[Viewed]:
    """A rung that is a gate."""
    return RungSpec(name, inspect, gate=True, **more)
