"""Run the notebook of the zoo, and write its outputs, its models, its results, what its hostile
files did, and the record: see `make zoo`.

It runs in the environment that has the extra `zoo`, and replaces nothing unless the whole page has
run.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPENED = ROOT / "workbench" / "formatlab" / "models" / "zoo" / "opened.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tools" / "site")]

import recording  # noqa: E402

from tests import notebook_tools, zoo_record  # noqa: E402


def main() -> None:
    results: dict[str, str] = {}

    def keep(folder: Path) -> None:
        results.update(
            {path.name: path.read_text(encoding="utf-8") for path in folder.glob("zoo-*.json")}
        )

    notebook = recording.run(notebook_tools.ZOO, keep)
    notebook_tools.write(notebook_tools.ZOO, notebook)
    OPENED.write_text(results.pop("zoo-opening.json") + "\n", encoding="utf-8")
    zoo_record.RESULTS.mkdir(exist_ok=True)
    for old in zoo_record.RESULTS.glob("zoo-*-cpu.json"):
        old.unlink()
    for name, text in results.items():
        (zoo_record.RESULTS / name).write_text(text, encoding="utf-8")
    zoo_record.write(notebook)
    print(f"written: {notebook_tools.ZOO.relative_to(ROOT)}, and {len(results)} results beside it")


if __name__ == "__main__":
    main()
