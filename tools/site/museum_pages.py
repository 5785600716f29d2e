"""The museum of broken models as a page: what is wrong, which rung catches it, what mends it, and
the file itself in a viewer.
"""

from __future__ import annotations

import html
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from formatlab.models import museum

# ONNX Runtime's messages name functions of its own source behind this.
LONGEST = 220

HEAD = """# The museum of broken models

{count} small files, each wrong in exactly one way. A heading names the first rung of the
[validation ladder](notebooks/day-50/04-validation-ladder.ipynb) that notices. Read the story, say what is wrong, then open the diagnosis.
Netron draws a graph and does not check it: it draws [dangling input](#dangling-input) without a complaint.
"""
TITLES = {
    "parse": "The file does not parse",
    "checker": "The checker refuses it",
    "full_check": "The full check refuses it",
    "strict_shapes": "Strict shape inference refuses it",
    "session": "The session does not load it",
    "parity": "It loads, and the numbers are wrong",
    "metric": "The numbers agree, and the task fails",
}


def pages() -> Iterator[tuple[str, bytes]]:
    parts = [HEAD.format(count=len(museum.EXHIBITS))]
    for rung in museum.RUNGS:
        shown = [each for each in museum.EXHIBITS.values() if each.rung == rung]
        parts.append(f"## {TITLES.get(rung, rung.replace('_', ' '))}\n")
        for each in shown:
            specimen = museum.build(each.name)
            data = specimen.files[specimen.main]
            file = f"{each.name}{specimen.main[specimen.main.rindex('.') :]}"
            yield f"_static/museum/{file}", data
            parts.append(entry(each, file, len(data), message(specimen)))
    yield "museum.md", "\n".join(parts).encode()


def message(specimen: museum.Specimen) -> str:
    """The first lines of what the first rung that breaks says."""
    with tempfile.TemporaryDirectory() as folder:
        museum.put(specimen.files, folder)
        failure = museum.first_failure(Path(folder) / specimen.main)
        said = str(failure.error).replace(f"{folder}/", "").strip() if failure else ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return textwrap.shorten(" ".join(lines), LONGEST, placeholder=" …")


def entry(each: museum.Exhibit, file: str, size: int, said: str) -> str:
    viewer = (
        f'<open-graph data-model="museum/{file}" data-name="{each.name}">'
        if file.endswith(".onnx")
        else ""
    )
    link = f'<a href="_static/museum/{file}" download>{file}</a>, {size} bytes'
    shown = f"{viewer}{link}{'</open-graph>' if viewer else ''}"
    return f"""### {each.name.replace("-", " ")}

{sentence(each.story)}

What is said: <q class="said">{html.escape(said)}</q>

<details><summary>Diagnosis and repair</summary>

**{each.diagnosis}**: {museum.DIAGNOSES[each.diagnosis].rstrip(".")}.

**Repair**: {each.fix.rstrip(".")}.

</details>

<p class="file">{shown}</p>
"""


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
