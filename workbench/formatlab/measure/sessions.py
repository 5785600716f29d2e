"""Sessions that are known to run where they were asked to, and a call of each that is done when it
returns.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import onnxruntime as ort

from formatlab.measure.errors import CannotBench, first_line
from formatlab.measure.saturation import PRECISELY

CPU = "CPUExecutionProvider"
CUDA = "CUDAExecutionProvider"
TENSORRT = "TensorrtExecutionProvider"
# Providers whose tensors live elsewhere than the program's, and the device's name for IO binding.
DEVICES = {CUDA: "cuda", TENSORRT: "cuda"}
# ONNX Runtime 1.31's words where the entry `PRECISELY` meets a zero point for the second time.
SHARED = "Attempt to replace the existing tensor"
SUFFIX = "ExecutionProvider"
# For SessionOptions.add_session_config_entry: the session remembers which provider took which node.
RECORD = ("session.record_ep_graph_assignment_info", "1")


def provider_named(text: str) -> str:
    """The provider's full name from `cpu`, `CUDA` or `CUDAExecutionProvider`. Raises CannotBench
    where this build has none of that name.
    """
    wanted = short(text).lower()
    available = {short(name).lower(): name for name in ort.get_available_providers()}
    if wanted in available:
        return available[wanted]
    has = f"this build of ONNX Runtime has {', '.join(available)}"
    if wanted in {short(name).lower() for name in ort.get_all_providers()}:
        raise CannotBench(f"{text} is in another build of ONNX Runtime: {has}")
    raise CannotBench(f"there is no provider {text!r}: {has}")


def short(provider: str) -> str:
    return provider.removesuffix(SUFFIX)


class Runner:
    """One session with its inputs. A call runs it once, and returns when the device is done.

    On the CPU that is `session.run`. On a GPU the inputs are copied there once, before anything is
    timed, and the outputs stay there (IO binding); without `io_binding` every call copies, and the
    copies are measured too. `cuda_graph` replays all launches as one; it needs every node on the
    GPU, and `like`, arrays of the outputs' shapes and types, because its buffers are fixed. FP32 is
    FP32: TF32 is off unless `tf32`. `precisely`: on the CPU no 8-bit product saturates
    (`saturation`). `threads`: 0 leaves the number to ONNX Runtime. `level` is the name of a graph
    optimization level; `entries` are settings of the session; `profile` is where its profile goes.
    """

    def __init__(
        self,
        model: Path | bytes,
        feeds: Mapping[str, np.ndarray],
        provider: str = CPU,
        threads: int = 1,
        *,
        cuda_graph: bool = False,
        tf32: bool = False,
        io_binding: bool = True,
        precisely: bool = False,
        like: Sequence[np.ndarray] = (),
        level: str = "all",
        entries: Mapping[str, str] | None = None,
        profile: str = "",
    ):
        """Raises CannotBench when there is no such session, or no node of it would run on the
        provider.
        """
        self.provider = provider
        self.feeds = dict(feeds)
        options = _options(
            threads, level, dict([PRECISELY] if precisely else []) | dict(entries or {}), profile
        )
        self.session = _session(model, provider, options, cuda_graph, tf32)
        bound = io_binding and provider in DEVICES
        self.binding = (
            _bind(self.session, self.feeds, DEVICES[provider], like if cuda_graph else ())
            if bound
            else None
        )

    def __call__(self) -> None:
        if self.binding is None:
            self.session.run(None, self.feeds)
        else:
            self.session.run_with_iobinding(self.binding)
            self.binding.synchronize_outputs()

    def outputs(self) -> list[np.ndarray]:
        """Of one run, on the host. Raises CannotBench where the model refuses its inputs."""
        try:
            if self.binding is None:
                return self.session.run(None, self.feeds)
            self()
            return self.binding.copy_outputs_to_cpu()
        except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            raise CannotBench(
                f"the model does not run on these inputs: {first_line(problem)}. Check --dim, --batch, and --range for integer inputs"
            ) from None

    @property
    def placement(self) -> str:
        """Where the nodes went when the graph was divided: `CPU`, or `CUDA 120, CPU 2` where there
        was a choice.
        """
        if self.provider == CPU:
            return short(CPU)
        return said(nodes_by_provider(self.session))

    @property
    def share(self) -> float:
        """Which share of the nodes runs on the provider that was asked for; 1 where there are none."""
        counts = nodes_by_provider(self.session)
        return counts[self.provider] / counts.total() if counts else 1.0


def nodes_by_provider(session: ort.InferenceSession) -> Counter[str]:
    """How many nodes each provider took when the session divided the graph, by their full names.

    The session has to be made with `RECORD`. `session.get_providers()` tells something else: which
    providers were registered, whether or not one of them takes a single node.
    """
    return Counter(
        part.ep_name
        for part in session.get_provider_graph_assignment_info()
        for _ in part.get_nodes()
    )


def said(counts: Mapping[str, int]) -> str:
    """`CUDA 120, CPU 2`: the most first."""
    return ", ".join(f"{short(name)} {count}" for name, count in Counter(counts).most_common())


def _options(
    threads: int, level: str, entries: Mapping[str, str], profile: str
) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    name = "ORT_DISABLE_ALL" if level == "disable" else f"ORT_ENABLE_{level.upper()}"
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, name)
    options.enable_profiling = bool(profile)
    options.profile_file_prefix = profile or "profile"
    # The threads of a session that is not having its turn must not spin on the cores of the one
    # that is.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.add_session_config_entry(*RECORD)
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    return options


def _session(
    model: Path | bytes, provider: str, options: ort.SessionOptions, cuda_graph: bool, tf32: bool
) -> ort.InferenceSession:
    settings = {}
    if provider in DEVICES:
        # It prints what it does not find; the provider's name tells that below.
        with redirect_stdout(io.StringIO()):
            ort.preload_dlls()
    if provider == CUDA:
        settings = {"use_tf32": str(int(tf32)), "enable_cuda_graph": str(int(cuda_graph))}
    elif cuda_graph:
        raise CannotBench(
            f"CUDA graphs belong to the provider CUDA, and {short(provider)} was asked for"
        )
    session = _opened(model, provider, settings, options, cuda_graph)
    if session.get_providers()[0] != provider:
        raise CannotBench(
            f"asked for {short(provider)}, the session runs on {short(session.get_providers()[0])}: "
            f"its libraries, its driver or its device are missing. {_advice(False)}"
        )
    if provider != CPU:
        _require_a_node(session, provider)
    return session


def _require_a_node(session: ort.InferenceSession, provider: str) -> None:
    """A session lists its provider also where that one takes no node, and runs on the CPU."""
    counts = nodes_by_provider(session)
    if not counts[provider]:
        raise CannotBench(
            f"no node runs on {short(provider)}: the session lists it, and its nodes went elsewhere "
            f"({said(counts) or 'there are none'}). That happens where a provider has no kernel for these operators "
            "and types, or is none for local models. Measure with --provider cpu"
        )


def _opened(
    model: Path | bytes,
    provider: str,
    settings: dict[str, str],
    options: ort.SessionOptions,
    cuda_graph: bool,
) -> ort.InferenceSession:
    source = model if isinstance(model, bytes) else str(model)
    providers = [(provider, settings)]
    try:
        # Without fallback: the wrapper would make the session again on the CPU and only print that
        # it did.
        return ort.InferenceSession(source, options, providers=providers, enable_fallback=0)
    except Exception as problem:  # ONNX Runtime's have no common type  # noqa: BLE001
        why = f"ONNX Runtime does not load the model: {first_line(problem)}"
        if SHARED in str(problem) and _holds(options, PRECISELY):
            why = (
                f"{PRECISELY[0]}=1 does not load this file: it rewrites the zero point of every int8 weight, and stops "
                "where two weights share one tensor of it. Give each DequantizeLinear a zero point of its own, or "
                "quantize again with reduce_range=True"
            )
        if provider != CPU:
            why = f"there is no session on {short(provider)}: {first_line(problem)}. {_advice(cuda_graph)}"
        raise CannotBench(why) from None


def _holds(options: ort.SessionOptions, entry: tuple[str, str]) -> bool:
    try:
        return options.get_session_config_entry(entry[0]) == entry[1]
    except Exception:  # raised where there is no such entry, with no type of its own  # noqa: BLE001
        return False


def _advice(cuda_graph: bool) -> str:
    graph = "A CUDA graph needs every node on the GPU: try without it. " if cuda_graph else ""
    return f"{graph}Type `course doctor` to see what is missing, or measure with --provider cpu"


def _bind(
    session: ort.InferenceSession,
    feeds: Mapping[str, np.ndarray],
    device: str,
    fixed: Sequence[np.ndarray],
) -> ort.IOBinding:
    """Inputs on the device, outputs too: in buffers of their own where `fixed` says how large, else
    wherever each run puts them.
    """
    binding = session.io_binding()
    names = [output.name for output in session.get_outputs()]
    for name, value in feeds.items():
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(value, device, 0))
    for name, value in zip(names, fixed, strict=False):
        buffer = ort.OrtValue.ortvalue_from_shape_and_type(value.shape, value.dtype.type, device, 0)
        binding.bind_ortvalue_output(name, buffer)
    for name in () if fixed else names:
        binding.bind_output(name, device, 0)
    binding.synchronize_inputs()
    return binding
