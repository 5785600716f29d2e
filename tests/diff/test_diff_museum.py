"""Each broken model of the museum beside its healthy twin: the report names the one edit."""

import pytest

import formatlab
from formatlab.diff import CannotDiff
from formatlab.models import museum

SEEDS = (0, 1, 2)
# What the report says of each exhibit: kinds of its changes, and words that stand in the first.
NAMED = {
    "misspelt-operator": ({"replaced"}, "is no operator of ONNX"),
    "operator-from-the-future": ({"replaced", "opset"}, "Gelu"),
    "dangling-input": ({"rewired"}, "which nothing writes"),
    "dangling-in-branch": ({"rewired"}, "which nothing writes"),
    "output-without-giver": ({"rewired"}, "nothing writes the output"),
    "unsorted": ({"invalid"}, "not sorted any more"),
    "unsorted-branch": ({"invalid"}, "not sorted any more"),
    "two-givers": ({"invalid", "rewired"}, "written more than once"),
    "given-and-stored": ({"invalid", "rewired", "added"}, "written more than once"),
    "one-node-gives-twice": ({"invalid", "rewired"}, "written more than once"),
    "stored-twice": ({"invalid", "added"}, "written more than once"),
    "no-opset": ({"opset"}, "the default domain is not imported any more"),
    "no-default-opset": ({"opset"}, "the default domain is not imported any more"),
    "domain-not-imported": ({"opset"}, "`lab.ops` is not imported any more"),
    "declared-type": ({"retyped"}, "the output"),
    "declared-shape": ({"resized"}, "the output"),
    "declared-rank": ({"resized"}, "the output"),
    "stale-value-info": ({"invalid"}, "but its node gives"),
    "computed-declaration": ({"resized"}, "the output"),
    "inner-dimensions": ({"resized"}, "the part that both have is the same"),
    "bias-of-another-layer": ({"resized"}, "the part that both have is the same"),
    "gemm-of-rank-three": ({"fused"}, "became Gemm"),
    "zero-point-type": ({"retyped"}, "INT8"),
    "computed-shape-clash": ({"values"}, "was ["),
    "opset-too-new": ({"opset", "ir"}, "the opset of the default domain was"),
    "ir-too-new": ({"ir"}, "and is 14"),
    "foreign-operator": ({"replaced", "opset"}, "became"),
    "integer-gemm": ({"replaced"}, "became Gemm"),
    "baked-input": ({"resized"}, "[batch, "),
    "baked-reshape": ({"values"}, "was [-1, "),
    "training-dropout": ({"values"}, "was False and is True"),
    "noise": ({"added"}, "RandomNormalLike"),
    "transposed-weight": ({"values"}, "is transposed"),
    "swapped-weights": ({"values"}, "have changed places"),
    "scale-of-another-tensor": ({"values"}, "was 0.03125 and is"),
    "float16-overflow": ({"added"}, "Mul"),
    "permuted-labels": ({"values"}, "in another order"),
}
# A file that cannot be read is trouble, which names the fault in one line.
REFUSED = {
    "truncated": "cut off",
    "pointer": "`git lfs pull`",
    "lost-data": "is not beside the model",
    "data-outside": "points outside of the model's folder",
    "absolute-location": "points outside of the model's folder",
    "short-data": "bytes, and the weight",
    **dict.fromkeys(
        ("header-too-long", "overlap", "hole", "wrong-shape-in-header"), "SafeTensors file"
    ),
}


def test_every_exhibit_is_told():
    assert set(museum.EXHIBITS) == {*NAMED, *REFUSED}


def pair(name, seed, folder):
    specimen = museum.build(name, seed)
    museum.put(specimen.repair(dict(specimen.files)), folder / "healthy")
    museum.put(specimen.files, folder / "broken")
    return folder / "healthy" / specimen.main, folder / "broken" / specimen.main


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", sorted(NAMED))
def test_the_one_edit_of_an_exhibit_is_named(name, seed, tmp_path):
    kinds, words = NAMED[name]
    # A false declaration is found by shape inference, which belongs to the runs.
    found = formatlab.diff(*pair(name, seed, tmp_path), inputs=name == "stale-value-info")
    assert not found.is_same
    assert {each.kind.value for each in found.changes} <= kinds, found.text
    assert any(words in each.text for each in found.changes), found.text
    assert len(found.changes) <= 3, found.text


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_file_that_cannot_be_read_is_refused_in_one_line(name, tmp_path):
    with pytest.raises(CannotDiff) as refused:
        formatlab.diff(*pair(name, 0, tmp_path), inputs=0)
    assert REFUSED[name] in str(refused.value)
    assert "\n" not in str(refused.value)
