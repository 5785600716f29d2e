"""Mistakes that students make in every exercise that edits a model."""

from __future__ import annotations

from formatlab import loading
from nbjudge.findings import Section

PAGE = "day-50/05-graph-surgery"
REWIRING = Section(f"{PAGE}#rewiring")
GRAPH_OUTPUTS = Section(f"{PAGE}#graph-outputs")
PROVING_EQUIVALENCE = Section(f"{PAGE}#proving-equivalence")


class SurgeryMistakes:
    """Those that a rung recognises by itself."""

    mutates_argument = REWIRING.mistake("""The nodes of the argument are edited. Copy it first: new
        = onnx.ModelProto(); new.CopyFrom(model).""")
    output_renamed = GRAPH_OUTPUTS.mistake("""A caller of the model asks for its {kind}s by name.
        Where {writer} wrote an output, the name stays and another node writes it.""")
    another_number = GRAPH_OUTPUTS.mistake("""A caller of the model feeds every input and asks for
        every {kind} by its name, whether a node still reads it or not. A clean-up must leave them
        all.""")
    default_lost = GRAPH_OUTPUTS.mistake("""An initializer with the name of a graph input is the
        input's default. Without it every caller has to feed the input, even if nothing reads it.""")
    saved_by_a_runtime = PROVING_EQUIVALENCE.mistake("""The model was saved by a runtime's
        optimizer, which lists every domain that it knows. It is made to be run, not edited.""")
    one_more_domain = PROVING_EQUIVALENCE.cause("""No edit that is asked for needs operators of
        another domain. Keep the imports of the argument: a runtime's optimizer adds to them, and so
        does a line of your own.""")
    stores_one_run = PROVING_EQUIVALENCE.mistake("""The outputs of one run are stored in the model
        as constants. Another input needs another output.""")
    something_random = PROVING_EQUIVALENCE.cause("""Nothing in these models is random, so your edit
        added something random.""")
    another_model = PROVING_EQUIVALENCE.mistake("""The model is far larger than the argument: it was
        made from another one, or stores what it should compute.""")
    other_versions = PROVING_EQUIVALENCE.mistake("""The model was converted to another opset, or
        built anew with the versions of a library or of another export. Copy the argument and edit
        the copy.""")
    newest_versions = PROVING_EQUIVALENCE.mistake("""helper.make_model takes the newest versions
        that onnx knows, and ONNX Runtime loads older ones. Keep those of the argument.""")
    never_checked = PROVING_EQUIVALENCE.mistake("""Run onnx.checker.check_model(model,
        full_check=True) yourself, after every edit.""")


# What stands behind the reasons for which a model is refused.
REFUSALS = {
    loading.FAR_LARGER: SurgeryMistakes.another_model,
    loading.NEWEST_VERSIONS: SurgeryMistakes.newest_versions,
    loading.NOT_CHECKED: SurgeryMistakes.never_checked,
}
