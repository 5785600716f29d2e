"""The rungs of `dropout`. Each looks at one case; `dropout_symptoms` finds the words for what it sees."""

from __future__ import annotations

from collections import Counter
from functools import partial

from autograder.exercises.base import Answer, Case, Finding, Reference
from autograder.exercises.dropout import subject as dropout_subject
from autograder.exercises.dropout import symptoms as dropout_symptoms
from autograder.exercises.dropout.cases import ANCHORS, TWISTS
from autograder.exercises.dropout.symptoms import PAGE
from autograder.rungs import graphs, loading, surgery
from autograder.rungs.surgery import MODEL

MOST_PER_MASK = 8


def is_model(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The function returns, and what it returns is a ModelProto."""
    twist = TWISTS.get(case.name, "a BERT as the exporter writes it.")
    return surgery.is_model(case, answer, reference, twist, f"{PAGE}#{ANCHORS.get(case.name, 'dropout')}")


def loads(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """Within the caps, every name written before it is read, accepted by the checker and by ONNX Runtime."""
    subject = dropout_subject.read(case.files[MODEL])
    unwritten = partial(dropout_symptoms.unwritten, case, subject)
    return surgery.loads(case, answer, PAGE, unwritten, dropout_symptoms.same_output_twice)


def keeps_signature(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The argument is as it was; the graph's inputs, outputs and opset imports are the argument's."""
    return surgery.keeps_signature(case, answer, PAGE, "a Dropout")


def removes_only_dropout(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No Dropout is left, and of the other operators none is missing and none is new."""
    subject, model = dropout_subject.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    constant = set(graphs.constant_outputs(model)) - set(graphs.constant_outputs(subject.model))
    if constant:
        return dropout_symptoms.constant_output()
    if graphs.constant_elements(model) > graphs.constant_elements(subject.model) + MOST_PER_MASK * len(subject.masks):
        return dropout_symptoms.more_constants()
    left = [node for node in graphs.nodes(model) if dropout_subject.is_dropout(node)]
    if len(model.functions) > len(subject.model.functions) and not left:
        return dropout_symptoms.new_operators(Counter({"local function": len(model.functions)}))
    if left:
        return dropout_symptoms.left_over(subject, model, left)
    live = surgery.leftovers(model).live
    # An Identity that was there may go: it computes nothing. A new one is a matter of quality.
    missing, new = (count - Counter({"Identity": count["Identity"]}) for count in (subject.remaining - live, live - subject.remaining))
    if missing:
        return dropout_symptoms.missing(missing)
    helpers = Counter({name: count for name, count in new.items() if name in dropout_subject.MASK_OPERATORS})
    if new - helpers or helpers.total() > MOST_PER_MASK * len(subject.masks):
        return dropout_symptoms.new_operators(new)
    return None


def means_the_same(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """The outputs are the reference's on fresh inputs of several shapes: without optimization, twice, and with all optimizations."""
    subject, model = dropout_subject.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    does_not_run = partial(dropout_symptoms.does_not_run, case)
    differs = partial(dropout_symptoms.differs, case, subject, model)
    return surgery.computes(case, answer, reference, does_not_run, dropout_symptoms.random, differs)


def is_clean(case: Case, answer: Answer, reference: Reference) -> Finding | None:
    """No stand-ins, nothing left over, and a second pass finds nothing to do."""
    subject, model = dropout_subject.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    stand_ins = surgery.stand_ins(model) - surgery.stand_ins(subject.model)
    if stand_ins > 0:
        return dropout_symptoms.stand_ins(stand_ins)
    life = surgery.leftovers(model)
    if len(life.unused_initializers) > subject.unused_initializers:
        return dropout_symptoms.unused_initializers(case, life.unused_initializers)
    if life.unused_constants > subject.unused_constants or life.dead - subject.dead:
        return dropout_symptoms.dead_nodes(life.unused_constants, life.dead)
    if surgery.report(answer)["again"] != "same":
        return dropout_symptoms.not_idempotent(surgery.report(answer)["again"])
    return None
