"""What `safetensors` gives points for, and its rungs in their order."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from formatlab_exercises.safetensors.judge import rungs
from formatlab_exercises.safetensors.judge.cases import PUBLIC_HEADERS
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate


def _headers(*names: str) -> tuple[str, ...]:
    """Cases of these files, public and hidden ones."""
    return (*(name for name in names if name in PUBLIC_HEADERS), *(f"hidden-{n}" for n in names))


class SafeTensorsJudge(Judge):
    # A third for each function. Whoever refuses every header, or accepts every file, is right about
    # many: so `refusals` has a header that must be read beside it, and `valid` files that must be
    # refused. A library gives some tensors as they are asked for, and has neither
    # bfloat16 as float32 nor a KeyError.
    points = 5.0
    items = (
        ItemSpec(
            name="headers",
            title="the header of a file",
            points=0.6,
            cases=_headers("plain", "padding", "many", "empties"),
        ),
        ItemSpec(
            name="metadata",
            title="metadata, names in Unicode, and a file without tensors",
            points=0.3,
            cases=_headers("metadata", "nothing", "unicode", "only_metadata"),
        ),
        ItemSpec(
            name="refused-text",
            title="headers that are no JSON object",
            points=0.35,
            cases=_headers(
                *("code", "not_utf8", "broken_json", "a_list", "python_text", "deep"),
                "two_objects",
            ),
            controls=("hidden-plain",),
        ),
        ItemSpec(
            name="refused-lengths",
            title="headers whose length is not there",
            points=0.35,
            cases=_headers(
                *("no_bytes", "seven_bytes", "huge_length", "cut_header"),
                *("claimed_length", "zero_length", "cut_in_padding", "high_length"),
            ),
            controls=("hidden-plain",),
        ),
        ItemSpec(
            name="tensors",
            title="a tensor, and a name that is not there",
            points=0.5,
            cases=("*load-plain",),
        ),
        ItemSpec(
            name="bfloat16",
            title="bfloat16 as float32",
            points=0.3,
            cases=("*load-bfloat16",),
            controls=("hidden-load-plain",),
        ),
        ItemSpec(
            name="dtypes",
            title="every dtype, scalars and empty tensors",
            points=0.5,
            cases=("hidden-load-dtypes", "*load-scalars_and_empties"),
            controls=("hidden-load-bfloat16",),
        ),
        ItemSpec(
            name="large-files",
            title="tensors of a large file",
            points=0.25,
            cases=("*load-large_file",),
            controls=("hidden-load-plain",),
        ),
        ItemSpec(
            name="lengths",
            title="files of other lengths than they say",
            points=0.3,
            cases=("*validate-lengths",),
        ),
        ItemSpec(
            name="text",
            title="files whose header is no JSON object",
            points=0.25,
            cases=("*validate-text",),
        ),
        ItemSpec(
            name="strict",
            title="names and keys that are there twice, and other JSON that is too lax",
            points=0.25,
            cases=("*validate-strict",),
        ),
        ItemSpec(
            name="entries",
            title="entries with other fields or types",
            points=0.25,
            cases=("*validate-entries",),
        ),
        ItemSpec(
            name="offsets",
            title="offsets that do not cover the data",
            points=0.3,
            cases=("*validate-offsets",),
        ),
        ItemSpec(
            name="valid",
            title="valid files of every kind",
            points=0.25,
            cases=("*validate-valid", "hidden-validate-large_file"),
            controls=("hidden-validate-lengths",),
        ),
        ItemSpec(
            name="frugal",
            title="no more of a file read than needed",
            points=0.25,
            cases=("*load-large_file", "*validate-lengths", "hidden-validate-large_file"),
            needs=("structure", "numerics", "quality"),
        ),
    )
    rungs = (
        gate("exists", rungs.exists),
        gate("type", rungs.is_dict, title="returns a dict", function="read_header"),
        gate(
            "loads",
            rungs.is_header,
            title="returns the header that stands in the file",
            function="read_header",
        ),
        RungSpec(
            "contract",
            rungs.runs_nothing,
            title="runs nothing that stands in the file",
            forbidden=True,
        ),
        RungSpec(
            "structure",
            rungs.tells_valid,
            title="tells valid files from broken ones",
            function="validate",
        ),
        RungSpec(
            "numerics",
            rungs.loads_tensors,
            title="loads the tensors that are asked for",
            function="load_tensor",
        ),
        RungSpec(
            "quality",
            rungs.is_frugal,
            title="reads no more of a file than it needs",
            is_property=True,
        ),
    )

    def function_of(self, case: Case) -> str:
        return rungs.FUNCTION_OF[case.parameters["ask"]]

    def graded_cases(self, seed: int, pretrained: bool = False) -> list[Case]:
        return _by_function(super().graded_cases(seed, pretrained))

    def calling_order(self, cases: Sequence[Case]) -> list[Case]:
        return _by_function(super().calling_order(cases))

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """The header as JSON, or the arrays `<i>` with the places of names that are not there, or
        which files are valid.
        """
        entries = rungs.entries(answer)
        if case.parameters["ask"] == "header":
            return {
                "header": np.frombuffer(json.dumps(entries[0].get("header")).encode(), np.uint8)
            }
        if case.parameters["ask"] == "files":
            return {
                "valid": np.array([entry["outcome"] == "returned" for entry in entries], np.uint8)
            }
        arrays = {
            str(at): found
            for at in range(len(entries))
            if (found := rungs.array(answer, at)) is not None
        }
        missing = [at for at, entry in enumerate(entries) if entry["outcome"] == "no_key"]
        return {**arrays, "missing": np.array(missing, np.int64)}


def _by_function(cases: Sequence[Case]) -> list[Case]:
    """So that a function that ends its process or never ends costs the others as little as can be."""
    return sorted(
        cases, key=lambda case: ("header", "tensors", "files").index(case.parameters["ask"])
    )


JUDGE = SafeTensorsJudge()
