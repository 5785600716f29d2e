"""Malformed files: read if they can be, refused with words if not, and never anybody else's
trouble.
"""

from __future__ import annotations

import codecs
import json
import os
from pathlib import Path

from tests.hostile.attack import WORTH, Attack, answering, as_json, own, rewriting, solved

HALF = {
    "theme": "malformed",
    "lab": "inspect",
    "base": "first_opset",
    "most": WORTH,
    "exactly": True,
}
NONE = {
    "theme": "malformed",
    "lab": "inspect",
    "base": "first_opset",
    "most": 0.0,
    "status": "ungradable",
}


def _nested(depth: int, opening: bytes = b"[", closing: bytes = b"]"):
    return lambda data: opening * depth + closing * depth


def _in_metadata(depth: int):
    def change(data: bytes) -> bytes:
        return b'{"deep": ' + b"[" * depth + b"]" * depth + b"," + data.lstrip()[1:]

    return change


# What takes far more memory than its text, as often as it fits into thirty megabytes.
BOMBS = {"lists": b"[],", "objects": b'{"":0},', "texts": b'"",', "numbers": b"1e5,"}


def _full_of(value: bytes):
    return lambda data: (
        b'{"full": [' + value * ((30 << 20) // len(value)) + b"0]," + data.lstrip()[1:]
    )


def _format(version: object):
    return as_json(lambda notebook: {**notebook, "nbformat": version})


def _old(notebook: dict) -> dict:
    """nbformat 3, as IPython wrote it."""
    cells = [
        {**cell, "input": "".join(cell.pop("source"))}
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    for cell in cells:
        cell |= {"language": "python", "collapsed": False, "prompt_number": None}
    return {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }


def _surrogates(notebook: dict) -> None:
    notebook["cells"].append(own("a lone \ud800 surrogate", "markdown"))
    notebook["cells"].insert(0, own("# \udfff\nlone = '\ud800'"))


def _nul(notebook: dict) -> None:
    notebook["cells"].insert(0, own("a = 1\0\nb = 2"))


def _ids(notebook: dict) -> None:
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = (notebook["cells"][0].get("id"), None, 7, "", "not an id!", "x" * 1000)[
            number % 6
        ]
        if number % 6 == 1:
            del cell["id"]


def _types(notebook: dict) -> dict:
    """What stands beside the cells, and in some of them, is of other types than nbformat's."""
    odd = [
        None,
        1,
        "cell",
        [],
        {},
        {"cell_type": "code"},
        {"cell_type": 1, "source": {}, "metadata": []},
        {"source": ["a", None, 1]},
    ]
    return {
        "metadata": [],
        "nbformat": 4,
        "nbformat_minor": "5",
        "cells": odd + notebook["cells"] + odd,
        "other": {"a": 1},
    }


def _carriage(notebook: dict) -> None:
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")


def _as_lists(notebook: dict) -> None:
    for cell in notebook["cells"]:
        cell["source"] = list("".join(cell["source"]))


def _twice_keyed(data: bytes) -> bytes:
    return data.rstrip()[:-1] + b', "cells": []}'


def _outputs(notebook: dict) -> None:
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cell["outputs"] = [
        {"output_type": "error"},
        None,
        5,
        {"output_type": "stream", "text": {}},
        {"output_type": "display_data", "data": 1},
    ]
    cell["execution_count"] = {"a": 1}


def _name_is_no_text(folder: Path) -> None:
    """A file's name in bytes that are no UTF-8."""
    with open(os.path.join(os.fsencode(folder), b"no\xff.ipynb"), "wb") as file:
        file.write(b"{}")


def _old_with_bad_outputs(notebook: dict) -> dict:
    """What is wrong with them takes a library minutes to say."""
    made = _old(notebook)
    for cell in made["worksheets"][0]["cells"]:
        cell["outputs"] = [{"output_type": "odd", "a": [[], [], []]}] * 5000
    return made


def _under_other_names(folder: Path) -> None:
    """Eight files of which each might be the notebook, and is not."""
    data = (folder / "inspect.ipynb").read_bytes()
    (folder / "inspect.ipynb").unlink()
    for number in range(8):
        odd = json.dumps(_old_with_bad_outputs(json.loads(data)))
        (folder / f"{number}.ipynb").write_text(odd)


def _folders(folder: Path) -> None:
    """Folders without a file, as many as no submission has."""
    for number in range(11_000):
        (folder / f"{number // 100}" / f"{number}").mkdir(parents=True)


def _twins(folder: Path) -> None:
    """Names that some systems take for one, and files that are larger than what is in them."""
    for name in (
        "Inspect",
        "INSPECT",
        "inspect ",
        "inspect.ipynb",
        "inspect\u0301",
        "ínspect",
    ):
        (folder / f"{name}.ipynb").write_text('{"nbformat": 4, "cells": []}')
    with open(folder / "hole.ipynb", "wb") as file:
        file.truncate(40 << 30)
    (folder / "inspect.IPYNB").write_text("{}")


def _minor(notebook: dict) -> None:
    """Numbers of versions that there are not, and attachments where none can be."""
    notebook["nbformat_minor"], notebook["nbformat"] = 10**40, 4.0
    for cell in notebook["cells"]:
        cell["attachments"] = {"a.png": {"image/png": ["x", None]}}
        cell["metadata"]["tags"] = ["x" * 1000] * 1000
        cell["metadata"]["nbgrader_extra"] = {"points": 10**40}


NOISE = """import os
import sys
import warnings

os.write(2, b"OMP: Warning #1: something of a library\\n" * 100)
os.write(1, b"\\xff\\xfe not UTF-8\\n")
warnings.warn("a warning")
print("E:onnxruntime: a complaint", file=sys.stderr)
"""


def _noisy(notebook: dict) -> None:
    solved(notebook)["source"] = NOISE + "".join(solved(notebook)["source"])


ATTACKS = [
    Attack("empty", **NONE, write=rewriting("inspect", lambda data: b"")),
    Attack("blank", **NONE, write=rewriting("inspect", lambda data: b" \n" * 100)),
    Attack("truncated", **NONE, write=rewriting("inspect", lambda data: data[: len(data) // 2])),
    Attack("binary", **NONE, write=rewriting("inspect", lambda data: bytes(range(256)) * 100)),
    Attack("zeros", **NONE, write=rewriting("inspect", lambda data: bytes(1_000_000))),
    Attack("nested", **NONE, write=rewriting("inspect", _nested(2_000_000))),
    Attack("nested-objects", **NONE, write=rewriting("inspect", _nested(500_000, b'{"a":', b"}"))),
    Attack("nested-metadata", **NONE, write=rewriting("inspect", _in_metadata(200_000))),
    Attack("large", **NONE, write=rewriting("inspect", lambda data: data + b" " * (65 << 20))),
    Attack(
        "long-number",
        **NONE,
        write=rewriting("inspect", lambda data: b'{"nbformat": ' + b"9" * 100_000 + b"}"),
    ),
    *(
        Attack(f"bomb-{kind}", **NONE, write=rewriting("inspect", _full_of(value)))
        for kind, value in BOMBS.items()
    ),
    *(
        Attack(
            f"json-{kind}",
            **NONE,
            write=rewriting("inspect", lambda data, kind=kind: kind.encode()),
        )
        for kind in ("null", "[]", "{}", "4.0")
    ),
    *(
        Attack(f"unknown-format-{number}", **NONE, write=_format(version))
        for number, version in enumerate((99, -1, 0, None, "4", 1e9, [4]))
    ),
    Attack("format-3", "malformed", "inspect", "first_opset", WORTH, write=as_json(_old)),
    Attack(
        "format-3-bad-outputs",
        "malformed",
        "inspect",
        "first_opset",
        WORTH,
        write=as_json(_old_with_bad_outputs),
    ),
    Attack("other-names", **NONE, write=_under_other_names),
    Attack("folders", **NONE, write=_folders),
    Attack("twins", **HALF, write=_twins),
    Attack("minor", **HALF, deed=_minor),
    Attack("no-cells", **NONE, write=as_json(lambda notebook: {**notebook, "cells": []})),
    Attack(
        "cells-are-text", **NONE, write=as_json(lambda notebook: {**notebook, "cells": "cells"})
    ),
    Attack(
        "latin",
        **NONE,
        write=rewriting(
            "inspect", lambda data: data.replace(b"nbformat", "nbförmat".encode("latin-1"), 1)
        ),
    ),
    Attack("surrogates", **HALF, write=as_json(_surrogates)),
    Attack("nul", **HALF, deed=_nul),
    Attack("ids", **HALF, deed=_ids),
    Attack("types", **HALF, write=as_json(_types)),
    Attack("carriage-returns", **HALF, deed=_carriage),
    Attack("sources-as-letters", **HALF, deed=_as_lists),
    Attack("bom", **HALF, write=rewriting("inspect", lambda data: codecs.BOM_UTF8 + data)),
    Attack(
        "utf-16", **HALF, write=rewriting("inspect", lambda data: data.decode().encode("utf-16"))
    ),
    Attack(
        "utf-16-bare",
        **HALF,
        write=rewriting("inspect", lambda data: data.decode().encode("utf-16-be")),
    ),
    Attack(
        "utf-32", **HALF, write=rewriting("inspect", lambda data: data.decode().encode("utf-32"))
    ),
    Attack("cells-twice", **NONE, write=rewriting("inspect", _twice_keyed)),
    Attack("outputs", **HALF, deed=_outputs),
    Attack(
        "infinite-numbers",
        **HALF,
        write=as_json(
            lambda notebook: {**notebook, "extra": [float("inf"), float("nan"), 10**400]}
        ),
    ),
    Attack(
        "noise-of-a-right-answer",
        "malformed",
        "inspect",
        "solution",
        1.0,
        deed=_noisy,
        exactly=True,
    ),
    Attack(
        "syntax-error",
        "malformed",
        "inspect",
        "stub",
        0.0,
        deed=answering("def describe(model:\n  return"),
    ),
    Attack(
        "plain-truncated",
        "malformed",
        "first",
        "wrong",
        0.0,
        write=rewriting("first", lambda data: data[:100]),
        status="ungradable",
    ),
    Attack(
        "plain-nested",
        "malformed",
        "first",
        "wrong",
        0.0,
        write=rewriting("first", _nested(2_000_000)),
        status="ungradable",
    ),
    Attack("plain-types", "malformed", "first", "wrong", 0.0, write=as_json(_types, "first")),
    Attack("name-is-no-text", **HALF, write=_name_is_no_text),
    Attack(
        "extra-notebooks",
        **HALF,
        write=lambda folder: (
            [
                (folder / f"{name}.ipynb").write_text(json.dumps({"a": 1}))
                for name in ("x" * 240, "-rf", "$(id)")
            ]
            and None
        ),
    ),
]
