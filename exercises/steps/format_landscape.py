"""The steps of notebook 01: how large weights are, what a verdict is, and which files hold pickles."""

import numpy as np
import torch

from formatlab.measure.yardstick import same_function
from formatlab_exercises.steps import Slip, Step, Steps

UNIT = 2.0**-12  # at 100 and 300 a float32 holds it exactly


def weight_bytes(state):
    return sum(tensor.nbytes for tensor in state.values())


def elements(state):
    return sum(tensor.numel() for tensor in state.values())


def four_each(state):
    return sum(4 * tensor.numel() for tensor in state.values())


def judge(found, original, exact):
    if same_function(found, original, exact):
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).mean() > 0.95 else "other"


def never_close(found, original, exact):
    return "same" if same_function(found, original, exact) else "other"


def every_digit(found, original, exact):
    if same_function(found, original, exact):
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).all() else "other"


def fixed_limit(found, original, exact):
    if np.allclose(found, exact):
        return "same"
    return "close" if (found.argmax(1) == exact.argmax(1)).mean() > 0.95 else "other"


def places_exchanged(found, original, exact):
    return judge(original, found, exact)


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
    return found.astype(np.float32), exact.astype(np.float32), exact


def outputs(units, row=0, column=0):
    """An original that is off by one unit, and a candidate that is off by so many, at one number."""
    exact = np.array([[100.0, 0, -50], [0, 200, 10], [5, 0, 300]])
    original, found = exact.copy(), exact.copy()
    original[0, 0] += UNIT
    found[row, column] += units * UNIT
    return found.astype(np.float32), original.astype(np.float32), exact


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
    judge=Step(
        "when-outputs-are-the-same",
        judge,
        {
            "three units": lambda: outputs(3),
            "three units less": lambda: outputs(-3),
            "eight units of the largest number": lambda: outputs(8, 2, 2),
            "a thousand units": lambda: outputs(1000),
            "another digit": lambda: outputs(-1_000_000),
            "another digit in 1 of 40": lambda: digits(1),
            "another digit in 3 of 40": lambda: digits(3),
        },
        (
            Slip(
                never_close,
                "You never return `close`: compare the largest output of each row with `argmax(1)`.",
            ),
            Slip(
                every_digit,
                "You ask for every digit. `close` needs more than 95 % of them: take the mean.",
            ),
            Slip(
                fixed_limit,
                "You compare with a fixed limit. How much a model rounds differs: call `same_function`.",
            ),
            Slip(
                places_exchanged,
                "The outputs of the file come first: `same_function(found, original, exact)`.",
            ),
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
