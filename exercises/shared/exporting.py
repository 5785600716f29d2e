"""torch's exporter, asked several times in one process: what is the same for every model is worked
out once, and a failure is told by its exception alone.

A small export takes most of its time to learn about operators that its model does not have. None of
these changes what is exported. Where a version of torch does it in another way, nothing happens
here: an export is slower then, and tests/test_replaced.py fails. All that the exercises replace in
packages of others stands here; the table in docs/architecture.md says what each of it gains.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable
from types import SimpleNamespace
from unittest import mock

# What torch imports for its first export, for cond and for scan.
LIBRARIES = (
    "torch._dynamo.backends.debugging",
    "torch._dynamo.repro.after_dynamo",
    "torch.export._trace",
    "torch.onnx._internal.exporter._compat",
    "torch.onnx._internal.exporter._torchlib.ops",
    "onnxscript.optimizer",
    "onnxscript.version_converter",
)


def load() -> None:
    """`prepare`, and what the first export would import and list: no tensor is made."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    prepare()
    with contextlib.suppress(ImportError, AttributeError):
        from torch.onnx._internal.exporter import _decomp, _registration

        _registration.ONNXRegistry.from_torchlib()
        _decomp.create_onnx_friendly_decomposition_table(set())


def prepare() -> None:
    """`learn_once`, and let torch's exporter keep to itself a graph that it could not finish."""
    learn_once()
    with contextlib.suppress(ImportError, AttributeError):
        _unfinished_graphs()


def learn_once() -> None:
    """Let torch's exporter read its operators once a process."""
    for share in (_operators, _signatures, _implicit_operators):
        with contextlib.suppress(ImportError, AttributeError):
            share()


def _operators() -> None:
    """The list of its five hundred operators, which is never changed. For each, it parses the source
    to say a domain, which torch does not ask for.
    """
    from onnxscript._internal.values import TracedOnnxFunction
    from torch.onnx._internal._lazy_import import onnxscript_apis

    def listed() -> list:
        with mock.patch.object(TracedOnnxFunction, "function_ir", SimpleNamespace(domain="")):
            return listing()

    listing = onnxscript_apis.get_torchlib_ops
    if not hasattr(listing, "cache_info"):
        onnxscript_apis.get_torchlib_ops = functools.cache(listed)


def _signatures() -> None:
    """The signature of each of them, which is a value."""
    from torch.onnx._internal.exporter import _schemas

    _schemas.op_signature_from_function = _cached(_schemas.op_signature_from_function)


def _cached(function: Callable) -> Callable:
    return function if hasattr(function, "cache_info") else functools.cache(function)


class _WhenNew:
    """Torch's `materialize`, which makes Python's objects for all operators, called only when their
    names have changed; `registered` says what has to change first.
    """

    def __init__(
        self, materialize: Callable[[], None], registered: Callable[[], tuple[object, ...]]
    ):
        self._materialize = materialize
        self._registered = registered
        self.seen: tuple[object, ...] | None = None
        self.names: list[str] | None = None

    def __call__(self) -> None:
        import torch

        if self.seen == self._registered():
            return
        names = torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
        if names != self.names:
            self._materialize()
            self.names = names
        self.seen = self._registered()


def _implicit_operators() -> None:
    """Python's objects for operators that are made of others: it goes through all of them for each
    of thirty namespaces.

    Somebody may register one between two exports. That takes a registration from Python, a module
    that is imported or a library that is loaded, so the names, which are a list of thousands, are
    compared after one of these.
    """
    import torch
    from torch._export import utils

    if isinstance(utils._materialize_cpp_cia_ops, _WhenNew):
        return
    materialize = utils._materialize_cpp_cia_ops

    def registered() -> tuple[object, ...]:
        python = frozenset(torch.library._impls), frozenset(torch.library._defs)
        return len(sys.modules), frozenset(torch.ops.loaded_libraries), *python

    registered()  # where torch has another way to keep them, this fails before anything is replaced
    utils._materialize_cpp_cia_ops = _WhenNew(materialize, registered)


def _unfinished_graphs() -> None:
    """Where an export fails, torch prints what it has of the graph: forty lines, with places in the
    exercise's own source. The reason stands in the exception.
    """
    from torch.export import _trace

    _trace.print = _say_nothing


def _say_nothing(*words: object, **options: object) -> None:
    pass
