"""What `dropout` gives points for, and the mistakes that stand behind what its judge finds."""

from __future__ import annotations

from formatlab.loading import Unloadable
from formatlab_exercises.dropout.ask import SIGNATURE
from formatlab_exercises.dropout.judge import case_facts, cases, misconceptions, rungs
from formatlab_exercises.dropout.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import refusal
from formatlab_exercises.shared.judge.surgery import (
    ARGUMENT,
    NOTHING_LEFT_OVER,
    RIGHT,
    SECOND_CALL,
    SurgeryJudge,
)
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from nbjudge.contract import Case, Finding, ItemSpec


class DropoutJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "rewiring"
    removes = "a Dropout"
    means = "the outputs of the same model with each Dropout passing its input on"
    descriptions = cases.DESCRIPTIONS
    usual = "a BERT as the exporter writes it."
    sections = cases.ANCHORS
    edits = "removes each Dropout, and nothing besides"
    points = 4.0
    # Each case holds a Dropout that has to go, so that an answer that passes everything on, refuses
    # it, or takes it for a special case earns nothing. A runtime's optimizer is right on the BERT
    # alone, which the chain beside it tells. Three mistakes cost three items each: a function that
    # does not descend leaves Dropouts in branches, with masks and with what served them alone; one that
    # knows no graph outputs breaks whatever ends in one; and one that deletes shared settings breaks
    # what shares them: another Dropout's reader, the BERT's attention mask, a branch.
    items = (
        ItemSpec(
            name="between-nodes",
            title="a Dropout between two nodes, with one reader or several",
            points=0.6,
            cases=("chain*", "two-consumers*", "graph-input"),
        ),
        ItemSpec(
            name="bert",
            title="a BERT as the exporter writes it",
            points=0.5,
            cases=("bert*",),
            controls=("chain-new",),
        ),
        ItemSpec(
            name="settings",
            title="ratio and training_mode in every form, also shared ones",
            points=0.4,
            cases=(
                "training-mode*",
                "constant-is-shared*",
                "older-opset",
                "old-opset",
                "optional-inputs",
                "settings-are-inputs",
            ),
        ),
        ItemSpec(
            name="graph-outputs",
            title="a Dropout that writes a graph output",
            points=0.4,
            cases=("at-the-output*", "graph-input-to-output", "two-graph-outputs"),
        ),
        ItemSpec(
            name="series",
            title="Dropouts one after another",
            points=0.3,
            cases=("one-after-another", "series"),
        ),
        ItemSpec(
            name="inside",
            title="a Dropout inside a branch or a loop",
            points=0.3,
            cases=("in-a-branch", "set-outside", "if-*", "loop-body", "settings-outside"),
        ),
        ItemSpec(
            name="masks",
            title="a mask that is used, also inside a branch",
            points=0.5,
            cases=("mask*",),
        ),
        ItemSpec(
            name="read-inside",
            title="a Dropout whose result a branch reads",
            points=0.2,
            cases=("read-in-a-branch*",),
        ),
        ItemSpec(
            name="domain",
            title="a Dropout of another domain beside ONNX's own",
            points=0.2,
            cases=("another-domain", "other-domain"),
        ),
        ItemSpec(
            name="left-over",
            title="nothing left over of what served the Dropouts alone",
            points=0.2,
            cases=("training-mode*", "computed-ratio", "settings-inside"),
            needs=(*RIGHT, *NOTHING_LEFT_OVER),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.2,
            cases=("chain*", "two-consumers*"),
            needs=(*RIGHT, ARGUMENT),
        ),
        ItemSpec(
            name="second-call",
            title="a model without a Dropout, which comes back as it is",
            points=0.2,
            cases=("chain*",),
            needs=(*RIGHT, SECOND_CALL),
        ),
    )
    facts, structure = staticmethod(case_facts.read), staticmethod(rungs.removes_only_dropout)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = Mistakes.two_outputs_of_one_name
    does_not_run, random = Mistakes.fixes_what_was_open, Mistakes.still_random
    stand_in, dead_nodes = Mistakes.identity_instead, Mistakes.stale_nodes
    unused_initializers = Mistakes.stale_initializers
    not_idempotent = Mistakes.counts_on_a_dropout

    def refused(self, view: SurgeryView, problem: Unloadable) -> Finding | None:
        """A name that was made may be one that a graph inside writes."""
        if not rungs.writes_again(view.before, view.after):
            return None
        found = refusal(view.case, problem)
        return Finding(problem.expected, found, Mistakes.name_taken_inside)

    def pretrained_cases(self, seed: int) -> list[Case]:
        return [cases.pretrained_case(seed)]


JUDGE = DropoutJudge()
