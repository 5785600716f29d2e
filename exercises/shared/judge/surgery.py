"""The judge of exercises whose one function makes a model out of a model: what the rungs are, and
what they look at.

An exercise says what it takes out or puts in, what each rung is worth, and which mistakes stand
behind what is found; `structure` is its own. A hidden case's finding names no value of the model:
what a student's code writes into a name could carry the hidden input out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from formatlab import graphs, loading, numerics
from formatlab.diff import diff
from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab_exercises.shared.judge import models, signature
from formatlab_exercises.shared.judge.models import listed, name_of
from formatlab_exercises.shared.judge.surgery_loading import WRITTEN_BEFORE, Loose, loads
from formatlab_exercises.shared.judge.surgery_mistakes import SurgeryMistakes
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, Judge, Reference, RungSpec
from nbjudge.contract.rungs import NEARLY_ALL, Inspect
from nbjudge.findings import Causes, Misconception, also, explained
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

KEEPS_SIGNATURE = "keeps the inputs, the outputs and the model that was given"


@dataclass(frozen=True)
class Worth:
    """What a rung is worth, and the most that is left (a share) when it breaks on some or on all
    cases. `all_at` is the share of them that counts as all.
    """

    points: float
    cap_some: float | None = None
    cap_all: float | None = None
    all_at: float = NEARLY_ALL


class SurgeryJudge(Judge[SurgeryView]):
    """A case's `again` asks for a second call on the first one's result; `integers` and `shapes`
    are those of `numerics.feeds`.
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
    # Where the structure is graded in parts: for the rung of each part, the part that `function_of`
    # gives for its cases.
    parts: ClassVar[Mapping[str, str]] = {}
    sections: ClassVar[Mapping[str, str]]
    worth: ClassVar[Mapping[str, Worth]]
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
            self._rung("exists", outcome.exists(self.signature, self.read), gate=True),
            self._rung("type", self.is_model, gate=True, title="returns a model"),
            self._rung("loads", self.loads, gate=True),
            self._rung("contract", self.keeps_signature, title=KEEPS_SIGNATURE),
            *(self._rung(name, self.structure) for name in self.parts or ("structure",)),
            self._rung("numerics", self.means_the_same, title="computes the same at every size"),
            self._rung("quality", self.is_clean, title="leaves no stand-ins and no leftovers"),
        )

    def _rung(
        self, name: str, look: Inspect[SurgeryView], *, gate: bool = False, title: str = ""
    ) -> RungSpec[SurgeryView]:
        worth = {"exists": Worth(0.0, 0.0, 0.0), **self.worth}[name]
        function = self.parts.get(name, "")
        return RungSpec(
            name,
            worth.points,
            look,
            cap_some=worth.cap_some,
            cap_all=worth.cap_all,
            all_at=worth.all_at,
            gate=gate,
            title=title,
            function=function,
        )

    @property
    def read(self) -> str:
        return f"{self.page}#{self.section}"

    def view(self, case: Case, answer: Answer, reference: Reference) -> SurgeryView:
        return SurgeryView(case, answer, reference, self.facts)

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The reference's outputs on the case's inputs: `<run>/<position>`."""
        return numerics.pack(
            [outputs[0] for outputs in numerics.run(answer.files[MODEL], models.inputs_of(case))]
        )

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

    def keeps_signature(self, view: SurgeryView) -> Finding | None:
        """The argument is as it was; the graph's inputs, outputs and opset imports are the
        argument's.
        """
        return signature.keeps_signature(view, self.page, self.removes)

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
        pairs = zip(numerics.unpack(view.reference), runs, strict=True)
        return next(filter(None, (self._compare(view, level, *pair) for pair in pairs)), None)

    def _compare(
        self, view: SurgeryView, level: str, expected: numerics.Outputs, repeats: list
    ) -> Finding | None:
        names = [value.name for value in view.before.graph.output]
        order = _order(names, [value.name for value in view.after.graph.output])
        found = [[outputs[at] for at in order if at < len(outputs)] for outputs in repeats]
        if any(not _same(found[0], other) for other in found[1:]):
            return self._random()
        allowed = numerics.tolerance(view.before)
        difference = numerics.compare(expected, found[0], names, allowed)
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

    def is_clean(self, view: SurgeryView) -> Finding | None:
        """No stand-ins, nothing left over, and a second pass finds nothing to do."""
        count = self.new_identities(view)
        if count > 0:
            return self._stand_ins(count)
        return self._unused(view) or self._second_call(known(view.report)["again"])

    def _unused(self, view: SurgeryView) -> Finding | None:
        """What reads nothing any more: nodes, initializers, Constants, in this order."""
        dead, unused, constants = models.leftovers_of_edit(view.case.files[MODEL], view.after)
        if dead:
            return self._dead_nodes(dead, constants)
        if unused:
            names = ", ".join(map(name_of, unused[:4]))
            found = f"unused: {names}" if view.case.public else f"{len(unused)} unused"
            return Finding("no initializer that nothing reads", found, self.unused_initializers)
        return self._dead_nodes(dead, constants) if constants else None

    def _second_call(self, came: str) -> Finding | None:
        if came == "same":
            return None
        expected = "a second call finds nothing to do and changes nothing"
        does = "raises" if came == "raised" else "changes the nodes again"
        return Finding(expected, f"the second call {does}", self.not_idempotent)

    def _dead_nodes(self, dead: Counter[str], constants: int) -> Finding:
        found = f"unused: {listed(dead + Counter({'Constant': constants}))}"
        return Finding("no node that serves no output", found, self.dead_nodes)

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
