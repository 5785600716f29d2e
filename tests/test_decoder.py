"""The small decoder: its stored weights predict prose that they have not seen, and the script that
made them keeps that prose out.
"""

import numpy as np
import torch
import train_decoder
from hypothesis import given
from hypothesis import strategies as st

from formatlab.models import decoder


def test_documents_are_rows_of_one_length_that_begin_alike():
    documents = decoder.documents()
    assert documents.shape[1] == decoder.CONTEXT + 1 and len(documents) >= 50
    assert documents.dtype == np.int64
    assert (documents[:, 0] == decoder.START[0]).all()
    assert documents.min() >= 0 and documents.max() < decoder.SIZES["vocab_size"]


def test_the_weights_predict_prose_that_they_have_not_seen():
    ids = torch.from_numpy(decoder.documents()[:16])
    with torch.no_grad():
        loss = decoder.trained()(input_ids=ids, labels=ids).loss
    assert float(loss.exp()) < 5  # 256 for one that knows nothing


def test_the_training_sees_no_document_that_is_kept_out():
    texts = [
        f"{number} {'a text that is long enough to be kept out. ' * 8}" for number in range(90)
    ]
    data, held_out = train_decoder.split(texts)
    assert 0 < len(held_out) < len(texts) / 3
    assert not any(text.encode() in data for text in held_out)
    assert all(text.encode() in data for text in texts if text not in held_out)
    assert train_decoder.split(texts[::-1])[1] == held_out


def test_the_rate_rises_and_falls():
    rates = [train_decoder.rate(step) for step in range(train_decoder.STEPS)]
    top = int(np.argmax(rates))
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)


@given(st.text())
def test_a_text_comes_back(text):
    assert decoder.decode(decoder.encode(text)) == text


def test_bytes_that_are_no_text_are_shown_all_the_same():
    assert decoder.decode(np.array([0xFF, 65])) == "�A"
