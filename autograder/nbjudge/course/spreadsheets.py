"""Tables that an instructor's spreadsheet or learning platform saved as CSV: one reader for all of
them.

1. The text is UTF-8, with or without a byte order mark, or UTF-16, which spreadsheets call Unicode
   text. Anything else could only be guessed, and a wrong guess changes names without a word, so it
   is refused with what to do.
2. The separator is the comma, the semicolon or the tab that makes the first line into the headings
   that are looked for. Excel's line `sep=;` above them says it too.
3. Cells are put into Unicode's composed form and blanks are made plain, because macOS, Windows and
   the web write the same name differently.
"""

from __future__ import annotations

import codecs
import csv
import io
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SEPARATORS = ",;\t"


class TableError(RuntimeError):
    """The file cannot be read as a table. The text says why, and what to do."""


@dataclass(frozen=True)
class Table:
    """`headings` are the first line's cells, in small letters; each row comes with the number of
    its line in the file.
    """

    headings: list[str]
    rows: list[tuple[int, list[str]]]


def read(path: Path, known: Collection[str]) -> Table:
    """The table in a file; `known` are the headings, in small letters, by which the separator is
    told. Raises TableError.
    """
    try:
        lines = list(_lines(_text(path), known))
    except csv.Error as error:
        raise TableError(
            f"{path}, {error}: correct the quotation marks there, or {_save()}"
        ) from None
    if not lines:
        return Table([], [])
    (_, headings), *rows = lines
    return Table([cell.casefold() for cell in headings], rows)


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TableError(f"{path} cannot be read ({error.strerror}): name the CSV file") from None
    if data[:4] == b"PK\x03\x04":
        raise TableError(f"{path} is a workbook and no CSV file: {_save()}")
    try:
        text = data.decode("utf-16" if data.startswith(MARKS) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    else:
        # UTF-16 without its mark, and UTF-32, have one in each letter of the headings.
        if "\0" not in text.partition("\n")[0]:
            return text
        line = 1
    raise TableError(
        f"{path}, line {line}: cannot be read as CSV in UTF-8, because it was saved in another encoding: {_save()}"
    )


def _save() -> str:
    return "open it in your spreadsheet and save it as “CSV UTF-8”"


def _lines(text: str, known: Collection[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, by their numbers, the headings first."""
    told = None
    skipped = 0
    first, _, rest = text.partition("\n")
    if (stated := first.strip().casefold()).startswith("sep=") and len(stated) == 5:
        told = stated[-1]
        text = rest
        skipped = 1
    separator = told or max(SEPARATORS, key=lambda mark: _found(text, mark, known))
    # Strict, because a quote that is never closed would make one cell of all lines behind it.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for row in reader:
            if any(cells := [_plain(cell) for cell in row]):
                yield reader.line_num + skipped, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        raise csv.Error(f"line {begins + skipped}: cannot be read as CSV ({error})") from None


def _found(text: str, separator: str, known: Collection[str]) -> tuple[int, int]:
    """How many known headings, and how many cells, the first line has with this separator."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    first = next((row for row in rows if any(row)), [])
    return sum(_plain(cell).casefold() in known for cell in first), len(first)


def _plain(cell: str) -> str:
    return " ".join(unicodedata.normalize("NFC", cell).split())
