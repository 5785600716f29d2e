"""The steps of notebook 04a: the formulas of eight bits, one at a time, up to a pair of products that saturates."""

import numpy as np

from formatlab_exercises.steps import Slip, Step, Steps


def largest_error(low, high, bits):
    return (high - low) / (2**bits - 1) / 2


def decibels(reference, found):
    return 10 * np.log10((reference**2).sum() / ((reference - found) ** 2).sum())


def scales(weight, axis):
    others = tuple(i for i in range(weight.ndim) if i != axis)
    return np.abs(weight).max(axis=others) / 127


def integer_sum(qx, zx, qw, zw):
    return (qx.astype(np.int32) - np.int32(zx)) @ (qw.astype(np.int32) - np.int32(zw))


def eight_bits_throughout(qx, zx, qw, zw):
    return (qx - qx.dtype.type(zx)) @ (qw - qw.dtype.type(zw))


def pair_sum(a, b):
    return min(max(a[0] * b[0] + a[1] * b[1], -(2**15)), 2**15 - 1)


def unsigned(a, b):
    return min(max(a[0] * b[0] + a[1] * b[1], 0), 2**16 - 1)


def wrapped(a, b):
    return (a[0] * b[0] + a[1] * b[1] + 2**15) % 2**16 - 2**15


def codes(zx, zw):
    return (
        np.array([[200, 17, 250], [3, 128, 90]], np.uint8),
        zx,
        np.array([[120, 7], [200, 255], [250, 64]], np.uint8),
        zw,
    )


WEIGHT = np.array(
    [[[0.5, -2.0], [1.0, 0.25]], [[-0.1, 0.02], [0.05, -0.08]], [[4.0, 3.0], [-1.0, 0.5]]]
)

step = Steps(
    "lab-7-01/04a-int8-arithmetic",
    error=Step(
        "affine-quantization",
        largest_error,
        {
            "eight bits": lambda: (-1.0, 1.3, 8),
            "four bits": lambda: (0.0, 6.0, 4),
            "two bits": lambda: (-3.0, 0.0, 2),
        },
        (
            Slip(
                lambda low, high, bits: (high - low) / (2**bits - 1),
                "Rounding goes to the nearer code: half a step.",
            ),
            Slip(
                lambda low, high, bits: (high - low) / 2**bits / 2,
                "256 codes have 255 steps between them.",
            ),
        ),
    ),
    sqnr=Step(
        "what-a-bit-is-worth",
        decibels,
        {
            "near": lambda: (np.array([1.0, -2.0, 3.0]), np.array([1.01, -1.98, 3.0])),
            "far": lambda: (np.array([1.0, -2.0, 3.0]), np.array([0.0, -1.0, 5.0])),
        },
        (
            Slip(
                lambda r, f: 2 * decibels(r, f),
                "The sums are of squares already: 10 times the logarithm.",
            ),
            Slip(
                lambda r, f: 10 * np.log10(np.abs(r).sum() / np.abs(r - f).sum()),
                "Square before you add: the ratio is one of powers.",
            ),
            Slip(lambda r, f: -decibels(r, f), "The signal stands above, and the error below."),
        ),
    ),
    scales=Step(
        "a-scale-for-each-channel",
        scales,
        {
            "first axis": lambda: (WEIGHT, 0),
            "last axis": lambda: (WEIGHT, 2),
            "a matrix": lambda: (WEIGHT[0], 1),
        },
        (
            Slip(
                lambda w, axis: np.full(w.shape[axis], np.abs(w).max() / 127),
                "This is one scale for all channels, repeated.",
            ),
            Slip(
                lambda w, axis: w.max(axis=tuple(i for i in range(w.ndim) if i != axis)) / 127,
                "The largest size may be that of a negative number.",
            ),
            Slip(
                lambda w, axis: np.abs(w).max(axis=axis) / 127,
                "`axis` is the one that stays. Take the maximum over the others.",
            ),
        ),
    ),
    sum=Step(
        "an-integer-layer",
        integer_sum,
        {
            "both": lambda: codes(110, 130),
            "x alone": lambda: codes(90, 0),
            "none": lambda: codes(0, 0),
        },
        (
            Slip(
                eight_bits_throughout,
                "A product of 8-bit integers wraps in NumPy. Convert to int32 first.",
            ),
            Slip(
                lambda qx, zx, qw, zw: integer_sum(qx, zx, qw, 0),
                "The zero point of the weight is missing in the sum.",
            ),
            Slip(
                lambda qx, zx, qw, zw: integer_sum(qx, 0, qw, zw),
                "The zero point of the input is missing in the sum.",
            ),
        ),
    ),
    pair=Step(
        "what-your-processor-really-computes",
        pair_sum,
        {
            "fits": lambda: ([10, 20], [-3, 4]),
            "too large": lambda: ([255, 255], [127, 127]),
            "too small": lambda: ([200, 90], [-128, -128]),
            "takes the other back": lambda: ([255, 255], [127, -127]),
        },
        (
            Slip(
                lambda a, b: a[0] * b[0] + a[1] * b[1],
                "This is the exact sum. 16 bits end at 32767.",
            ),
            Slip(
                wrapped,
                "It stays at the end of the range, and does not start again at the other one.",
            ),
            Slip(unsigned, "The 16 bits hold a signed number: from -32768 to 32767."),
        ),
    ),
)
