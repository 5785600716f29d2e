"""Names, order and the way in which a file is written are no difference; everything else is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import formatlab
from formatlab.models.fixtures import FOLDER
from tests.diff.diff_edits import EDITS, copy, disguised, drawn


@given(model=st.integers(0, 10_000), disguise=st.integers(0, 10_000))
def test_other_names_another_order_and_other_fields_are_the_same_model(model, disguise):
    original = drawn(model)
    found = formatlab.diff(original, disguised(original, disguise), inputs=0)
    assert found.is_same, found.text
    assert found.text.startswith("Nothing changed but ")


@given(model=st.integers(0, 10_000), disguise=st.integers(0, 10_000), edit=st.sampled_from(EDITS))
def test_one_change_is_named_and_nothing_else(model, disguise, edit):
    original = drawn(model)
    edited = edit(copy(original), np.random.default_rng(disguise))
    if edited is None:
        return
    found = formatlab.diff(original, edited.model, inputs=0)
    assert len(found.changes) == 1, found.text
    assert found.changes[0].kind.value in edited.kinds, found.text
    assert edited.word in found.changes[0].text, found.text
    # Under other names and in another order it is the same sort of change.
    again = formatlab.diff(original, disguised(edited.model, disguise), inputs=0)
    assert [each.kind for each in again.changes] == [found.changes[0].kind], again.text


@pytest.mark.parametrize("name", ["bert", "bert-dropout", "digits-cnn"])
def test_a_real_model_is_itself_under_other_names(name):
    from onnx import load

    model = load(FOLDER / f"{name}.onnx")
    found = formatlab.diff(model, disguised(model, 1), inputs=0)
    assert found.is_same, found.text


def test_the_same_bytes_are_the_same():
    model = drawn(0)
    assert formatlab.diff(model, model).text == "The two models are the same."
