"""What a comparison found, as data and as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from formatlab.diff.agreement import Agreement
from formatlab.diff.changes import Change, Kind, together
from formatlab.diff.compare import ScopeDiff
from formatlab.diff.reading import Model
from formatlab.diff.words import capital, joined


@dataclass(eq=False, repr=False, kw_only=True)
class Comparison:
    """What changed from `a` to `b`. `is_same` tells that nothing did but names, order, and how the
    file is written.

    `changes` are those of one sort together, `scopes` the graphs side by side; `agreement` says
    what runs on drawn inputs showed, None if nothing was run.
    """

    a: Model
    b: Model
    found: list[Change]
    scopes: list[ScopeDiff]
    agreement: Agreement | None = None

    @cached_property
    def changes(self) -> list[Change]:
        return together(each for each in self.found if not each.is_silent)

    @cached_property
    def remarks(self) -> list[Change]:
        """What is another and changes nothing."""
        return together(each for each in self.found if each.is_silent)

    @property
    def remarks_on_shapes(self) -> bool:
        return any(each.kind == Kind.ANNOTATIONS for each in self.found)

    def refresh(self) -> None:
        """After changes were added."""
        for name in ("changes", "remarks"):
            self.__dict__.pop(name, None)

    @property
    def is_same(self) -> bool:
        return not self.changes

    @property
    def counts(self) -> tuple[int, int, int]:
        """Nodes of A, nodes of B, and how many are one, in all scopes."""
        return (
            sum(len(each.pairs.a.nodes) for each in self.scopes),
            sum(len(each.pairs.b.nodes) for each in self.scopes),
            sum(len(each.pairs.forth) for each in self.scopes),
        )

    @property
    def headline(self) -> str:
        if not self.is_same:
            number = len(self.changes)
            return "One thing changed." if number == 1 else f"{number} things changed."
        kinds = {each.kind for each in self.remarks}
        what = [
            word
            for kind, word in (
                (Kind.NAMES, "names"),
                (Kind.ORDER, "the order of nodes"),
                (Kind.ANNOTATIONS, "declared shapes of inner values"),
            )
            if kind in kinds
        ]
        if not what:
            return "The two models are the same."
        return f"Nothing changed but {joined(what)}."

    @property
    def text(self) -> str:
        lines = [self.headline, *(f"- {capital(each.sentence)}." for each in self.changes)]
        lines += [self.rest]
        if self.agreement is not None:
            lines.append(self.agreement.text)
        return "\n".join(line for line in lines if line)

    @property
    def rest(self) -> str:
        """What is known of what did not change."""
        if self.is_same:
            return ""
        found = self._counted
        if any(each.pairs.is_by_order for each in self.scopes):
            found += (
                " So many parts of these graphs are alike that finding which is which was given up, "
                "and the rest was paired in its order: fewer things may have changed than are told."
            )
        return found

    @property
    def _counted(self) -> str:
        nodes_a, nodes_b, same = self.counts
        if not same:
            return "No node of A is one of B."
        if same == nodes_a == nodes_b:
            return (
                f"All {same} nodes are the same ones." if same > 1 else "The one node is the same."
            )
        which = "1 node is the same one" if same == 1 else f"{same} nodes are the same ones"
        return f"{which}, of {nodes_a} in A and {nodes_b} in B."
