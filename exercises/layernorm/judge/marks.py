"""What `layernorm` gives points for, and the mistakes that stand behind what its judge finds."""

from __future__ import annotations

from formatlab_exercises.layernorm.ask import SIGNATURE
from formatlab_exercises.layernorm.judge import case_facts, cases, misconceptions, rungs
from formatlab_exercises.layernorm.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.surgery import (
    ARGUMENT,
    NOTHING_LEFT_OVER,
    RIGHT,
    SECOND_CALL,
    SurgeryJudge,
)
from nbjudge.contract import ItemSpec


class LayerNormJudge(SurgeryJudge):
    signature, page, section = SIGNATURE, misconceptions.PAGE, "removing-layernorm"
    removes = "a LayerNorm"
    means = "the outputs of the same model with Identity in place of each LayerNorm"
    descriptions = cases.DESCRIPTIONS
    usual = "a BERT as the exporter writes it."
    sections = cases.ANCHORS
    edits = "removes each LayerNorm, and nothing besides"
    points = 6.0
    # Each case holds a LayerNorm that has to go, and nearly each one of another item holds one in its
    # plainest form, spelt out, so that leaving everything alone earns nothing and looking for the
    # operator alone earns what is about the operator. The axes of ReduceMean are an attribute in half
    # of the cases and an input in the others: whoever reads one place alone loses half. And an
    # answer that leaves scale and bias behind does so wherever one is spelt out with them. Whoever takes
    # no output for a reader loses `outputs`, and `inside`, where a quotient is an output of a branch.
    items = (
        ItemSpec(
            name="operator",
            title="the operator LayerNormalization",
            points=0.6,
            cases=("fused", "operator"),
        ),
        ItemSpec(
            name="bert",
            title="a BERT as the exporter writes it",
            points=0.6,
            cases=("bert*",),
        ),
        ItemSpec(
            name="spelt-out",
            title="a LayerNorm that is spelt out, with its scale and bias",
            points=0.9,
            cases=("decomposed", "spelt-out"),
        ),
        ItemSpec(
            name="numbers",
            title="what older exporters write: axes as an attribute, and numbers in every form",
            points=0.4,
            cases=("axes-in-an-attribute", "numbers-in-constants", "numbers"),
        ),
        ItemSpec(
            name="series",
            title="residual blocks, and LayerNorms one after another",
            points=0.4,
            cases=("residual", "series"),
        ),
        ItemSpec(
            name="outputs",
            title="a LayerNorm that writes a graph output",
            points=0.4,
            cases=("output", "graph-output"),
        ),
        ItemSpec(
            name="inner-values",
            title="inner values and statistics that other nodes read",
            points=0.4,
            cases=("statistics-are-read", "statistics", "inner-readers"),
        ),
        ItemSpec(
            name="inside",
            title="LayerNorms and readers inside a branch or a loop",
            points=0.4,
            cases=("in-branches", "read-in-a-branch", "branch-output", "loop-body"),
        ),
        ItemSpec(
            name="affine",
            title="products and sums behind a LayerNorm that are no scale and no bias",
            points=0.4,
            cases=("no-scale", "width-by-name", "other-affine", "named-width"),
        ),
        ItemSpec(
            name="relatives",
            title="what only looks like a LayerNorm",
            points=0.6,
            cases=(
                "mean-of-another",
                "no-mean",
                "another-domain",
                "look-alikes",
                "computed-number",
                "computed-epsilon",
                "rms-norm",
                "relatives",
            ),
        ),
        ItemSpec(
            name="axes",
            title="other axes than the last one",
            points=0.3,
            cases=("more-axes", "two-axes", "four-dimensions"),
        ),
        ItemSpec(
            name="left-over",
            title="nothing left over, and nothing left to do for a second call",
            points=0.3,
            cases=("decomposed", "spelt-out"),
            needs=(*RIGHT, *NOTHING_LEFT_OVER, SECOND_CALL),
        ),
        ItemSpec(
            name="argument",
            title="the argument left as it was",
            points=0.3,
            cases=("residual", "series"),
            needs=(*RIGHT, ARGUMENT),
        ),
    )
    facts, structure = staticmethod(case_facts.read), staticmethod(rungs.removes_only_layernorm)
    unwritten, wrong_outputs = misconceptions.UNWRITTEN, misconceptions.WRONG_OUTPUTS
    output_twice = Mistakes.two_outputs_of_one_name
    does_not_run = Mistakes.fixes_what_was_open
    stand_in, dead_nodes = Mistakes.identity_instead, Mistakes.stale_nodes
    unused_initializers = Mistakes.stale_initializers
    not_idempotent = Mistakes.counts_on_a_layernorm


JUDGE = LayerNormJudge()
