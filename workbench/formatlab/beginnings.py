"""What a file is that should be a model and is none: people hand over archives, downloads that were
refused, and models of other formats. The first bytes tell.
"""

from __future__ import annotations

# Enough for every beginning that is looked for.
LENGTH = 200
COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!": "RAR",
}
FORMATS = {
    b"PK\x03\x04": "is a zip archive (PyTorch and Keras write such files), no ONNX model",
    b"GGUF": "is a GGUF file, which llama.cpp reads, no ONNX model",
    b"\x89HDF\r\n\x1a\n": "is an HDF5 file (Keras writes such files), no ONNX model",
    b"\x93NUMPY": "is an array that NumPy saved, no ONNX model",
    b"\x80\x02": "is a pickle (older versions of PyTorch write such files), no ONNX model",
    b"\x80\x03": "is a pickle, no ONNX model",
    b"\x80\x04": "is a pickle, no ONNX model",
    b"\x80\x05": "is a pickle, no ONNX model",
    b"{": "is JSON, and a model is read from ONNX's binary form",
}
# Formats of FlatBuffers have their mark behind the first four bytes.
FLATBUFFERS = {
    b"TFL3": "is a TensorFlow Lite model, no ONNX model",
    b"ORTM": "is a model in ONNX Runtime's own format (.ort), which holds no ONNX model any more",
}


def foreign(start: bytes) -> str:
    """What the file is that begins like this, as the end of a sentence; empty where nothing tells
    that it is no ONNX model. `start` is `LENGTH` bytes, or the whole of a shorter file.
    """
    if start.startswith(b"version https://git-lfs"):
        return (
            "is the pointer that Git LFS left in place of the model: fetch it with `git lfs pull`"
        )
    for beginning, tool in COMPRESSED.items():
        if start.startswith(beginning):
            return f"is compressed ({tool}): unpack it first"
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return "is a web page, as a download leaves that was refused: fetch the model again"
    if text.startswith(b"<") and b"ir_version" in text:
        return "is ONNX's text form, which `onnx.parser.parse_model` reads: save what that returns"
    # The length of the header, of at most 100 MB, and then the header.
    if start[8:9] == b"{" and start[4:8] == bytes(4):
        return "is a SafeTensors file, which has weights and no graph"
    known = (words for beginning, words in FORMATS.items() if start.startswith(beginning))
    return FLATBUFFERS.get(start[4:8]) or next(known, "")
