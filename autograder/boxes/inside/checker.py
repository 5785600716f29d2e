"""The program of a checker box: judge one exercise's answers, or digest the reference's, or observe answers that are things to be run.

In: `job` {"exercise", "op": "check" | "digest" | "observe"}; `case` {"name", "parameters", "public", "seed"} and its files; `answer`
{"case", "outcome", "error"} and its files; `reference` {"case"} and the blob `reference.safetensors`, never where answers are observed.
Out: `progress` {"rung", "case"} before each look, then `verdict` {"verdict"}; or one `digest` {"case"} with the blob
`reference.safetensors` for each case; or `observing` {"case"} before each case and `observed` {"case", "outcome", "error"} and its files
after it; last `done`. An exception of our own checks becomes `fault` {"detail"}: it is nobody's mark.
"""

from __future__ import annotations

import sys
import traceback

from safetensors import numpy as safetensors

from autograder import exercises
from autograder.boxes.inside.channel import OUT_OF_MEMORY, Channel
from autograder.contract import Answer, Case, Reference
from autograder.rungs.ladder import MISSING, climb


def main() -> None:
    exercises.use(exercises.IN_BOX)
    channel = Channel()
    try:
        _serve(channel)
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
    except Exception:
        channel.send("fault", detail=traceback.format_exc(limit=-8))
    else:
        channel.send("done")


def _serve(channel: Channel) -> None:
    job: dict = {}
    cases: list[Case] = []
    answers: dict[str, Answer] = {}
    references: dict[str, Reference] = {}
    for frame in channel.frames():
        header = frame.header
        if frame.kind == "job":
            job = header
        elif frame.kind == "case":
            cases.append(Case(header["name"], frame.blobs, header["parameters"], header["public"], header["seed"]))
        elif frame.kind == "answer":
            answers[header["case"]] = Answer(header["outcome"], frame.blobs, header["error"])
        elif frame.kind == "reference":
            references[header["case"]] = safetensors.load(frame.blobs["reference.safetensors"])
    exercise = exercises.get(job["exercise"])
    if job["op"] == "digest":
        for case in cases:
            arrays = exercise.digest(case, answers.get(case.name, MISSING))
            channel.send("digest", {"reference.safetensors": safetensors.save(arrays)}, case=case.name)
    elif job["op"] == "observe":
        for case in cases:
            channel.send("observing", case=case.name)
            seen = exercise.judge.observe(case, answers.get(case.name, MISSING))
            channel.send("observed", dict(seen.files), case=case.name, outcome=seen.outcome, error=dict(seen.error))
    else:
        verdict = climb(exercise, cases, answers, references, lambda rung, case: channel.send("progress", rung=rung, case=case))
        channel.send("verdict", verdict=verdict.to_json())


if __name__ == "__main__":
    main()
