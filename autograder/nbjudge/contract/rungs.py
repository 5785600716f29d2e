"""What a rung looks at, and what it is worth."""

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

# An answer that is right on one case in ten, or on fewer, does not do the work: a case that comes
# out right by chance for one seed must not decide whether a cap for all cases holds.
NEARLY_ALL = 0.9


@dataclass(frozen=True)
class RungSpec(Generic[Viewed]):
    """A rung of an exercise: its points, and the caps (shares of the exercise's points) when it
    breaks on some or on all cases.

    `inspect` looks at one case. Its name, in words, is the rung's title unless another is given:
    `same_shapes` is "same shapes". A case that breaks a `gate` has nothing left for the later rungs
    to look at, and the exercise gives at most the share of its points whose cases are left.

    With `every_case` it looks at every answer that came back, also where an earlier rung broke: for
    what must never happen. With a `slip`, wrong cases cost that many times their share of the
    rung's points; without one the first wrong case costs them all. Where it has a slip, `cap_all`
    holds as soon as more than half of the cases are wrong; else from the share `all_at` of them on.
    Where the exercise's points are a list of items (`contract.items`), a rung has none, and no caps.
    A rung that `is_property` is looked at for the items that name it alone: the argument left as it
    was, nothing left over. What is `forbidden` must never happen: where one answer shows it, also
    one that a gate stopped, the exercise gives nothing.

    With a `function` it looks only at the cases that call it (`Judge.function_of`), so that each of
    several functions earns its own points.
    """

    name: str
    points: float
    inspect: Inspect[Viewed]
    _: KW_ONLY
    cap_some: float | None = None
    cap_all: float | None = None
    all_at: float = NEARLY_ALL
    every_case: bool = False
    slip: float = 0.0
    gate: bool = False
    is_property: bool = False
    forbidden: bool = False
    title: str = ""
    function: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for points and caps that no rung can have."""
        if not isinstance(self.points, int | float) or self.points < 0:
            raise ValueError(f"the rung {self.name!r} has {self.points!r} points")
        for what in ("cap_some", "cap_all", "all_at"):
            share = getattr(self, what)
            if share is not None and not (isinstance(share, int | float) and 0 <= share <= 1):
                raise ValueError(f"the rung {self.name!r} has {what}={share!r}: a share, 0 to 1")
        if not self.title:
            object.__setattr__(
                self,
                "title",
                getattr(self.inspect, "__name__", self.name).strip("_<>").replace("_", " "),
            )


def gate(
    name: str, points: float, inspect: Inspect[Viewed], *, cap_all: float = 0.0, **more: Any
) -> RungSpec[Viewed]:
    """A rung that is a gate. Nothing is left where all cases break it, unless `cap_all` is given."""
    return RungSpec(name, points, inspect, cap_all=cap_all, gate=True, **more)
