"""Hatchling's hook: what the wheel holds of the checkout beside the package, as far as it is there."""

from __future__ import annotations

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BESIDE = {
    # For `course doctor`, which compares what is installed with it.
    "requirements.lock": "autograder/nbjudge/requirements.lock",
    # What `measure.recorded` reads: a notebook finds it wherever it runs.
    "notebooks/lab-7-01/results": "workbench/formatlab/measure/recorded",
}


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        found = {name: target for name, target in BESIDE.items() if Path(self.root, name).exists()}
        build_data["force_include"].update(found)
