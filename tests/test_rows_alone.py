"""Whether a row's outputs depend on the rows beside it is measured, and not guessed from operators."""

import numpy as np
import pytest
from onnx import parser

from formatlab import loading
from formatlab.measure.alone import batched_inputs, rows_alone
from formatlab.models import make_model


def run_of(body, level="ORT_ENABLE_ALL"):
    text = f"g (float[N, 64] x, float[8] fixed) => (float[N, 8] y) {{ {body} }}"
    model = make_model(parser.parse_graph(text))
    session = loading.session(model.SerializeToString(), level)
    return batched_inputs(model), lambda feeds: session.run(None, feeds)


DYNAMIC = "q, s, z = DynamicQuantizeLinear(x) d = DequantizeLinear(q, s, z) "
FIRST = "t = Constant<value_ints: ints = [8]>() n = Constant<value_ints: ints = [0]>() o = Constant<value_ints: ints = [1]>() "


@pytest.mark.parametrize(
    ("body", "depends"),
    [
        (FIRST + "h = Slice(x, n, t, o) k = Softmax(h) y = Add(k, fixed)", False),
        (FIRST + DYNAMIC + "h = Slice(d, n, t, o) y = Add(h, fixed)", True),
        (
            FIRST + "h = Slice(x, n, t, o) m = ReduceMean(h, n) k = Sub(h, m) y = Add(k, fixed)",
            True,
        ),
    ],
    ids=["row by row", "one scale for the batch", "the batch's mean"],
)
def test_a_row_beside_other_rows(body, depends):
    batched, run = run_of(body)
    assert batched == ["x"]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 64)).astype(np.float32)
    x[3] *= 20
    found = rows_alone(run, {"x": x, "fixed": np.ones(8, np.float32)}, batched)
    assert found.is_moved == depends
    assert found.rows == 4 and found.together[0].shape == found.alone[0].shape == (4, 8)
    assert (found.sqnr_db < 60 and found.cosine < 1) == depends
    with pytest.raises(ValueError, match="two rows or more"):
        rows_alone(run, {"x": x[:1], "fixed": np.ones(8, np.float32)}, batched)


def test_what_differs_from_run_to_run_says_nothing_of_neighbours():
    batched, run = run_of(FIRST + "h = Slice(x, n, t, o) r = RandomNormalLike(h) y = Add(r, fixed)")
    x = np.ones((4, 64), np.float32)
    assert rows_alone(run, {"x": x, "fixed": np.ones(8, np.float32)}, batched) is None


def test_the_batch_axis_is_the_open_one_that_most_inputs_share():
    def of(inputs):
        return batched_inputs(
            make_model(parser.parse_graph(f"g ({inputs}) => (float[2] y) {{ y = Identity(w) }}"))
        )

    assert of("float[B, T] x, int64[B, T] m, float[P, 8] past, float[2] w") == ["x", "m"]
    assert of("float[4, T] x, float[2] w") == []
