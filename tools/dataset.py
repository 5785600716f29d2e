"""The museum of broken models and the stored answers as a data set: `make matrix` grades the answers,
then `python tools/dataset.py FILE.zip` writes it.

The same bytes for the same checkout: models are made from seed 0, and entries have no times. What is in
it, and how it is versioned, stands in docs/dataset.md.
"""

import csv
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path

import yaml

from formatlab.models import museum
from nbjudge.course import stored

ROOT = Path(__file__).resolve().parents[1]
[_REFERENCE] = yaml.safe_load((ROOT / "CITATION.cff").read_text())["references"]
VERSION = _REFERENCE["version"]
FOLDER = f"broken-models-and-wrong-answers-{VERSION}"
MATRICES = ROOT / "build" / "exercises"
ANSWER_FIELDS = (
    *("exercise", "answer", "file", "about", "is_right", "score", "first_broken_rung"),
    *("misconception", "misconception_text", "caught_by_public_cases", "caught_by_practice"),
)
MUSEUM_FIELDS = ("exhibit", "diagnosis", "rung", "story", "fix", "model")


def files(matrices: Path = MATRICES) -> dict[str, bytes]:
    """Return all files of the data set by their path in it. `matrices` holds the kill matrices."""
    found = {
        "README.md": (ROOT / "docs" / "dataset.md").read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        **_museum(),
        **_answers(matrices),
    }
    sums = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(found.items())]
    return {**found, "SHA256SUMS": "".join(sums).encode()}


def _museum() -> dict[str, bytes]:
    """Each exhibit as it is broken, with the runs that say what it should compute, and repaired."""
    found: dict[str, bytes] = {}
    rows = []
    for name, exhibit in museum.EXHIBITS.items():
        specimen = museum.build(name, seed=0)
        rows.append(
            {
                "exhibit": name,
                "diagnosis": exhibit.diagnosis,
                "rung": exhibit.rung,
                "story": exhibit.story,
                "fix": exhibit.fix,
                "model": f"museum/{name}/broken/{specimen.main}",
            }
        )
        repaired = specimen.repair(specimen.files)
        for state, content in (("broken", specimen.files), ("repaired", repaired)):
            found |= {f"museum/{name}/{state}/{path}": data for path, data in content.items()}
    return {"museum.csv": _csv(MUSEUM_FIELDS, rows), **found}


def _answers(matrices: Path) -> dict[str, bytes]:
    """Each stored answer as the source that a student would have, and the kill matrix."""
    found: dict[str, bytes] = {}
    rows = []
    for folder in sorted((ROOT / "exercises").glob("*/answers")):
        exercise = folder.parent.name
        file = matrices / f"{exercise}.json"
        if not file.exists():
            raise SystemExit(f"{file} is not there: `make matrix EXERCISES={exercise}` makes it")
        matrix = json.loads(file.read_text())
        graded = {each["name"]: each for each in matrix["answers"]}
        words = {each["id"]: each["sentence"] for each in matrix["misconceptions"]}
        for answer in stored.read(folder):
            name = f"answers/{exercise}/{answer.name}.py"
            found[name] = f"{answer.source}\n".encode()
            rows.append(_row(exercise, name, answer, graded[answer.name], words))
        found[f"matrix/{exercise}.json"] = json.dumps(matrix, indent=1).encode()
    return {"answers.csv": _csv(ANSWER_FIELDS, rows), **found}


def _row(exercise: str, name: str, answer: stored.Stored, graded: dict, words: dict) -> dict:
    shows = graded["misconception"] or ""
    says = graded.get("says") or {}
    return {
        "exercise": exercise,
        "answer": answer.name,
        "file": name,
        "about": " ".join(answer.about.split()),
        "is_right": int(not graded["rung"]),
        "score": graded["score"],
        "first_broken_rung": graded["rung"] or "",
        "misconception": shows,
        "misconception_text": words.get(shows, says.get("cause", "")),
        "caught_by_public_cases": _caught(graded.get("public")),
        "caught_by_practice": _caught(graded.get("practice")),
    }


def _caught(by: dict | None) -> str:
    """1, 0, or nothing where it was not tried."""
    return "" if by is None else str(int(bool(by.get("rung"))))


def _csv(fields: tuple[str, ...], rows: list[dict]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write(target: Path, matrices: Path = MATRICES) -> int:
    """Write the zip file. Returns how many files it holds."""
    found = files(matrices)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(found.items()):
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}", (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return len(found)


if __name__ == "__main__":
    [path] = map(Path, sys.argv[1:])
    print(f"{path}: {write(path)} files, version {VERSION}")
