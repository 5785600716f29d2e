"""The rungs of `gemm`. Each looks at one case; `misconceptions` finds the words for what it sees."""

from __future__ import annotations

from collections import Counter
from functools import partial

from autograder.contract import Answer, Case, Finding, Reference
from exercises.gemm.judge import case_facts, misconceptions
from exercises.gemm.judge.cases import ANCHORS, TWISTS
from exercises.gemm.judge.misconceptions import PAGE
from exercises.shared.judge import surgery
from exercises.shared.judge.surgery import MODEL
from workbench import graphs, loading


def is_model(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    twist = TWISTS.get(case.name, "a BERT with a classifier; only the classifier's pairs may be fused.")
    return surgery.is_model(case, answer, reference, twist, f"{PAGE}#{ANCHORS.get(case.name, 'fusing-a-pair')}")


def loads(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX Runtime."""
    subject = case_facts.read(case.files[MODEL])
    unwritten = partial(misconceptions.unwritten, case, subject)
    refused = partial(misconceptions.refused, case, subject)
    return surgery.loads(case, answer, PAGE, unwritten, misconceptions.output_twice, refused)


def keeps_signature(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The argument is as it was; the graph's inputs, outputs and opset imports are the argument's."""
    return surgery.keeps_signature(case, answer, PAGE, "an Add")


def fuses_what_it_may(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Every pair that may be fused is one Gemm, no other pair is, and all else is as it was."""
    subject, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    if set(graphs.constant_outputs(model)) - set(graphs.constant_outputs(subject.model)):
        return misconceptions.constant_output()
    obstacle = misconceptions.wrongly_fused(subject, model)
    if obstacle:
        return misconceptions.fused_too_much(obstacle)
    if len(model.functions) > len(subject.model.functions):
        return misconceptions.wrong_nodes(subject, model, Counter({"local function": len(model.functions)}))
    live = surgery.leftovers(model).live
    live["Identity"] = subject.expected["Identity"]  # a new one is a matter of quality
    if live != subject.expected:
        return misconceptions.wrong_nodes(subject, model, live)
    if graphs.constant_elements(model) > graphs.constant_elements(subject.model):
        return misconceptions.more_constants()
    return None


def means_the_same(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The outputs are the reference's on fresh inputs of several shapes: without optimization, twice, and with all optimizations."""
    does_not_run = partial(misconceptions.does_not_run, case)
    return surgery.computes(case, answer, reference, does_not_run, misconceptions.random, partial(misconceptions.differs, case))


def is_clean(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No stand-ins, nothing left over, and a second pass finds nothing to do."""
    subject, life = case_facts.read(case.files[MODEL]), surgery.leftovers(loading.parse(answer.files[MODEL]))
    stand_ins = life.live["Identity"] - subject.live["Identity"]
    if stand_ins > 0:
        return misconceptions.stand_ins(stand_ins)
    if life.unused_constants > subject.unused_constants or life.dead - subject.dead:
        return misconceptions.dead_nodes(life.unused_constants, life.dead)
    if len(life.unused_initializers) > subject.unused_initializers:
        return misconceptions.unused_initializers(case, life.unused_initializers)
    if surgery.report(answer)["again"] != "same":
        return misconceptions.not_idempotent(surgery.report(answer)["again"])
    return None
