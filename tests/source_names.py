"""Which formats and runtimes the source texts name: read from their diagram and table, and from
every statement in the claims ledger.

`source_landscape.txt` quotes the diagram and the table of Day 50's text, the only ones that name
systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

LANDSCAPE = Path(__file__).with_name("source_landscape.txt").read_text(encoding="utf-8")
BOX = r"[│┌┐└┘├┤┬┴┼─═▶]+"
# Capitalised words of the texts that name no format and no runtime. A word that is neither here nor
# in a row fails the test.
OTHERS = {
    "operators": "Add AveragePool BitwiseAnd Conv DeformConv DFT Dropout Gemm GridSample GroupNorm LayerNorm Linear MatMul Mul Or "
    "ScatterND Softmax Unsqueeze",
    "parts of ONNX and its tools": "CUDAExecutionProvider FX GraphProto InferenceSession IR ModelProto NodeProto Protobuf QuantType.QInt8 "
    "TensorProto ValueInfoProto",
    "hardware and its interfaces": "CPU CPU-only CUDA GPU GPU-optimized Inferentia Jetson OpenMP TPU",
    "companies, products, languages": "Azure C Cross-framework HuggingFace Meta Microsoft NVIDIA PDF Python Python-free",
    "models, numbers, methods": "BERT D DAG FP16 H_in INT8 LLMs M NMS None QAT Quantization ResNet-50 SVMs TargetMLP True",
    "parts of longer names": "Acyclic Buffer Buffers Directed Face Forests Graph Hugging Learning Machine Maximum Non Protocol Runtime "
    "Suppression Users",
}


def in_diagram(text: str = LANDSCAPE) -> set[str]:
    """What stands in the boxes, without file endings and remarks in parentheses."""
    cells = (
        cell.strip() for line in text.splitlines() if "│" in line for cell in re.split(BOX, line)
    )
    return {
        name for cell in cells for name in re.sub(r"\(.*?\)", "", cell).strip().split(" / ") if name
    }


def in_table(text: str = LANDSCAPE, columns: int = 2) -> set[str]:
    """The first cells of each row below the headings: format and ecosystem."""
    rows = [
        re.split(r"\s*\|\s*", line.strip("| "))
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return {cell for row in rows[2:] for cell in row[:columns]}


def in_prose(statements: Iterable[str]) -> set[str]:
    """Words with a capital letter that no beginning of a sentence explains."""
    return {word for statement in statements for word in _named(statement)}


def _named(statement: str) -> Iterator[str]:
    for part in re.split(r"(?<=[.!?:;])\s+|[“”\"]|→|`[^`]*`", statement):
        for place, word in enumerate(re.findall(r"[A-Za-z][\w.+-]*[A-Za-z0-9]|[A-Z]", part)):
            if re.search("[A-Z]", word[1:]) or (place and word[0].isupper()):
                yield word
