"""The rungs of `dropout`. Each looks at one case; `misconceptions` finds the words for what it sees."""

from __future__ import annotations

from collections import Counter
from functools import partial

from autograder.contract import Answer, Case, Finding, Reference
from exercises.dropout.judge import case_facts, misconceptions
from exercises.dropout.judge.cases import ANCHORS, TWISTS
from exercises.dropout.judge.misconceptions import PAGE
from exercises.shared.judge import surgery
from exercises.shared.judge.surgery import MODEL
from workbench import graphs, loading

MOST_PER_MASK = 8


def is_model(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    twist = TWISTS.get(case.name, "a BERT as the exporter writes it.")
    return surgery.is_model(case, answer, reference, twist, f"{PAGE}#{ANCHORS.get(case.name, 'dropout')}")


def loads(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX Runtime."""
    subject = case_facts.read(case.files[MODEL])
    unwritten = partial(misconceptions.unwritten, case, subject)
    return surgery.loads(case, answer, PAGE, unwritten, misconceptions.same_output_twice)


def keeps_signature(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The argument is as it was; the graph's inputs, outputs and opset imports are the argument's."""
    return surgery.keeps_signature(case, answer, PAGE, "a Dropout")


def removes_only_dropout(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No Dropout is left, and of the other operators none is missing and none is new."""
    subject, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    constant = set(graphs.constant_outputs(model)) - set(graphs.constant_outputs(subject.model))
    if constant:
        return misconceptions.constant_output()
    if graphs.constant_elements(model) > graphs.constant_elements(subject.model) + MOST_PER_MASK * len(subject.masks):
        return misconceptions.more_constants()
    left = [node for node in graphs.nodes(model) if case_facts.is_dropout(node)]
    if len(model.functions) > len(subject.model.functions) and not left:
        return misconceptions.new_operators(Counter({"local function": len(model.functions)}))
    if left:
        return misconceptions.left_over(subject, model, left)
    live = surgery.leftovers(model).live
    # An Identity that was there may go: it computes nothing. A new one is a matter of quality.
    missing, new = (count - Counter({"Identity": count["Identity"]}) for count in (subject.remaining - live, live - subject.remaining))
    if missing:
        return misconceptions.missing(missing)
    helpers = Counter({name: count for name, count in new.items() if name in case_facts.MASK_OPERATORS})
    if new - helpers or helpers.total() > MOST_PER_MASK * len(subject.masks):
        return misconceptions.new_operators(new)
    return None


def means_the_same(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The outputs are the reference's on fresh inputs of several shapes: without optimization, twice, and with all optimizations."""
    subject, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    does_not_run = partial(misconceptions.does_not_run, case)
    differs = partial(misconceptions.differs, case, subject, model)
    return surgery.computes(case, answer, reference, does_not_run, misconceptions.random, differs)


def is_clean(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No stand-ins, nothing left over, and a second pass finds nothing to do."""
    subject, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    stand_ins = surgery.stand_ins(model) - surgery.stand_ins(subject.model)
    if stand_ins > 0:
        return misconceptions.stand_ins(stand_ins)
    life = surgery.leftovers(model)
    if len(life.unused_initializers) > subject.unused_initializers:
        return misconceptions.unused_initializers(case, life.unused_initializers)
    if life.unused_constants > subject.unused_constants or life.dead - subject.dead:
        return misconceptions.dead_nodes(life.unused_constants, life.dead)
    if surgery.report(answer)["again"] != "same":
        return misconceptions.not_idempotent(surgery.report(answer)["again"])
    return None
