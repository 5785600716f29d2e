"""Netron inside JupyterLab, from files that JupyterLab serves itself: no second port, nothing off
the machine.
"""

from __future__ import annotations

import base64
import html
import os
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from IPython.display import HTML, IFrame
from onnx import ModelProto

from formatlab.models import outline

# Loaded before any model is, then for ONNX, SafeTensors and GGUF files; `mlnet` and `pytorch` are
# probed whatever the file.
MODULES = (
    *(
        "view",
        "json",
        "xml",
        "protobuf",
        "hdf5",
        "grapher",
        "browser",
        "base",
        "text",
        "flatbuffers",
        "flexbuffers",
        "zip",
        "tar",
    ),
    *(
        "python",
        "message",
        "dagre",
        "worker",
        "onnx",
        "onnx-proto",
        "onnx-schema",
        "pytorch",
        "pytorch-proto",
        "pytorch-schema",
        "pickle",
    ),
    *("tflite", "tflite-schema", "mlnet", "safetensors", "gguf", "numpy", "index"),
    # Asked, too, whether a file that is called .onnx and is not whole is one of theirs.
    *("tensorrt", "rknn", "om"),
)
FILES = (
    *(f"{name}.js" for name in MODULES),
    *(f"{name}-metadata.json" for name in ("onnx", "pytorch", "tflite", "mlnet", "gguf")),
    *("index.html", "grapher.css", "favicon.ico", "icon.png"),
)
# Before its first view Netron stops with "please update" when it is 180 days old, asks ipinfo.io
# for a country, and starts telemetry.
CALLS = ("await age();", "await consent();", "await telemetry();")
LARGEST = 2**20  # in bytes; a browser takes addresses of 2 MB
NOTICE = "Netron {version}, https://github.com/lutzroeder/netron, trimmed; in browser.js the calls {calls} are taken out.\n\n"


class UnknownNetron(RuntimeError):
    """The installed Netron is not the one that the changes were written for."""


def netron_static(directory: str | Path) -> Path:
    """Write the part of the installed Netron that shows models into `directory`/netron, changed so
    that it works offline for ever.

    Give `directory` to JupyterLab as `ServerApp.extra_static_paths`; the page is then
    `/static/netron/index.html`. Returns the folder written, replacing what was there. Raises
    UnknownNetron when the installed version has no such calls to take out.
    """
    spec = find_spec("netron")
    if spec is None or spec.origin is None:
        raise UnknownNetron("Netron is not installed: type `pip install netron`")
    source = Path(spec.origin).parent
    target = Path(directory) / "netron"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(source / name, target / name)
    script = _offline((source / "browser.js").read_text(encoding="utf-8"))
    (target / "browser.js").write_text(script, encoding="utf-8")
    removed = ", ".join(call.removeprefix("await ").rstrip(";") for call in CALLS)
    licence = Path(__file__).with_name("netron_licence.txt").read_text(encoding="utf-8")
    notice = NOTICE.format(version=version("netron"), calls=removed)
    (target / "LICENSE").write_text(notice + licence, encoding="utf-8")
    return target


def _offline(script: str) -> str:
    """The script without its calls to other machines."""
    for call in CALLS:
        if script.count(call) != 1:
            raise UnknownNetron(
                f"Netron {version('netron')} has no single {call!r} in browser.js; install the locked version"
            )
        script = script.replace(call, "")
    return script


def netron(model: ModelProto, title: str, height: int = 420) -> HTML | IFrame:
    """The model in Netron, in a frame under the cell; where no JupyterLab serves the page, one line
    that says so.

    The model travels inside the frame's address, so nothing is written and no path is needed. Of a
    model too large for an address, the outline does: its graph, without the numbers of large tensors.
    """
    # Jupyter's server tells a kernel its notebook's name; nbclient and nbconvert have no server to
    # ask for the page.
    if "JPY_SESSION_NAME" not in os.environ:
        return HTML(
            f"<p>Run this cell in JupyterLab (<code>make lab</code>) to open the graph in Netron: {html.escape(title)}.</p>"
        )
    return IFrame(
        netron_address(model), "100%", height, extras=[f'title="Netron: {html.escape(title)}"']
    )


def netron_address(model: ModelProto) -> str:
    """The model's view in JupyterLab's Netron; behind a hub, with the hub's prefix."""
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX", "/")
    sent = model if model.ByteSize() <= LARGEST else outline(model)
    data = base64.b64encode(sent.SerializeToString(deterministic=True)).decode()
    return f"{prefix}static/netron/index.html?identifier=model.onnx#data:application/octet-stream;base64,{data}"
