"""SafeTensors: what it holds, how it loads, and what a pickle can do."""

import pickle
import subprocess
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save, save_file

from .ledger import Source, Verdict, holds, topic
from .running import attempt, new_path

claim = topic("SafeTensors")
NOTEBOOK = "07-safetensors"
DAY_50 = Source.DAY_50


class Mark:
    """Unpickling it makes a file: a harmless stand-in for any program."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@claim(
    "safetensors-round-trip",
    DAY_50,
    'save_file(tensors, "model.safetensors"); loaded = load_file(…); torch.equal(…).',
    Verdict.CONFIRMED,
    NOTEBOOK,
)
def round_trip() -> str:
    path = new_path("model.safetensors")
    tensors = {"weight": torch.randn(768, 768), "bias": torch.randn(768)}
    save_file(tensors, path)
    loaded = load_file(path)
    holds(
        all(torch.equal(tensors[name], loaded[name]) for name in tensors)
        and set(loaded) == set(tensors),
        set(loaded),
    )
    return "The two tensors come back equal, bit for bit."


@claim(
    "safetensors-weights-only",
    DAY_50,
    "SafeTensors: weights only.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#header",
)
def weights_only() -> str:
    said = attempt(save, {"config": {"layers": 2}})
    metadata = attempt(save, {"weight": torch.ones(1)}, metadata={"layers": 2})
    holds(said != "accepted" and metadata != "accepted", f"{said}; {metadata}")
    holds(
        attempt(save, {"weight": torch.ones(1)}, metadata={"layers": "2"}) == "accepted",
        "metadata of strings are refused",
    )
    return "Named tensors, and metadata from string to string. A dictionary as a value, or a number in the metadata, is refused."


@claim(
    "safetensors-memory-mapped",
    DAY_50,
    "Load — memory-mapped: load_file(…).",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#memory-mapping",
)
@claim(
    "table-memory-mapped",
    DAY_50,
    "SafeTensors: memory-mapped.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#memory-mapping",
)
def memory_mapped() -> str:
    path = new_path("big.safetensors")
    mebibytes = 128
    save_file({"weight": torch.zeros(mebibytes, 2**18)}, path)
    torch.save({"weight": torch.zeros(mebibytes, 2**18)}, path.with_suffix(".pt"))
    loads = {
        "safetensors.torch": f"import torch, safetensors.torch as s; load = lambda: s.load_file({str(path)!r})",
        "safetensors.numpy": f"import safetensors.numpy as s; load = lambda: s.load_file({str(path)!r})",
        "torch.load(mmap=True)": f"import torch; load = lambda: torch.load({str(path.with_suffix('.pt'))!r}, mmap=True)",
    }
    grown = {name: _anonymous_memory_growth(code) / 2**20 for name, code in loads.items()}
    path.unlink()
    path.with_suffix(".pt").unlink()
    lazy = [name for name, growth in grown.items() if growth < mebibytes / 4]
    holds(
        lazy == ["safetensors.torch", "torch.load(mmap=True)"]
        and grown["safetensors.numpy"] > 0.75 * mebibytes,
        grown,
    )
    return (
        f"True of `safetensors.torch`: loading {mebibytes} MiB takes less than a quarter of that as memory of its own. "
        "`safetensors.numpy` copies "
        "all of it, and `torch.load(mmap=True)` maps too: mapping is not what sets the format apart."
    )


def _anonymous_memory_growth(code: str) -> int:
    """Bytes of anonymous memory that `load()` adds in a fresh process."""
    script = (
        f"{code}\n"
        "def anonymous():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return 1024 * int(next(line for line in lines if line.startswith('RssAnon')).split()[1])\n"
        "before = anonymous(); kept = load(); print(anonymous() - before)"
    )
    return int(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    )


@claim(
    "safetensors-no-pickle",
    DAY_50,
    "SafeTensors: no pickle exploits.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#pickle",
)
@claim(
    "safetensors-no-code",
    DAY_50,
    "Load — no arbitrary code execution.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#pickle",
)
def no_code() -> str:
    mark = new_path("mark")
    evil = new_path("evil.safetensors")
    evil.write_bytes(pickle.dumps(Mark(mark)))
    said = attempt(load_file, evil)
    holds(said != "accepted" and not mark.exists(), said)
    with evil.open("rb") as file:
        pickle.load(file).close()
    holds(mark.exists(), "pickle.load ran nothing")
    return "A pickle that makes a file does so in `pickle.load`. Renamed to .safetensors it is refused, and nothing runs."


@claim(
    "pickle-preferred",
    DAY_50,
    "Why is SafeTensors preferred over pickle for weight distribution? (Implied: a .pt file is a pickle that runs code.)",
    Verdict.OUTDATED,
    f"{NOTEBOOK}#pickle",
)
def pickle_preferred() -> str:
    mark, path = new_path("mark"), new_path("evil.pt")
    torch.save({"weight": Mark(mark)}, path)
    by_default = attempt(torch.load, path)
    blocked = by_default.startswith("UnpicklingError") and not mark.exists()
    attempt(torch.load, path, weights_only=False)
    holds(
        blocked and mark.exists(),
        f"default: {by_default}; ran with weights_only=False: {mark.exists()}",
    )
    return (
        "`torch.load` loads weights only by default and refuses the payload; `weights_only=False` runs it. What remains in favour of "
        "SafeTensors: nothing to switch off, access to single tensors, many languages."
    )
