"""What `gemm` gives points for, and the mistakes that stand behind what its judge finds."""

from __future__ import annotations

from formatlab_exercises.gemm.ask import SIGNATURE
from formatlab_exercises.gemm.judge import case_facts, cases, misconceptions, rungs
from formatlab_exercises.gemm.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.surgery import (
    ARGUMENT,
    NOTHING_LEFT_OVER,
    RIGHT,
    SECOND_CALL,
    SurgeryJudge,
)
from formatlab_exercises.shared.judge.surgery_view import SurgeryView
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, ItemSpec


class GemmJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "fusing-a-pair"
    removes, means = "an Add", "the outputs of the argument"
    descriptions = cases.DESCRIPTIONS
    usual = "a BERT with a classifier; only the classifier's pairs may be fused."
    sections = cases.ANCHORS
    edits = "fuses each pair that may be fused, and no other"
    points = 4.0
    # Each case holds a pair that may be fused, so that an answer that fuses nothing earns nothing,
    # and nearly each one that may not. Whoever counts no readers at all loses three items: other
    # nodes, outputs and branches are readers. So does an answer that looks for initializers alone,
    # because biases with names and those in loops are none. One that stops at its first pair earns
    # nothing: no model has only one.
    items = (
        ItemSpec(
            name="layers",
            title="linear layers, one behind the other or side by side",
            points=0.6,
            cases=("chain*", "in-turns", "side-by-side"),
        ),
        ItemSpec(
            name="bert",
            title="the classifier of a BERT, and none of its other products",
            points=0.4,
            cases=("bert*",),
            controls=("chain-new",),
        ),
        ItemSpec(
            name="ranks",
            title="a factor with one dimension or three",
            points=0.4,
            cases=(
                "one-dimension",
                "three-dimensions",
                "one-and-three",
                "other-ranks",
                "vector-and-stack",
            ),
        ),
        ItemSpec(
            name="bias-shapes",
            title="a bias of every shape, of which some are too large",
            points=0.4,
            cases=(
                "wider-bias",
                "longer-bias",
                "three-in-the-bias",
                "dimension-of-zero",
                "bias-shapes",
                "bias-too-large",
                "no-rows",
            ),
        ),
        ItemSpec(
            name="names",
            title="dimensions that have names",
            points=0.3,
            cases=(
                "other-name",
                "rows-as-columns",
                "name-made-up",
                "other-than-declared",
                "other-names",
                "made-up-names",
                "declared-product",
            ),
        ),
        ItemSpec(
            name="unknown",
            title="dimensions of which nothing is known",
            points=0.2,
            cases=("no-name", "no-rank", "unknown-sizes", "unknown-rank"),
        ),
        ItemSpec(
            name="operands",
            title="weights and biases from anywhere, in either order",
            points=0.2,
            cases=(
                "late-bias",
                "shape-is-inferred",
                "bias-first",
                "bias-in-front",
                "from-anywhere",
                "weight-on-the-left",
            ),
        ),
        ItemSpec(
            name="readers",
            title="a product that something else reads",
            points=0.3,
            cases=("two-readers*", "sums-of-products", "twice", "two-products", "added-to-itself"),
        ),
        ItemSpec(
            name="outputs",
            title="a product or a sum that is an output",
            points=0.3,
            cases=("output", "product-is-output", "sum-is-output"),
        ),
        ItemSpec(
            name="inside",
            title="pairs and readers inside a branch or a loop",
            points=0.3,
            cases=(
                "in-*branches*",
                "deeper",
                "read-in-a-branch",
                "same-names",
                "branch-in-branch",
                "add-in-if",
                "loop-body",
            ),
        ),
        ItemSpec(
            name="lookalikes",
            title="other types, other domains, and operators that look alike",
            points=0.2,
            cases=("whole-numbers", "another-domain", "integers", "lookalikes"),
        ),
        ItemSpec(
            name="left-over",
            title="nothing left over, and nothing left to do for a second call",
            points=0.2,
            cases=("chain*",),
            needs=(*RIGHT, *NOTHING_LEFT_OVER, SECOND_CALL),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.2,
            cases=("chain*",),
            needs=(*RIGHT, ARGUMENT),
        ),
    )
    facts = staticmethod(case_facts.read)
    structure = staticmethod(rungs.fuses_what_it_may)
    refused = staticmethod(rungs.refused)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = Mistakes.two_outputs_of_one_name
    does_not_run = Mistakes.batch_taken_for_granted
    stand_in, dead_nodes = Mistakes.new_identity, Mistakes.matmul_left
    unused_initializers, not_idempotent = Mistakes.weights_copied, Mistakes.fuses_twice

    def right_model(self, case: Case, answer: Answer) -> bytes:
        """A fusion changes no function: the case's own model says what is right."""
        return case.files[MODEL]

    def new_identities(self, view: SurgeryView) -> int:
        return view.liveness.live["Identity"] - view.facts.live["Identity"]


JUDGE = GemmJudge()
