"""Draw pictures anew: what a student's notebook held becomes a still PNG that this program wrote.

In: `draw` with one blob for each picture. Out: for each, in their order, `drawn` {"name"} and the
blob `picture`, or `drawn` {"name", "why"}.
"""

from __future__ import annotations

import io

from PIL import Image, ImageOps

from nbjudge.boxes.inside.channel import Channel
from nbjudge.boxes.inside.outputs import still_picture

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
MAX_PIXELS = 1 << 26
# What is shown: enough to read a page of handwriting.
MAX_SIDE = 1600
MAX_PNG = 1 << 20
COLOURS = 256


def main() -> None:
    channel = Channel()
    for frame in channel.frames():
        if frame.kind != "draw":
            continue
        for name, data in frame.blobs.items():
            try:
                channel.send("drawn", {"picture": drawn(bytes(data))}, name=name)
            except Exception as error:  # whatever breaks a decoder, it is no picture to show  # noqa: BLE001
                channel.send("drawn", name=name, why=_why(error))
        if not channel.free():
            return


class NotDrawn(ValueError):
    """The picture is not shown. The text says why."""


def drawn(data: bytes) -> bytes:
    """The first picture of a PNG, JPEG, GIF or WebP, as a PNG of at most `MAX_PNG` bytes. Raises
    NotDrawn, and what the decoder raises.
    """
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    with Image.open(io.BytesIO(data), formats=FORMATS) as opened:
        if opened.width * opened.height > MAX_PIXELS:
            raise NotDrawn(_too_large())
        opened.draft("RGB", (MAX_SIDE, MAX_SIDE))  # a JPEG is decoded at a part of its size
        opened.seek(0)
        image = ImageOps.exif_transpose(opened)
        has_holes = "transparency" in image.info or image.mode in ("RGBA", "LA", "PA")
        flat = image.convert("RGBA" if has_holes else "RGB")
    flat.thumbnail((MAX_SIDE, MAX_SIDE))
    return _within(flat)


def _within(image: Image.Image) -> bytes:
    """In all its colours where that is small enough, else in some of them, else smaller."""
    written = _written(image)
    while len(written) > MAX_PNG:
        written = _written(image.quantize(COLOURS))
        if len(written) > MAX_PNG:
            image = image.resize((max(1, image.width * 3 // 4), max(1, image.height * 3 // 4)))
    return written


def _written(image: Image.Image) -> bytes:
    image.info.clear()
    target = io.BytesIO()
    image.save(target, "PNG")
    picture = still_picture(target.getvalue())
    if picture is None:
        raise NotDrawn(_too_large())
    return picture


def _why(error: Exception) -> str:
    if isinstance(error, NotDrawn):
        return str(error)
    if isinstance(error, Image.DecompressionBombError):
        return _too_large()
    if isinstance(error, Image.UnidentifiedImageError):
        return "it is no PNG, JPEG, GIF or WebP"
    return "its bytes are damaged, or it is too much to draw"


def _too_large() -> str:
    return f"it has more than {MAX_PIXELS >> 20} million pixels"


if __name__ == "__main__":
    main()
