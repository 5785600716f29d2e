"""The rungs of `layernorm`. Each looks at one case; `misconceptions` finds the words for what it sees."""

from __future__ import annotations

from collections import Counter
from functools import partial

from autograder.contract import Answer, Case, Finding, Reference
from exercises.layernorm.judge import case_facts, misconceptions
from exercises.layernorm.judge.cases import ANCHORS, TWISTS
from exercises.layernorm.judge.misconceptions import PAGE
from exercises.shared.judge import surgery
from exercises.shared.judge.surgery import MODEL
from workbench import graphs, loading


def is_model(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    twist = TWISTS.get(case.name, "a BERT as the exporter writes it.")
    return surgery.is_model(case, answer, reference, twist, f"{PAGE}#{ANCHORS.get(case.name, 'removing-layernorm')}")


def loads(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX Runtime."""
    unwritten = partial(misconceptions.unwritten, case, case_facts.read(case.files[MODEL]))
    return surgery.loads(case, answer, PAGE, unwritten, misconceptions.output_twice)


def keeps_signature(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The argument is as it was; the graph's inputs, outputs and opset imports are the argument's."""
    return surgery.keeps_signature(case, answer, PAGE, "a LayerNorm")


def removes_only_layernorm(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No LayerNorm's result is read, and of the other operators none is missing and none is new."""
    subject, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    if set(graphs.constant_outputs(model)) - set(graphs.constant_outputs(subject.model)):
        return misconceptions.constant_output()
    if len(model.functions) > len(subject.model.functions):
        return misconceptions.new_operators(Counter({"local function": len(model.functions)}))
    left = case_facts.places(model)
    if left:
        return misconceptions.left_over(subject, left)
    live = surgery.leftovers(model).live
    # An Identity that was there may go: it computes nothing. A new one is a matter of quality.
    missing, new = (count - Counter({"Identity": count["Identity"]}) for count in (subject.remaining - live, live - subject.remaining))
    if missing:
        return misconceptions.missing(missing)
    if new - (subject.live - subject.remaining):
        return misconceptions.new_operators(new)
    if graphs.constant_elements(model) > graphs.constant_elements(subject.model):
        return misconceptions.more_constants()
    return misconceptions.still_there(new) if new else None


def means_the_same(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The outputs are the reference's on fresh inputs of several shapes: without optimization, twice, and with all optimizations."""
    does_not_run = partial(misconceptions.does_not_run, case)
    differs = partial(misconceptions.differs, case, case_facts.read(case.files[MODEL]))
    return surgery.computes(case, answer, reference, does_not_run, misconceptions.random, differs)


def is_clean(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No stand-ins, nothing left over, and a second pass finds nothing to do."""
    subject, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    stand_ins = surgery.stand_ins(model) - surgery.stand_ins(subject.model)
    if stand_ins > 0:
        return misconceptions.stand_ins(stand_ins)
    life = surgery.leftovers(model)
    if life.unused_constants > subject.unused_constants or life.dead - subject.dead:
        return misconceptions.dead_nodes(life.unused_constants, life.dead)
    if len(life.unused_initializers) > subject.unused_initializers:
        return misconceptions.unused_initializers(case, life.unused_initializers)
    if surgery.report(answer)["again"] != "same":
        return misconceptions.not_idempotent(surgery.report(answer)["again"])
    return None
