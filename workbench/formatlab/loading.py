"""Does an ONNX file that somebody else made load? Caps come first, so that nothing native sees a
bomb.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import lru_cache

import onnx
import onnx_ir as ir
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import ModelProto, TensorProto

from formatlab import graphs
from formatlab._runtime import ort

# What ONNX Runtime 1.31 loads; newer numbers are refused with words instead of its status codes.
MAX_IR_VERSION = 13
MAX_OPSET = 26
# Tensors of 20 dimensions are rare; the product of a thousand huge ones is a number too long to
# print.
MAX_RANK = 64
# The most bytes of a file that Protocol Buffers parses.
PARSED = (1 << 31) - 1
# Bytes from which on a model counts as pretrained.
LARGE = 1 << 24
ORT_LEVELS = {
    "ORT_DISABLE_ALL": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "ORT_ENABLE_ALL": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
# Why models that students make are refused most often.
FAR_LARGER = "The model is far larger than the argument: it was made from another one, or stores what it should compute."
NEWEST_VERSIONS = "helper.make_model takes the newest versions that onnx knows, and ONNX Runtime loads older ones. Keep those of the argument."
OTHER_FILE = "Only the model itself is handed in, no file beside it."
NOT_CHECKED = "Run onnx.checker.check_model(model, full_check=True) yourself, after every edit."


class Unloadable(Exception):
    """The model does not load. The fields are a finding's; `quotes` tells that `found` repeats text
    out of the model.
    """

    def __init__(self, expected: str, found: str, cause: str, quotes: bool = False):
        super().__init__(found)
        self.expected = expected
        self.found = found
        self.cause = cause
        self.quotes = quotes


@dataclass(frozen=True)
class Caps:
    """The most that a model may hold. `elements` counts the numbers in its constants, `depth` how
    deep subgraphs nest.
    """

    bytes: int
    nodes: int
    elements: int
    depth: int = 8

    @classmethod
    def around(cls, data: builtins.bytes) -> Caps:
        """Room for any sensible rewriting of the model `data`: twice its size, and some."""
        model = parse(data)
        count = sum(1 for _ in graphs.nodes(model))
        return cls(
            2 * len(data) + (1 << 20), 2 * count + 32, 2 * graphs.constant_elements(model) + 4096
        )


def parse(data: bytes) -> ModelProto:
    """The model in `data`, shared between callers: not to be changed. Raises Unloadable."""
    return (_parsed_large if len(data) > LARGE else _parsed)(data)


def forget() -> None:
    """Let go of every model that `parse` keeps."""
    _parsed.cache_clear()
    _parsed_large.cache_clear()


def _parse(data: bytes) -> ModelProto:
    try:
        model = ModelProto.FromString(data)
    except DecodeError:
        raise Unloadable(
            "an ONNX model",
            f"{len(data)} bytes that are none",
            "The bytes are cut off, nested too deep, or of another format.",
        ) from None
    if (field := _not_text(model)) is not None:
        cause = "Names and descriptions are text in UTF-8. Other bytes belong into a tensor."
        raise Unloadable("text in UTF-8", f"other bytes in {field}", cause)
    return model


def _not_text(message: Message) -> str | None:
    """The field of a message that should be text and is not UTF-8: protobuf parses such bytes, and
    refuses to write them.
    """
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            found = next(filter(None, map(_not_text, values)), None)
        else:
            is_text = field.type == FieldDescriptor.TYPE_STRING
            wrong = is_text and any(isinstance(each, bytes) for each in values)
            found = f"{message.DESCRIPTOR.name}.{field.name}" if wrong else None
        if found is not None:
            return found
    return None


_parsed = lru_cache(maxsize=64)(_parse)
# Of pretrained models two cases' worth, argument and answer: 64 of them would be gigabytes.
_parsed_large = lru_cache(maxsize=4)(_parse)


def refuse(data: bytes, caps: Caps, domains: frozenset[str] = frozenset({""})) -> None:
    """Raise Unloadable for a model that must not reach native code: too big, data elsewhere,
    foreign operators, versions too new.
    """
    if not data:
        cause = "A ModelProto that was never filled serialises to no bytes at all."
        raise Unloadable("an ONNX model", "an empty one", cause)
    if len(data) > caps.bytes:
        raise _too_expensive(f"{len(data)} bytes", f"{caps.bytes} bytes")
    model = parse(data)
    _refuse_size(model, caps)
    _refuse_tensors(model)
    elements = graphs.constant_elements(model)
    if elements > caps.elements:
        most = f"constants of {caps.elements} elements"
        raise _too_expensive(f"constants of {elements} elements", most)
    _refuse_dependence(model, domains)


def _refuse_size(model: ModelProto, caps: Caps) -> None:
    if any(depth > caps.depth for _, depth in graphs.walk(model.graph)):
        raise _too_expensive("deeper ones", f"subgraphs nested {caps.depth} levels deep")
    count = sum(1 for _ in graphs.nodes(model))
    if count > caps.nodes:
        raise _too_expensive(f"{count} nodes", f"{caps.nodes} nodes")


def _refuse_tensors(model: ModelProto) -> None:
    cause = "The tensor's dims do not describe its data."
    rank = max((len(tensor.dims) for tensor in graphs.tensors(model)), default=0)
    if rank > MAX_RANK:
        most = f"tensors of {MAX_RANK} dimensions at most"
        raise Unloadable(most, f"a tensor of {rank}", cause)
    if any(dim < 0 for tensor in graphs.tensors(model) for dim in tensor.dims):
        found = "a tensor with a negative dimension"
        raise Unloadable("tensors with sizes of 0 or more", found, cause)
    if any(tensor.HasField("segment") for tensor in graphs.tensors(model)):
        cause = "ONNX has a field for large tensors in parts, and onnx itself does not read it."
        raise Unloadable("tensors that are stored whole", "a segment of a tensor", cause)


def _refuse_dependence(model: ModelProto, domains: frozenset[str]) -> None:
    """What depends on another file, on one runtime, or on versions that are too new."""
    if any(map(_is_outside, graphs.tensors(model))):
        found = "tensors that point to another file"
        raise Unloadable("a model with its weights inside", found, OTHER_FILE)
    foreign = sorted({graphs.domain(node.domain) for node in graphs.nodes(model)} - domains)
    if foreign:
        expected = "operators of the model's own domains only"
        cause = "An optimizer of a runtime writes operators that only this runtime knows."
        raise Unloadable(expected, f"operators of the domain {foreign[0]!r}", cause, quotes=True)
    if model.ir_version > MAX_IR_VERSION or graphs.opset(model) > MAX_OPSET:
        found = f"IR version {model.ir_version}, opset {graphs.opset(model)}"
        most = f"IR version {MAX_IR_VERSION} and opset {MAX_OPSET} at most"
        raise Unloadable(most, found, NEWEST_VERSIONS)


def _is_outside(tensor: TensorProto) -> bool:
    return tensor.data_location == TensorProto.EXTERNAL or bool(tensor.external_data)


def validate(data: bytes) -> None:
    """Raise Unloadable unless the checker (with full_check), onnx-ir and ONNX Runtime (no
    optimization) accept the model.
    """
    for read, expected, cause in READERS:
        try:
            read(data)
        except Exception as error:  # the readers have no exception in common  # noqa: BLE001
            raise Unloadable(expected, first_line(error), cause, quotes=True) from None


# What has to accept a model, the most lenient first: how it reads, what is expected, and the cause
# where it refuses.
READERS = (
    (
        lambda data: onnx.checker.check_model(data, full_check=True),
        "a model that onnx.checker accepts",
        NOT_CHECKED,
    ),
    (
        lambda data: ir.from_proto(parse(data)),
        "a model that onnx_ir reads",
        "The checker passes, the library that reads graphs does not: a name or a type stands twice, or not at all.",
    ),
    (
        lambda data: session(data, "ORT_DISABLE_ALL"),
        "a model that ONNX Runtime loads",
        "The checker passes, the runtime is stricter. Open an InferenceSession on the model yourself.",
    ),
)


def session(data: bytes, level: str, profile: str = "") -> ort.InferenceSession:
    """A session on the CPU with one thread, at the optimization level of that name; it writes a
    profile to files that begin with `profile`, where that is given.
    """
    options = ort.SessionOptions()
    options.graph_optimization_level = ORT_LEVELS[level]
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_profiling = bool(profile)
    options.profile_file_prefix = profile or "profile"
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def first_line(error: Exception, limit: int = 240) -> str:
    """The first line of a library's message, cut to what a reader needs."""
    text = next(
        (line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__
    )
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _too_expensive(found: str, most: str) -> Unloadable:
    return Unloadable(
        f"{most} at most",
        found,
        FAR_LARGER,
    )
