"""Train the small decoder of `formatlab.models.decoder` on the course's own prose, and write its
weights and the documents that it has not seen: `python tools/train_decoder.py [FOLDER]`.

It takes some minutes on one core. The same machine and versions give the same weights; others give
other ones, of about the same quality.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from pathlib import Path

import nbformat
import numpy as np
import torch
from safetensors.torch import save_file

from formatlab.models import decoder

ROOT = Path(__file__).resolve().parent.parent
STEPS = 1200
WARM_UP = 50
ROWS = 8
FASTEST = 0.003
SLOWEST = 0.00015
DECAY = 0.1
# A document is kept out of the training if its hash says so: the same one whenever the prose grows.
ONE_IN = 9
MOST_DOCUMENTS = 64
# A few bytes more than are needed: cutting in the middle of a character loses up to three.
LONG_ENOUGH = decoder.CONTEXT + 3


def cells() -> list[str]:
    """The Markdown cells of all pages and labs, each once, and the guides' paragraphs."""
    pages = sorted([*ROOT.glob("notebooks/**/*.ipynb"), *ROOT.glob("solutions/**/*.ipynb")])
    found = [
        cell.source
        for page in pages
        for cell in nbformat.read(page, as_version=4).cells
        if cell.cell_type == "markdown"
    ]
    guides = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md"))]
    return list(dict.fromkeys([*found, *(part for text in guides for part in text.split("\n\n"))]))


def split(texts: list[str]) -> tuple[bytes, list[str]]:
    """The bytes to train on, and the documents that are kept out."""
    digests = {text: hashlib.sha256(text.encode()).hexdigest() for text in texts}
    chosen = [
        text
        for text in sorted(texts, key=digests.__getitem__)
        if len(text.encode()) >= LONG_ENOUGH and int(digests[text], 16) % ONE_IN == 0
    ][:MOST_DOCUMENTS]
    held_out = frozenset(chosen)
    return "\n\n".join(text for text in texts if text not in held_out).encode(), chosen


def train(data: bytes) -> torch.nn.Module:
    model = decoder.untrained()
    rng = np.random.default_rng(0)
    tokens = np.frombuffer(data, np.uint8)
    matrices = [weight for weight in model.parameters() if weight.ndim == 2]
    others = [weight for weight in model.parameters() if weight.ndim != 2]
    groups = [{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=FASTEST, betas=(0.9, 0.95))
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        starts = rng.integers(0, len(tokens) - decoder.CONTEXT - 1, ROWS)
        rows = np.stack([tokens[start : start + decoder.CONTEXT + 1] for start in starts])
        ids = torch.from_numpy(rows.astype(np.int64))
        loss = model(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: {loss.item() / math.log(2):.3f} bits a byte", flush=True)
    return model.eval()


def rate(step: int) -> float:
    """Rises for some steps, then falls as a cosine does."""
    if step < WARM_UP:
        return FASTEST * (step + 1) / WARM_UP
    done = (step - WARM_UP) / (STEPS - WARM_UP)
    return SLOWEST + (FASTEST - SLOWEST) * (1 + math.cos(math.pi * done)) / 2


def main(folder: Path) -> None:
    data, held_out = split(cells())
    print(f"{len(data)} bytes to train on, {len(held_out)} documents kept out")
    model = train(data)
    half = {name: value.half().contiguous() for name, value in model.state_dict().items()}
    save_file(half, folder / decoder.WEIGHTS.name)
    texts = [text.encode()[:LONG_ENOUGH].decode(errors="ignore") for text in held_out]
    written = json.dumps(texts, ensure_ascii=False, indent=0)
    (folder / decoder.DOCUMENTS.name).write_text(f"{written}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else decoder.FOLDER)
