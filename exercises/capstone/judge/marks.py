"""What `capstone` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab import quantized
from formatlab_exercises.capstone import ask, passport
from formatlab_exercises.capstone.judge import audit, cases, rungs
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs import outcome

USUAL = ("digits", "mlp", "hidden-roomy", "hidden-half", "hidden-tight")
BLOCK = "hidden-block"
POSSIBLE = ("digits", "hidden-roomy", "hidden-half", "hidden-tight", BLOCK)
IMPOSSIBLE = ("mlp", "hidden-too-*")
FP32, FP16, INT8 = (f"numerics: {name}" for name in passport.MODELS)


class CapstoneJudge(Judge):
    # A fault that every file has, such as a fixed number of rows, costs each file, and a fixed choice
    # is wrong for possible budgets and for impossible ones. A wrong weights.safetensors costs two
    # items, because the module left as it was counts only where the work is done.
    points = 4.0
    items = (
        ItemSpec(name="fp32", title="fp32.onnx", points=0.4, cases=USUAL, needs=(FP32,)),
        ItemSpec(name="fp16", title="fp16.onnx", points=0.5, cases=(*USUAL, BLOCK), needs=(FP16,)),
        ItemSpec(name="int8", title="int8.onnx", points=0.5, cases=USUAL, needs=(INT8,)),
        ItemSpec(
            name="block",
            title="fp32.onnx and int8.onnx of a transformer's block",
            points=0.3,
            cases=(BLOCK,),
            needs=(FP32, INT8),
        ),
        ItemSpec(
            name="weights",
            title="weights.safetensors",
            points=0.3,
            cases=(*USUAL, BLOCK),
            needs=("numerics: weights",),
        ),
        ItemSpec(
            name="hash-and-size",
            title="the hash and the size of each file",
            points=0.3,
            cases=(*USUAL, BLOCK),
            needs=("quality: hash and size",),
        ),
        ItemSpec(
            name="entries",
            title="what each file says of itself",
            points=0.4,
            cases=(*USUAL, BLOCK),
            needs=("quality: entries",),
        ),
        ItemSpec(
            name="sqnr",
            title="the SQNR of each model",
            points=0.5,
            cases=(*USUAL, BLOCK),
            needs=("quality: sqnr",),
        ),
        ItemSpec(
            name="choice",
            title="the file that meets the budget",
            points=0.4,
            cases=POSSIBLE,
            needs=("quality: choice",),
        ),
        ItemSpec(
            name="impossible",
            title="a budget that no file meets",
            points=0.3,
            cases=IMPOSSIBLE,
            needs=("quality: choice",),
            controls=("hidden-half",),
        ),
        ItemSpec(
            name="module",
            title="the module left as it was",
            points=0.1,
            cases=(*USUAL, BLOCK),
            needs=("numerics: weights", "contract: the module"),
        ),
    )
    rungs = (
        gate("exists", outcome.exists(ask.SIGNATURE, passport.PAGE)),
        gate("type", rungs.is_passport, title="returns a passport"),
        gate("loads", rungs.loads, title="writes an fp32.onnx that loads"),
        gate(
            "numerics: the module",
            rungs.is_of_the_module,
            title="exports the module that was given",
        ),
        *(
            RungSpec(
                f"numerics: {name}",
                rungs.is_a_right(name),
                title=f"writes {name} with the signature, types and numbers that were asked for",
            )
            for name in passport.MODELS
        ),
        RungSpec(
            "numerics: weights",
            rungs.are_the_weights,
            title="writes the module's weights to the bit",
        ),
        RungSpec(
            "quality: hash and size",
            audit.has_hash_and_size,
            title="has the hash and the size of each file in the passport",
        ),
        RungSpec(
            "quality: entries",
            audit.says_what_the_file_says,
            title="has what each file says of itself in the passport",
        ),
        RungSpec(
            "quality: sqnr",
            audit.has_the_sqnr,
            title="has the SQNR of each model in the passport",
        ),
        RungSpec(
            "quality: choice",
            audit.decides,
            title="chooses the first file that meets the budget",
        ),
        RungSpec(
            "contract: the module",
            rungs.leaves_the_module,
            title="leaves the module and the example as they were",
            is_property=True,
        ),
    )

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        """What the module computes, as the reference's float32 artefact gives it, for the example
        and for fresh rows.
        """
        rows = [{rungs.INPUT: ask.example(case)}, {rungs.INPUT: cases.fresh(case)}]
        [example], [fresh] = quantized.evaluate(answer.files["fp32.onnx"], rows)
        return {"example": example, "fresh": fresh}


JUDGE = CapstoneJudge()
