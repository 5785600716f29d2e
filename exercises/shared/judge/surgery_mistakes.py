"""Mistakes that students make in every exercise that edits a model."""

from __future__ import annotations

from autograder.findings import cause, misconception
from workbench import loading

PAGE = "day-50/05-graph-surgery"


@misconception(f"{PAGE}#rewiring")
def mutates_argument():
    """The nodes of the argument are edited. Copy it first: new = onnx.ModelProto();
    new.CopyFrom(model).
    """


@misconception(f"{PAGE}#graph-outputs")
def output_renamed():
    """A caller of the model asks for its {kind}s by name. Where {writer} wrote an output, the name
    stays and another node writes it.
    """


@misconception(f"{PAGE}#proving-equivalence")
def saved_by_a_runtime():
    """The model was saved by a runtime's optimizer, which lists every domain that it knows. It is
    made to be run, not edited.
    """


@misconception(f"{PAGE}#proving-equivalence")
def stores_one_run():
    """The outputs of one run are stored in the model as constants. Another input needs another
    output.
    """


@cause(f"{PAGE}#proving-equivalence")
def something_random():
    """Nothing in these models is random, so your edit added something random."""


@misconception(f"{PAGE}#proving-equivalence")
def another_model():
    """The model is far larger than the argument: it was made from another one, or stores what it
    should compute.
    """


@misconception(f"{PAGE}#proving-equivalence")
def newest_versions():
    """helper.make_model takes the newest versions that onnx knows, and ONNX Runtime loads older
    ones. Keep those of the argument.
    """


@misconception(f"{PAGE}#proving-equivalence")
def never_checked():
    """Run onnx.checker.check_model(model, full_check=True) yourself, after every edit."""


# What stands behind the reasons for which a model is refused.
REFUSALS = {
    loading.FAR_LARGER: another_model,
    loading.NEWEST_VERSIONS: newest_versions,
    loading.NOT_CHECKED: never_checked,
}
