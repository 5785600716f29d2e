"""What the wheel of the course holds beside its code: what is right for the labs' public cases, and
the labs as they were released, so that `course check` runs what grading runs.

Both are made of `labs/`. A notebook that somebody worked in has another content than its version
says. It is left out, because a student's edits must not become what the check puts back.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET = "formatlab_exercises/references"


class References(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        # The standard library is all that this module of the harness needs.
        sys.path.insert(0, str(root / "autograder"))
        from nbjudge.course import given_cells

        stored = [
            path
            for folder in sorted(root.glob("labs/*/references"))
            for path in sorted(folder.rglob("*.safetensors"))
        ]
        included = {
            str(
                path
            ): f"{TARGET}/{path.relative_to(next(p for p in path.parents if p.name == 'references')).as_posix()}"
            for path in stored
        }
        self.folder = tempfile.TemporaryDirectory(prefix="released-labs-")
        references = Path(self.folder.name)
        released = {}
        for path in sorted(root.glob("labs/*/*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            if given_cells.is_as_released(path.stem, notebook):
                released[path.stem] = notebook
            else:
                self.app.display_warning(
                    f"{path} was changed since it was released: `course check` will run it as it stands"
                )
        given_cells.write(references, released)
        for path in sorted((references / given_cells.FOLDER).iterdir()):
            included[str(path)] = f"{TARGET}/{given_cells.FOLDER}/{path.name}"
        build_data["force_include"] |= included

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.folder.cleanup()
