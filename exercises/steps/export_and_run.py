"""The steps of notebook 01: what a file and a session really are, read instead of believed."""

import numpy as np
from onnx import helper, parser

from formatlab.models import make_model
from formatlab_exercises.steps import Slip, Step, Steps


def model_with(*imports):
    model = make_model(parser.parse_graph("g (float[N] x) => (float[N] y) { y = Neg(x) }"))
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in imports)
    return (model,)


def value(*dims):
    return (helper.make_tensor_value_info("x", 1, list(dims)),)


def opset_of(model):
    return next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))


def free_dimensions(value):
    return [dim.dim_param for dim in value.type.tensor_type.shape.dim if dim.dim_param]


def every_dimension(value):
    return [dim.dim_param or str(dim.dim_value) for dim in value.type.tensor_type.shape.dim]


def places(value):
    return [i for i, dim in enumerate(value.type.tensor_type.shape.dim) if dim.dim_param]


def relative_error(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def number_by_number(found, expected):
    with np.errstate(divide="ignore"):
        return (np.abs(found - expected) / np.abs(expected)).max()


class DoesNotFit(Exception):
    """As in a runtime, an exception of its own kind."""


def runs_outside(limit, error=DoesNotFit):
    def run(size):
        if size in limit:
            raise error(f"{size} does not fit")

    return run


def sizes_that_run(run, sizes):
    good = []
    for size in sizes:
        try:
            run(size)
        except Exception:
            continue
        good.append(size)
    return good


def until_the_first(run, sizes):
    good = []
    for size in sizes:
        try:
            run(size)
        except Exception:
            break
        good.append(size)
    return good


def one_kind_of_error(run, sizes):
    good = []
    for size in sizes:
        try:
            run(size)
        except ValueError:
            continue
        good.append(size)
    return good


def sizes_that_fail(run, sizes):
    return [size for size in sizes if size not in sizes_that_run(run, sizes)]


def share_on(places, wanted):
    share = places.get(wanted, 0) / sum(places.values())
    if not share:
        raise RuntimeError(f"no node runs on {wanted}: {places}")
    return share


def if_listed(places, wanted):
    if wanted not in places:
        raise RuntimeError(f"no node runs on {wanted}: {places}")
    return places[wanted] / sum(places.values())


def all_or_nothing(places, wanted):
    share_on(places, wanted)
    return 1.0


CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
step = Steps(
    "lab-7-01/01-export-and-run",
    opset=Step(
        "opset",
        opset_of,
        {
            "one domain": lambda: model_with(("", 17)),
            "another domain first": lambda: model_with(("com.microsoft", 1), ("", 18)),
            "spelt out": lambda: model_with(("ai.onnx", 16), ("ai.onnx.ml", 19)),
            "spelt out, behind another": lambda: model_with(("ai.onnx.ml", 5), ("ai.onnx", 21)),
        },
        (
            Slip(
                lambda model: model.opset_import[0].version,
                "The first entry may be another domain's.",
            ),
            Slip(
                lambda model: max(entry.version for entry in model.opset_import),
                "The highest version may be another domain's.",
            ),
            Slip(
                lambda model: next(
                    entry.version for entry in model.opset_import if not entry.domain
                ),
                "The default domain has two spellings: the empty text, and `ai.onnx`.",
            ),
            Slip(
                lambda model: next(
                    entry.version
                    for entry in model.opset_import
                    if not entry.domain or entry.domain.startswith("ai.onnx")
                ),
                "`ai.onnx.ml` is another domain, although its name begins like the default one.",
            ),
        ),
    ),
    free=Step(
        "dynamic-dimensions",
        free_dimensions,
        {
            "a batch": lambda: value("batch", 1, 8, 8),
            "two": lambda: value("batch", "length", 3),
            "none": lambda: value(4, 8),
        },
        (
            Slip(every_dimension, "A dimension with a number is fixed. Leave it out."),
            Slip(places, "Return the names, and not the places of the dimensions."),
        ),
    ),
    relative=Step(
        "dynamic-dimensions",
        relative_error,
        {
            "small": lambda: (np.array([1.5, -4.0], np.float64), np.array([1.0, -4.0], np.float64)),
            "a zero": lambda: (np.array([0.25, 2.0], np.float64), np.array([0.0, 2.0], np.float64)),
            "negative": lambda: (
                np.array([-7.0, 1.0], np.float64),
                np.array([-8.0, 1.0], np.float64),
            ),
            "too small": lambda: (
                np.array([1.0, 3.0], np.float64),
                np.array([2.0, 3.0], np.float64),
            ),
        },
        (
            Slip(lambda a, b: np.abs(a - b).max(), "Divide by the size of what you expect."),
            Slip(
                number_by_number,
                "Number by number, one expected zero makes the error infinite.",
            ),
            Slip(
                lambda a, b: (a - b).max() / np.abs(b).max(),
                "A number can also be too small: take absolute differences.",
            ),
            Slip(
                lambda a, b: np.abs(a - b).max() / b.max(),
                "The largest size may be that of a negative number.",
            ),
        ),
    ),
    sizes=Step(
        "dynamic-dimensions",
        sizes_that_run,
        {
            "a gap": lambda: (runs_outside({10}, ValueError), [8, 10, 12]),
            "all": lambda: (runs_outside(set()), [1, 2]),
            "the last": lambda: (runs_outside({16}), [8, 16]),
        },
        (
            Slip(until_the_first, "A size behind one that fails may run."),
            Slip(
                one_kind_of_error,
                "A runtime raises exceptions of its own kinds. Catch every `Exception`.",
            ),
            Slip(sizes_that_fail, "These are the sizes at which it raises."),
        ),
    ),
    provider=Step(
        "providers",
        share_on,
        {
            "all of them": lambda: ({CUDA: 9}, CUDA),
            "a part": lambda: ({CUDA: 6, CPU: 2}, CUDA),
            "fallen back": lambda: ({CPU: 9}, CUDA),
            "registered, and takes nothing": lambda: ({CUDA: 0, CPU: 9}, CUDA),
            "the rest": lambda: ({CUDA: 6, CPU: 2}, CPU),
        },
        (
            Slip(
                if_listed,
                "A provider may be listed with 0 nodes. Raise where the share is none.",
            ),
            Slip(
                all_or_nothing,
                "A part of the nodes is not all of them. Divide by the number of all nodes.",
            ),
            Slip(
                lambda places, wanted: places.get(wanted, 0) / sum(places.values()),
                "Nothing raised where no node runs on the provider.",
            ),
        ),
    ),
)
