"""The steps of notebook 01: how large weights are, how far rounding goes, what a verdict is, and which files hold pickles."""

import numpy as np
import torch

from formatlab_exercises.steps import Slip, Step, Steps

EPS = float(np.finfo(np.float32).eps)


def weight_bytes(state):
    return sum(tensor.nbytes for tensor in state.values())


def elements(state):
    return sum(tensor.numel() for tensor in state.values())


def four_each(state):
    return sum(4 * tensor.numel() for tensor in state.values())


def tolerance(original, exact):
    own = np.abs(original - exact).max() / np.abs(exact).max()
    return 4 * max(own, float(np.finfo(np.float32).eps))


def one_unit(original, exact):
    return tolerance(original, exact) / 4


def no_floor(original, exact):
    return 4 * np.abs(original - exact).max() / np.abs(exact).max()


def not_relative(original, exact):
    return 4 * max(np.abs(original - exact).max(), EPS)


def signed_error(original, exact):
    own = (original - exact).max() / np.abs(exact).max()
    return 4 * max(own, EPS)


def double_eps(original, exact):
    own = np.abs(original - exact).max() / np.abs(exact).max()
    return 4 * max(own, float(np.finfo(np.float64).eps))


def judge(found, exact, tolerance):
    error = np.abs(found - exact).max() / np.abs(exact).max()
    if error <= tolerance:
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).mean() > 0.95 else "other"


def absolute(found, exact, tolerance):
    if np.abs(found - exact).max() <= tolerance:
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).mean() > 0.95 else "other"


def never_close(found, exact, tolerance):
    error = np.abs(found - exact).max() / np.abs(exact).max()
    return "same" if error <= tolerance else "other"


def signed(found, exact, tolerance):
    error = (found - exact).max() / exact.max()
    if error <= tolerance:
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).mean() > 0.95 else "other"


def every_digit(found, exact, tolerance):
    error = np.abs(found - exact).max() / np.abs(exact).max()
    if error <= tolerance:
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).all() else "other"


def fixed_limit(found, exact, tolerance):
    return judge(found, exact, 1e-5)


def is_zip(data):
    return data[:2] == b"PK"


def anywhere(data):
    return b"PK" in data


def first_letter(data):
    return data[:1] == b"P"


def pickles(names):
    return [name for name in names if name.endswith((".pkl", ".pt"))]


def pkl_only(names):
    return [name for name in names if name.endswith(".pkl")]


def without_dot(names):
    return [name for name in names if name.endswith(("pkl", "pt"))]


def contains(names):
    return [name for name in names if ".pkl" in name or ".pt" in name]


def digits(changed):
    """Forty rows, of which so many get another digit."""
    exact = np.eye(4)[np.arange(40) % 4] * 10
    found = exact.copy()
    found[:changed] = found[:changed, [1, 2, 3, 0]]
    return found.astype(np.float32), exact, 1e-5


def outputs(change):
    exact = np.array([[100.0, 0, -50], [0, 200, 10], [5, 0, 300]])
    return (exact + np.array(change)).astype(np.float32), exact, 1e-5


step = Steps(
    "day-50/01-format-landscape",
    bytes=Step(
        "baseline",
        weight_bytes,
        {
            "two tensors": lambda: ({"w": torch.zeros(3, 4), "b": torch.zeros(4)},),
            "a counter": lambda: ({"w": torch.zeros(2), "seen": torch.tensor(7)},),
        },
        (
            Slip(elements, "You count elements. `tensor.nbytes` says how many bytes they take."),
            Slip(four_each, "Not every tensor holds numbers of four bytes: a counter takes eight."),
        ),
    ),
    tolerance=Step(
        "when-outputs-are-the-same",
        tolerance,
        {
            "a model that rounds": lambda: (
                np.array([3 + 2**-10, -32], np.float32),
                np.array([3.0, -32.0]),
            ),
            "a model that is exact": lambda: (np.array([2, 0.5], np.float32), np.array([2, 0.5])),
            "a number too small": lambda: (
                np.array([8 - 2**-9, 5], np.float32),
                np.array([8.0, 5.0]),
            ),
        },
        (
            Slip(one_unit, "You allow one unit. Return four times the noise."),
            Slip(no_floor, "An original that is exact leaves no room: take at least `eps`."),
            Slip(not_relative, "Divide by the largest number of the float64 run."),
            Slip(signed_error, "A number can also be too small: take absolute differences."),
            Slip(double_eps, "The numbers are float32: take the machine epsilon of that type."),
        ),
    ),
    judge=Step(
        "when-outputs-are-the-same",
        judge,
        {
            "rounding": lambda: outputs([[1e-3, 0, 0], [0, 0, 0], [0, 0, -1e-3]]),
            "a little more": lambda: outputs([[2, 0, 0], [0, 0, 0], [0, 0, 0]]),
            "a little less": lambda: outputs([[-2, 0, 0], [0, 0, 0], [0, 0, 0]]),
            "another digit": lambda: outputs([[-200, 0, 0], [0, 0, 0], [0, 0, 0]]),
            "another digit in 1 of 40": lambda: digits(1),
            "another digit in 3 of 40": lambda: digits(3),
            "a wider limit": lambda: (*outputs([[2, 0, 0], [0, 0, 0], [0, 0, 0]])[:2], 0.01),
        },
        (
            Slip(absolute, "Divide the largest difference by the largest expected number."),
            Slip(
                never_close,
                "You never return `close`: compare the largest output of each row with `argmax(1)`.",
            ),
            Slip(signed, "Take absolute values: an output can also be too small."),
            Slip(
                every_digit,
                "You ask for every digit. `close` needs more than 95 % of them: take the mean.",
            ),
            Slip(fixed_limit, "Compare the error with `tolerance`, which the caller passes."),
        ),
    ),
    zip=Step(
        "side-by-side",
        is_zip,
        {
            "an archive": lambda: (b"PK\x03\x04rest",),
            "GGUF": lambda: (b"GGUF\x03\x00",),
            "the letters later": lambda: (b"\x08\x0aPK\x03\x04",),
            "another P": lambda: (b"PNG data",),
        },
        (
            Slip(
                anywhere,
                "The two letters can also occur later in another file. Look at the first two bytes.",
            ),
            Slip(first_letter, "You look at one byte. Compare the first two."),
        ),
    ),
    pickles=Step(
        "the-newer-format",
        pickles,
        {
            "a state dict": lambda: (["state/data.pkl", "state/version", "state/data/0"],),
            "an exported program": lambda: (
                ["d/models/model.json", "d/data/sample_inputs/model.pt"],
            ),
            "none": lambda: (["d/models/model.json", "d/readme.pt.txt"],),
            "other names that end alike": lambda: (["d/prompt", "d/a.pt", "d/notpkl"],),
        },
        (
            Slip(pkl_only, "A member called `.pt` can hold a pickle too."),
            Slip(without_dot, "The dot belongs to the ending: `prompt` ends with `pt`, too."),
            Slip(
                contains,
                "Look at the end of each name, `name.endswith(...)`: the letters can also be inside a name.",
            ),
        ),
    ),
)
