"""What became of a weight's numbers is told by looking at each of them: for each pair of types with a
value that the second cannot hold.
"""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

import formatlab

PLENTY = 12  # more than are told one by one


def model(values, kind):
    made = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 21]> g (float[N] x) => (float[N] y) { y = Neg(x) }'
    )
    dtype = helper.tensor_dtype_to_np_dtype(getattr(TensorProto, kind))
    values = np.asarray(values)
    with np.errstate(all="ignore"):
        tensor = numpy_helper.from_array(
            values if values.dtype == dtype else values.astype(dtype), "w"
        )
    made.graph.initializer.append(tensor)
    made.graph.node.append(helper.make_node("Identity", ["w"], ["v"]))
    made.graph.output.append(
        helper.make_tensor_value_info("v", tensor.data_type, list(values.shape))
    )
    return made


def told(before, one, after, other):
    found = formatlab.diff(model(before, one), model(after, other), inputs=0)
    [change] = [each for each in found.changes if "weight" in each.text]
    return change.text, change.details


def plenty(*values):
    return np.array([*values, *[1.0] * (PLENTY - len(values))])


BIG = 3.4028e38


@pytest.mark.parametrize(
    ("one", "other", "before", "after", "words", "number"),
    [
        # (type, type, two numbers, what became of them, in words, how many)
        ("FLOAT", "FLOAT16", (9e4, -1.2e5), None, "became infinite", 2),
        ("FLOAT", "FLOAT16", (9e4, 0.5), (65504, 0.5), "was clamped", 1),
        ("FLOAT", "FLOAT16", (9e4, 0.5), (np.nan, 0.5), "became NaN", 1),
        ("FLOAT", "FLOAT16", (9e4, 0.5), (1e4, 0.5), "was beyond what FLOAT16 holds", 1),
        ("FLOAT", "FLOAT16", (1e-9, 0.5), None, "became 0", 1),
        ("FLOAT", "FLOAT16", (0.1, np.inf), None, "rounded to the nearest", None),
        ("FLOAT", "BFLOAT16", (0.1, 0.3), None, "rounded to the nearest", None),
        ("FLOAT", "BFLOAT16", (1.996, 0.5), (1.9844, 0.5), "was cut off", 1),
        ("FLOAT", "FLOAT8E4M3FN", (1000.0, 0.5), None, "became NaN", 1),
        ("FLOAT", "FLOAT8E5M2", (1e6, 0.5), None, "became infinite", 1),
        ("DOUBLE", "FLOAT", (1e300, 0.1), None, "became infinite", 1),
        ("DOUBLE", "FLOAT", (0.1, 0.3), None, "rounded to the nearest", None),
        ("FLOAT16", "FLOAT", (0.1, 6e4), None, "with the same numbers", None),
        ("FLOAT", "INT8", (300.0, 1.0), (44, 1), "wrapped around", 1),
        ("FLOAT", "INT8", (300.0, 1.0), (127, 1), "was clamped to the end of what INT8 holds", 1),
        ("FLOAT", "UINT8", (-3.0, 1.0), (0, 1), "was clamped", 1),
        ("FLOAT", "INT8", (2.6, 1.0), (3, 1), "rounded to the nearest", None),
        ("FLOAT", "INT8", (2.6, 1.0), (2, 1), "was cut off", 1),
        ("FLOAT", "INT8", (0.3, 1.0), (0, 1), "became 0", 1),
        ("FLOAT", "INT32", (np.inf, 1.0), (2**31 - 1, 1), "was infinite or NaN", 1),
        ("FLOAT", "INT64", (1e19, 1.0), (2**63 - 1, 1), "was clamped", 1),
        ("FLOAT", "INT8", (0.3, -0.2), np.arange(PLENTY), "it was quantized", None),
        ("INT64", "INT32", (3_000_000_000, 2), None, "wrapped around", 1),
        ("INT64", "INT32", (2**63 - 1, 2), None, "wrapped around", 1),
        ("INT64", "INT32", (2**63 - 1, 2), (2**31 - 1, 2), "was clamped", 1),
        ("INT64", "INT32", (7, 2), None, "with the same numbers", None),
        ("INT64", "UINT8", (-1, 2), None, "wrapped around", 1),
        ("UINT64", "INT64", (2**63 + 1, 2), None, "wrapped around", 1),
        ("INT64", "FLOAT", (2**24 + 1, 2), None, "rounded to the nearest", None),
        ("INT64", "DOUBLE", (2**53 + 1, 2), None, "rounded to the nearest", None),
        ("INT64", "BOOL", (5, 0), (1, 0), "clamped", None),
    ],
)  # fmt: skip
def test_each_number_is_looked_at(one, other, before, after, words, number):
    start = helper.tensor_dtype_to_np_dtype(getattr(TensorProto, one))
    target = helper.tensor_dtype_to_np_dtype(getattr(TensorProto, other))
    whole = np.array([*before, *[1] * (PLENTY - 2)], object if start.kind in "iu" else np.float64)
    with np.errstate(all="ignore"):
        mine = whole.astype(start)
        rest = [1] * (PLENTY - 2)
        if after is None:
            theirs = mine.astype(target)
        else:
            theirs = np.array(after if len(after) == PLENTY else [*after, *rest]).astype(target)
    text, _ = told(mine, one, theirs, other)
    assert words in text, text
    if number is not None:
        assert f"{number} of its {PLENTY} numbers" in text, text
    else:
        assert "became infinite" not in text


def test_a_mask_that_became_infinite_is_not_the_same_number():
    text, details = told(np.float32(-BIG), "FLOAT", np.float16(-np.inf), "FLOAT16")
    assert "became infinite" in text
    assert details["became_infinite"] == 1


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        # A number beside a much larger one: as a vector the difference is nothing.
        (plenty(-BIG, 0), plenty(-BIG, 5), "from 0 to 5"),
        (plenty(1e7, 3), plenty(1e7, 6), "by 3 at most, where the largest is 1e+07"),
        (plenty(1.0, 2.0), plenty(1.0, np.inf), "1 number that became infinite"),
        (plenty(1.0, 2.0), plenty(np.nan, np.inf), "1 number that became infinite and 1 number that became NaN"),
        (plenty(1.0, np.inf), plenty(1.0, 5.0), "1 number that was infinite or NaN and changed"),
        (plenty(1.0, np.inf), plenty(1.0, -np.inf), "1 number that was infinite or NaN and changed"),
        (plenty(1.0, 0.0), plenty(1.0, -0.0), "a zero's sign"),
        (np.linspace(1, 2, PLENTY), np.linspace(1, 2, PLENTY) * (1 + 3e-7), "rounding alone"),
        (np.arange(5e3), np.arange(5e3) + (np.arange(5e3) == 2500), "1 of its 5000 numbers"),
        (np.linspace(1, 2, PLENTY), np.linspace(2, 4, PLENTY), "is 2 times what it was"),
    ],
)  # fmt: skip
def test_numbers_of_one_type(before, after, words):
    text, _ = told(np.float32(before), "FLOAT", np.float32(after), "FLOAT")
    assert words in text, text
    assert ("rounding alone" in text) == (words == "rounding alone")
    assert "1 times" not in text


def test_whole_numbers_that_float64_does_not_tell_apart():
    before = np.full(PLENTY, 2**62)
    after = before.copy()
    after[3] += 1
    text, details = told(before, "INT64", after, "INT64")
    assert details["changed"] == 1
    assert "by 1 at most" in text


def test_few_numbers_that_look_alike_are_told_with_all_digits():
    one = np.float32(0.1)
    other = np.nextafter(one, np.float32(1))
    text, _ = told([one] * 2, "FLOAT", [one, other], "FLOAT")
    assert "0.10000000894069672" in text
