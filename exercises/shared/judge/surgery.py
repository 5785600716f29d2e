"""The judge of exercises whose one function makes a model out of a model: what the rungs are, and
what they look at.

An exercise says what it takes out or puts in, what it gives points for, and which mistakes stand
behind what is found; `structure` is its own. A hidden case's finding names no value of the model:
what a student's code writes into a name could carry the hidden input out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from formatlab import graphs, loading, numerics
from formatlab.diff import diff
from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab_exercises.shared.judge import models, ruler, signature
from formatlab_exercises.shared.judge.models import listed, name_of
from formatlab_exercises.shared.judge.surgery_loading import WRITTEN_BEFORE, Loose, loads
from formatlab_exercises.shared.judge.surgery_mistakes import SurgeryMistakes
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, Judge, Reference, RungSpec, gate
from nbjudge.contract.rungs import Inspect
from nbjudge.findings import Causes, Misconception, also, explained
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

# The rungs that are properties: an edit may be right without them. Each is looked at for the items
# that name it, which need a right edit besides.
RIGHT = ("contract", "structure", "numerics")
ARGUMENT = "contract: the argument"
NODES = "quality: nodes"
INITIALIZERS = "quality: initializers"
CONSTANTS = "quality: Constants"
NOTHING_LEFT_OVER = (NODES, INITIALIZERS, CONSTANTS)
SECOND_CALL = "quality: a second call"


class SurgeryJudge(Judge[SurgeryView]):
    """A case's `again` asks for a second call on the first one's result, which all hidden cases of an
    exercise do or none, so that it tells nothing; `integers` and `shapes` are those of
    `numerics.feeds`.
    """

    # The words of the exercise: its function, the page that treats it and its section there, what
    # it takes out (with the article), what the outputs have to be, and what is special about each
    # case, with the section that says it.
    signature: ClassVar[str]
    page: ClassVar[str]
    section: ClassVar[str]
    removes: ClassVar[str]
    means: ClassVar[str]
    descriptions: ClassVar[Mapping[str, str]]
    usual: ClassVar[str]
    sections: ClassVar[Mapping[str, str]]
    # What the graph has to be, as the clause "your answer ...".
    edits: ClassVar[str]
    # The mistakes behind a name that nothing writes, and behind outputs that differ: asked in their
    # order.
    unwritten: ClassVar[Causes]
    wrong_outputs: ClassVar[Causes]
    # The mistakes behind what may happen in every surgery.
    output_twice: ClassVar[Misconception]
    does_not_run: ClassVar[Misconception]
    random: ClassVar[Misconception] = SurgeryMistakes.something_random
    stand_in: ClassVar[Misconception]
    dead_nodes: ClassVar[Misconception]
    unused_initializers: ClassVar[Misconception]
    not_idempotent: ClassVar[Misconception]

    @abstractmethod
    def facts(self, data: bytes) -> Any:
        """What the checks need to know about a case's model."""

    @abstractmethod
    def structure(self, view: SurgeryView) -> Finding | None:
        """Whether the graph is the one that the exercise asks for."""

    def __init__(self) -> None:
        self.rungs = (
            gate("exists", outcome.exists(self.signature, self.read)),
            gate("type", self.is_model, title="returns a model"),
            gate("loads", self.loads, title="returns a model that loads"),
            RungSpec(
                "contract",
                self.keeps_names,
                title="keeps the inputs, the outputs and the opset imports",
            ),
            RungSpec("structure", self.is_edited, title=self.edits),
            RungSpec(
                "numerics", self.means_the_same, title="computes what it should at every size"
            ),
            self._property(
                ARGUMENT, signature.leaves_the_argument, "leaves the argument as it was"
            ),
            self._property(NODES, self.leaves_no_nodes, "leaves no node that serves no output"),
            self._property(
                INITIALIZERS,
                self.leaves_no_initializers,
                "leaves no initializer that nothing reads",
            ),
            self._property(
                CONSTANTS, self.leaves_no_constants, "leaves no Constant that nothing reads"
            ),
            self._property(
                SECOND_CALL, self.is_done_at_once, "finds nothing to do at a second call"
            ),
        )

    @staticmethod
    def _property(name: str, look: Inspect[SurgeryView], title: str) -> RungSpec[SurgeryView]:
        return RungSpec(name, look, title=title, is_property=True)

    @property
    def read(self) -> str:
        return f"{self.page}#{self.section}"

    def view(self, case: Case, answer: Answer, reference: Reference) -> SurgeryView:
        return SurgeryView(case, answer, reference, self.facts)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the right model gives on the case's inputs, in float32 and in float64."""
        return ruler.digest(self.right_model(case, answer), models.inputs_of(case))

    def right_model(self, case: Case, answer: Answer) -> bytes:
        """The model that computes what is asked for: the reference's answer, unless the case's own
        does.
        """
        return answer.files[MODEL]

    def changes(self, view: SurgeryView) -> list[str]:
        """The model that came back against the case's, as `course diff` says it; nothing where one
        of them is beyond what the checks read.
        """
        before, after = view.case.files[MODEL], view.answer.files.get(MODEL)
        if after is None:
            return []
        domains = {graphs.domain(node.domain) for node in graphs.nodes(view.before)}
        try:
            loading.refuse(after, loading.Caps.around(before), frozenset(domains | {""}))
            found = diff(before, after, inputs=0)
        except Exception:  # it helps a reader, and decides nothing
            return []
        if found.is_same:
            return [found.headline]
        nodes, _, same = found.counts
        lines = [f"{change.sentence}." for change in found.changes]
        kept = "is as it was" if same == 1 else "are as they were"
        lines.append(f"{same} of the {nodes} nodes that you were given {kept}.")
        return [line[:1].upper() + line[1:] for line in lines]

    def is_model(self, view: SurgeryView) -> Finding | None:
        """The function returns, and what it returns is a ModelProto."""
        expected = "an onnx.ModelProto (gs.export_onnx and onnx_ir.to_proto make one)"
        read = f"{self.page}#{self.sections.get(view.case.name, self.section)}"
        finding = outcome.returns(expected, read, models.report)(view)
        if finding is not None and view.answer.outcome == "raised":
            case = f"The case: {self.descriptions.get(view.case.name, self.usual)}"
            return replace(finding, cause=also(finding.cause, case))
        return finding

    def loads(self, view: SurgeryView) -> Finding | None:
        """Within the caps, every name written before it is read, accepted by the checker and by
        ONNX Runtime, and not made by that.
        """
        finding = loads(view, self.page, self._unwritten, self.output_twice, self.refused)
        return finding or signature.is_not_a_runtimes(view)

    def _unwritten(self, view: SurgeryView, found: list[graphs.Unwritten]) -> Finding:
        loose = Loose.of(found[0], view.case.public)
        return explained(WRITTEN_BEFORE, loose.needed, self.unwritten, view, loose)

    def refused(self, view: SurgeryView, problem: Unloadable) -> Finding | None:
        """What may be known better than the library says why a model is not accepted."""
        return None

    def keeps_names(self, view: SurgeryView) -> Finding | None:
        """The graph's inputs, outputs and opset imports are the argument's."""
        return signature.keeps_names(view, self.page, self.removes)

    def is_edited(self, view: SurgeryView) -> Finding | None:
        """The graph is the one that is asked for, and no Identity stands in for a node that went."""
        count = self.new_identities(view)
        return self.structure(view) or (self._stand_ins(count) if count > 0 else None)

    def means_the_same(self, view: SurgeryView) -> Finding | None:
        """The outputs are the reference's on fresh inputs of several shapes: without optimization,
        twice, and with all optimizations.
        """
        return self._differs_at(view, "ORT_DISABLE_ALL", 2) or self._differs_at(
            view, "ORT_ENABLE_ALL", 1
        )

    def _differs_at(self, view: SurgeryView, level: str, repeat: int) -> Finding | None:
        data, inputs = view.answer.files[MODEL], models.inputs_of(view.case)
        try:
            runs = numerics.run(data, inputs, level, repeat)
        except Exception as error:
            return self._does_not_run(view, loading.first_line(error))
        names = [value.name for value in view.before.graph.output]
        order = _order(names, [value.name for value in view.after.graph.output])
        found = [
            [[outputs[at] for at in order if at < len(outputs)] for outputs in repeats]
            for repeats in runs
        ]
        if any(not _same(first, other) for first, *others in found for other in others):
            return self._random()
        difference = ruler.difference(view.reference, [first for first, *_ in found], names)
        return self._differs(view, level, difference) if difference else None

    def _does_not_run(self, view: SurgeryView, message: str) -> Finding:
        found = message if view.case.public else "it loads, and fails when it runs"
        expected = "the model runs on inputs of the shapes and names that the argument takes"
        return Finding(expected, found, self.does_not_run)

    def _random(self) -> Finding:
        expected = "the same outputs for the same inputs at ORT_DISABLE_ALL"
        found = "two runs on the same inputs differ"
        return Finding(expected, found, self.random)

    def _differs(self, view: SurgeryView, level: str, difference: Difference) -> Finding:
        """Outputs that are not the reference's: by their form, then by what was changed on the way."""
        expected = (
            difference.expected
            if difference.kind == "value"
            else f"{difference.kind}: {difference.expected}"
        )
        where = (
            f" in output {name_of(difference.output)}"
            if view.case.public and difference.output
            else ""
        )
        found = f"{difference.found}{where}, at {level}"
        return explained(
            f"{self.means}: {expected}", found, self.wrong_outputs, view, level, difference
        )

    def leaves_no_initializers(self, view: SurgeryView) -> Finding | None:
        """Every initializer is read, but for those that nothing read before."""
        _, unused, _ = self._leftovers(view)
        if not unused:
            return None
        names = ", ".join(map(name_of, unused[:4]))
        found = f"unused: {names}" if view.case.public else f"{len(unused)} unused"
        return Finding("no initializer that nothing reads", found, self.unused_initializers)

    def leaves_no_nodes(self, view: SurgeryView) -> Finding | None:
        """Every node serves an output, but for those that served none before; Constants aside."""
        dead, _, constants = self._leftovers(view)
        return self._unused(dead + Counter({"Constant": constants})) if dead else None

    def leaves_no_constants(self, view: SurgeryView) -> Finding | None:
        """Every Constant is read, but for those that nothing read before."""
        _, _, constants = self._leftovers(view)
        return self._unused(Counter({"Constant": constants})) if constants else None

    def _unused(self, nodes: Counter[str]) -> Finding:
        expected = "no node that serves no output"
        return Finding(expected, f"unused: {listed(nodes)}", self.dead_nodes)

    def _leftovers(self, view: SurgeryView) -> tuple[Counter[str], list[str], int]:
        return models.leftovers_of_edit(view.case.files[MODEL], view.after)

    def is_done_at_once(self, view: SurgeryView) -> Finding | None:
        """A second call on the result finds nothing to do."""
        came = known(view.report)["again"]
        if came == "same":
            return None
        expected = "a second call finds nothing to do and changes nothing"
        does = "raises" if came == "raised" else "changes the nodes again"
        return Finding(expected, f"the second call {does}", self.not_idempotent)

    def _stand_ins(self, count: int) -> Finding:
        nodes = "Identity node stands" if count == 1 else "Identity nodes stand"
        expected = "an Identity only where it writes an output of its graph"
        return Finding(expected, f"{count} {nodes} where {self.removes} stood", self.stand_in)

    def new_identities(self, view: SurgeryView) -> int:
        return models.stand_ins(view.after) - models.stand_ins(view.before)


def _order(expected: list[str], found: list[str]) -> list[int]:
    """Where each expected output is found: by its name, or by its position once names were lost
    (which the contract has said).
    """
    return (
        [found.index(name) for name in expected]
        if sorted(expected) == sorted(found)
        else list(range(len(found)))
    )


def _same(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    pairs = [
        (a, b)
        for a, b in zip(first, second, strict=True)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
    ]
    return all(a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)
