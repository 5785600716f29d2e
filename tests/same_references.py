"""References that two processors computed: the same names, dtypes and shapes, and numbers as close
as rounding leaves them.
"""

from collections.abc import Mapping

import numpy as np

from nbjudge.references import ROUNDING as FLOAT32

# How far references of two processors may lie apart, relative to the largest number, beside float32's
# rounding: float16 is rounded after each node, and exponentials differ in their last bit. A
# signal-to-noise ratio moves where a last bit carries a value over a step of its quantization.
ROUNDING = {"fp16": 4 * float(np.finfo(np.float16).eps)}
DECIBELS = 0.1

References = Mapping[str, Mapping[str, np.ndarray]]


def assert_same_references(exercise: str, new: References, old: References) -> None:
    """Two references of an exercise, by case and key."""
    assert {case: set(arrays) for case, arrays in new.items()} == {
        case: set(arrays) for case, arrays in old.items()
    }
    for case, arrays in new.items():
        for key, array in arrays.items():
            _assert_same(f"{exercise} {case} {key}", exercise, key, array, old[case][key])


def _assert_same(where: str, exercise: str, key: str, array: np.ndarray, other: np.ndarray) -> None:
    assert (array.dtype, array.shape) == (other.dtype, other.shape), where
    if array.dtype.kind != "f":
        assert np.array_equal(array, other), where
        return
    largest = np.abs(other[np.isfinite(other)]).max(initial=0.0)
    bound = DECIBELS if key == "sqnr" else ROUNDING.get(exercise, FLOAT32) * largest
    np.testing.assert_allclose(array, other, rtol=0, atol=bound, err_msg=where)
