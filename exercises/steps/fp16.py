"""The steps of notebook 03: what half a number can hold, asked of NumPy."""

import numpy as np

from formatlab_exercises.steps import Slip, Step, Steps


def stored_bytes(arrays):
    return sum(2 * array.size if array.dtype == np.float32 else array.nbytes for array in arrays)


def next_number(x):
    half = np.float16(x)
    return float(half + np.spacing(half))


def do_not_fit(x):
    with np.errstate(over="ignore"):
        return x[np.isfinite(x) & np.isinf(x.astype(np.float16))]


def every_infinity(x):
    with np.errstate(over="ignore"):
        return x[np.isinf(x.astype(np.float16))]


def vanish(x):
    return x[(x != 0) & (x.astype(np.float16) == 0)]


def first_overflow(values):
    return next((name for name, array in values.items() if not np.isfinite(array).all()), None)


def arrays(*pairs):
    return ([np.zeros(shape, dtype) for shape, dtype in pairs],)


def numbers(*values):
    return (np.array(values, np.float32),)


def named(**values):
    return ({name: np.array(value, np.float16) for name, value in values.items()},)


INF, NAN = float("inf"), float("nan")
step = Steps(
    "lab-7-01/03-fp16",
    bytes=Step(
        "baseline",
        stored_bytes,
        {
            "floats": lambda: arrays(((3, 4), np.float32), (5, np.float32)),
            "a shape beside them": lambda: arrays(((2, 2), np.float32), (4, np.int64)),
            "half already": lambda: arrays((6, np.float16)),
            "double": lambda: arrays((3, np.float64), (2, np.float32)),
        },
        (
            Slip(
                lambda xs: sum(x.nbytes for x in xs) // 2,
                "Integers keep their size, and so does what is float16.",
            ),
            Slip(
                lambda xs: sum(2 * x.size if x.dtype.kind == "f" else x.nbytes for x in xs),
                "A float64 array keeps its size, too: only float32 is stored in float16.",
            ),
            Slip(lambda xs: sum(x.size for x in xs), "A float16 takes two bytes."),
        ),
    ),
    next=Step(
        "range",
        next_number,
        {
            "one": lambda: (1.0,),
            "large": lambda: (2048.0,),
            "small": lambda: (2.0**-20,),
            "rounded": lambda: (0.1,),
        },
        (
            Slip(
                lambda x: float(x + np.finfo(np.float16).eps),
                "The gap is this large at one. It doubles with each power of two.",
            ),
            Slip(lambda x: x + float(np.spacing(np.float32(x))), "This is the gap of float32."),
        ),
    ),
    vanish=Step(
        "range",
        vanish,
        {
            "small": lambda: numbers(1e-3, 1e-6, 2e-8, -1e-9),
            "zeros": lambda: numbers(0, 3, -0.0),
            "at the end": lambda: numbers(6e-8, 2.9e-8, 4e-8, 5e-5),
        },
        (
            Slip(
                lambda x: x[(x != 0) & (np.abs(x) < 6.1e-5)],
                "Below 6.1e-5 there are subnormal numbers, down to 6e-8.",
            ),
            Slip(
                lambda x: x[(x != 0) & (np.abs(x) < 5.9e-8)],
                "Rounding goes to the nearer number: from half of the smallest one on, up to it.",
            ),
            Slip(lambda x: x[x.astype(np.float16) == 0], "A zero was 0 before."),
        ),
    ),
    fit=Step(
        "numbers-that-do-not-fit",
        do_not_fit,
        {
            "a mask": lambda: numbers(1, -3.4e38, 2),
            "near the end": lambda: numbers(65504, 65519, 65520, -70000),
            "infinite before": lambda: numbers(INF, 5, -INF),
        },
        (
            Slip(
                lambda x: x[np.abs(x) > 65504],
                "65519 rounds to 65504, and an infinity was one before.",
            ),
            Slip(every_infinity, "What was infinite before fits: float16 has infinities."),
            Slip(lambda x: x[x > 65519], "Negative numbers can be too large, too."),
        ),
    ),
    overflow=Step(
        "overflow",
        first_overflow,
        {
            "infinite": lambda: named(a=[1, 2], b=[1, INF], c=[NAN, 0]),
            "no number": lambda: named(a=[0.5], b=[NAN], c=[INF]),
            "nothing": lambda: named(a=[1], b=[2]),
        },
        (
            Slip(
                lambda values: next(
                    (name for name, x in values.items() if np.isinf(x).any()), None
                ),
                "Infinity minus infinity is NaN: look for what is not finite.",
            ),
            Slip(
                lambda values: next(
                    (name for name in reversed(values) if not np.isfinite(values[name]).all()), None
                ),
                "This is the last one. Those behind the first have inherited it.",
            ),
        ),
    ),
)
