"""An SVG in the colours of a light and of a dark page. A colour keeps its hue; its lightness is
turned over for the dark one.
"""

from __future__ import annotations

import re

HEX = re.compile(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
# matplotlib's white rectangles without a line: the sheet, and the one behind the axes.
PAPER = re.compile(
    r'<path d="M [\d.]+ [\d.]+ \s*(L [\d.]+ [\d.]+ \s*){3}z\s*" style="fill: #ffffff"/>'
)
SHEET = re.compile(
    r'<rect( [xy]="[\d.-]+")* width="[\d.]+" height="[\d.]+" rx="8" fill="#ffffff" stroke="#d0d4d9"/>'
)
GROUND = re.compile(r'<rect class="bg"[^>]*/>')
# A drawing that knows both.
OWN_DARK = re.compile(r"@media \(prefers-color-scheme:\s*dark\)\{((?:[^{}]*\{[^{}]*\})*)\s*\}")
DARK_PAPER, DARK_INK = 0.21, 0.94  # lightness, from 0 to 1, of what is white and black on paper
POINT = 4 / 3  # in pixels


def light(svg: str) -> str:
    return OWN_DARK.sub("", _transparent(svg))


def dark(svg: str) -> str:
    """The picture for a dark page: every colour turned over, and what has none of its own in a
    light ink.
    """
    if OWN_DARK.search(svg):
        return OWN_DARK.sub(r"\1", _transparent(svg))
    turned = HEX.sub(lambda match: turn_over(match.group(1)), _transparent(svg))
    return (
        turned
        if re.search(r"<svg[^>]*\sfill=", turned)
        else turned.replace("<svg ", f'<svg fill="{turn_over("000000")}" ', 1)
    )


def _transparent(svg: str) -> str:
    """Without the white sheet that matplotlib and drawings begin with: the page is the sheet."""
    return GROUND.sub("", SHEET.sub("", PAPER.sub("", svg)))


def pair(stem: str, words: str, svg: str) -> str:
    """Both forms of a drawing, as HTML: the page shows the one of its theme. They lie at `stem`.svg
    and `stem`-dark.svg.
    """
    width, height = size(svg)
    shared = f'alt="{words}" width="{width:.0f}" height="{height:.0f}" loading="lazy"'
    shared += f' style="--width:{width:.0f}"'
    return "".join(
        f'<img class="figure {theme}" src="{stem}{end}.svg" {shared}>'
        for theme, end in (("light", ""), ("dark", "-dark"))
    )


def size(svg: str) -> tuple[float, float]:
    """Width and height in pixels."""
    found = re.search(r'<svg[^>]*?\swidth="([\d.]+)(pt|px)?"\s+height="([\d.]+)', svg)
    if not found:
        box = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"', svg)
        return float(box.group(1)), float(box.group(2))
    scale = POINT if found.group(2) == "pt" else 1
    return float(found.group(1)) * scale, float(found.group(3)) * scale


def title(svg: str) -> str:
    found = re.search(r"<title>(.*?)</title>", svg, re.DOTALL)
    return found.group(1) if found else "picture"


def turn_over(colour: str) -> str:
    """The colour with its lightness turned over, between a dark paper and a light ink."""
    colour = "".join(2 * digit for digit in colour) if len(colour) == 3 else colour
    lightness, a, b = _to_oklab([int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)])
    turned = DARK_PAPER + (1 - lightness) * (DARK_INK - DARK_PAPER)
    return "#" + "".join(
        f"{round(255 * min(max(part, 0), 1)):02x}" for part in _from_oklab(turned, a, b)
    )


def _to_oklab(rgb: list[float]) -> tuple[float, float, float]:
    """Björn Ottosson's OKLab, in which equal steps of lightness look equal."""
    r, g, b = ((x / 12.92) if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in rgb)
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    middle = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def _from_oklab(lightness: float, a: float, b: float) -> list[float]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return [12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055 for x in linear]
