"""Lines of print with their texts, rendered from fonts that matplotlib ships: no scan, no download.

A line is a few words or numbers in one of several faces, on light paper, turned a little, blurred and
noisy. It comes as the text recognizer takes it. `character_errors` compares what was read with what
is written there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from formatlab.models.recognizer import HEIGHT

WIDTH = 320
FACES = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSans-Oblique.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSerif.ttf",
    "DejaVuSerif-Italic.ttf",
)
SIZES = (26, 38)
MARGIN = 6
TURN = 1.5
BLUR = 2.0
NOISE = 20.0
WORDS = (
    "account address amount annual article basket before between bottle branch bridge broken cabinet "
    "captain carbon carpet castle central chapter charge circle closed coffee column common copper "
    "corner cotton credit danger dealer degree design detail dinner direct doctor double driver eight "
    "engine entire factor family figure finish flight flower forest fourth future garden golden harbour "
    "height hidden invoice island journey kitchen ladder letter level library license liquid machine "
    "market measure metal minute mirror morning number office orange packet payment pencil picture "
    "platform pocket police postage quality quarter receipt record return river sample school second "
    "shipping silver simple single station street summer supply table ticket total traffic valley value "
    "village volume walking water weather weight window winter yellow"
)


def rendered(seed: int, count: int) -> tuple[np.ndarray, list[str]]:
    """`count` images as float32 of shape (count, 3, HEIGHT, WIDTH) from -1 to 1, with zeros to the
    right of each line, and the texts on them.
    """
    rng = np.random.default_rng(seed)
    texts = [_text(rng) for _ in range(count)]
    return np.stack([_fitted(_drawn(text, rng)) for text in texts]), texts


def character_errors(found: str, written: str) -> int:
    """How many characters have to be put in, taken out or changed to come from `found` to `written`.
    Spaces do not count, because how wide one is depends on the face.
    """
    found, written = found.replace(" ", ""), written.replace(" ", "")
    costs = list(range(len(written) + 1))
    for i, read in enumerate(found, 1):
        before, costs[0] = costs[0], i
        for j, wanted in enumerate(written, 1):
            best = min(before + (read != wanted), costs[j] + 1, costs[j - 1] + 1)
            before, costs[j] = costs[j], best
    return costs[-1]


def characters_in(texts: Sequence[str]) -> np.ndarray:
    """How many characters that count each text has."""
    return np.array([len(text.replace(" ", "")) for text in texts])


def picture(image: np.ndarray) -> Image.Image:
    """A line as the recognizer gets it, of shape (3, HEIGHT, WIDTH), to look at."""
    pixels = np.clip((image.transpose(1, 2, 0)[:, :, ::-1] + 1) * 127.5, 0, 255)
    return Image.fromarray(pixels.astype(np.uint8))


def _text(rng: np.random.Generator) -> str:
    words = [_word(rng) for _ in range(rng.integers(2, 4))]
    return " ".join(words)


def _word(rng: np.random.Generator) -> str:
    if rng.random() < 0.25:
        return str(rng.integers(10, 100_000))
    word = str(rng.choice(WORDS.split()))
    return [word, word.capitalize(), word.upper()][rng.choice(3, p=[0.5, 0.3, 0.2])]


@cache
def _face(name: str, size: int) -> ImageFont.FreeTypeFont:
    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    return ImageFont.truetype(folder / name, size, layout_engine=ImageFont.Layout.BASIC)


def _drawn(text: str, rng: np.random.Generator) -> Image.Image:
    """The line in colour, as large as its text."""
    face = _face(str(rng.choice(FACES)), int(rng.integers(*SIZES)))
    left, top, right, bottom = face.getbbox(text)
    size = (int(right - left) + 2 * MARGIN, int(bottom - top) + 2 * MARGIN)
    paper = tuple(rng.integers(180, 250, 3).tolist())
    ink = tuple(rng.integers(0, 100, 3).tolist())
    image = Image.new("RGB", size, paper)
    ImageDraw.Draw(image).text((MARGIN - left, MARGIN - top), text, fill=ink, font=face)
    turned = image.rotate(rng.uniform(-TURN, TURN), Image.Resampling.BILINEAR, fillcolor=paper)
    blurred = turned.filter(ImageFilter.GaussianBlur(rng.uniform(0, BLUR)))
    pixels = np.asarray(blurred) + rng.normal(0, NOISE, (size[1], size[0], 3))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def _fitted(image: Image.Image) -> np.ndarray:
    """Scaled to `HEIGHT`, at most `WIDTH` wide, blue first, from -1 to 1."""
    width = min(WIDTH, round(image.width * HEIGHT / image.height))
    scaled = np.asarray(image.resize((width, HEIGHT), Image.Resampling.BILINEAR), np.float32)
    fitted = np.zeros((3, HEIGHT, WIDTH), np.float32)
    fitted[:, :, :width] = (scaled[:, :, ::-1] / 127.5 - 1).transpose(2, 0, 1)
    return fitted
