"""What students get wrong in `inspect` about weights: ways to count their elements, and their bytes."""

from __future__ import annotations

from math import prod
from pathlib import PurePosixPath

from onnx import ModelProto, TensorProto

from formatlab_exercises.inspect.judge import counting
from formatlab_exercises.inspect.judge.counting import CaseFacts
from formatlab_exercises.inspect.judge.recognised import counted, counted_so
from nbjudge.findings import Causes

HALF_BYTES = (TensorProto.INT4, TensorProto.UINT4)

# The more special ways stand first.
PARAMETERS = Causes()


@counted(PARAMETERS, "the number of initializers", "initializers")
def counts_tensors(s: CaseFacts) -> object:
    """An initializer is a whole tensor; its parameters are its elements, the product of its dims."""
    return len(list(counting.main_initializers(s)))


@counted_so(PARAMETERS, "the number of initializers, those of subgraphs included", "initializers")
def _counts_all_tensors(s: CaseFacts) -> object:
    """An initializer is a whole tensor; its parameters are its elements, the product of its dims."""
    return len(counting.all_initializers(s))


@counted(PARAMETERS, "no initializers of graphs in the bodies of functions", "functions")
def skips_function_weights(s: CaseFacts) -> object:
    """A function has no initializers, but a node in its body may hold a graph that has some."""
    return counting.elements(
        tensor for graph in counting.deep_graphs([s.model.graph]) for tensor in graph.initializer
    )


@counted(PARAMETERS, "only the initializers of the main graph", "subgraphs")
def skips_subgraph_weights(s: CaseFacts) -> object:
    """A subgraph has initializers of its own."""
    return counting.elements(counting.main_initializers(s))


@counted_so(PARAMETERS, "only the initializers whose data is in the model itself", "external-data")
def _skips_external_weights(s: CaseFacts) -> object:
    """An external initializer has its dims in the model; only its data is in another file."""
    return counting.elements(
        t for t in counting.all_initializers(s) if t.data_location != TensorProto.EXTERNAL
    )


@counted(PARAMETERS, "no initializers of whole numbers", "initializers")
def skips_whole_numbers(s: CaseFacts) -> object:
    """Initializers of every type count, whatever they hold."""
    return counting.elements(
        t for t in counting.all_initializers(s) if t.data_type != TensorProto.INT64
    )


@counted(PARAMETERS, "no initializers of texts", "initializers")
def skips_texts(s: CaseFacts) -> object:
    """A tensor of texts has elements as well, and is stored in the model."""
    return counting.elements(
        t for t in counting.all_initializers(s) if t.data_type != TensorProto.STRING
    )


@counted(PARAMETERS, "no initializers of booleans", "initializers")
def skips_booleans(s: CaseFacts) -> object:
    """A tensor of booleans, such as a mask, has elements as well, and each is stored in a byte."""
    return counting.elements(
        t for t in counting.all_initializers(s) if t.data_type != TensorProto.BOOL
    )


@counted(PARAMETERS, "only the initializers that are not graph inputs", "initializers")
def skips_inputs(s: CaseFacts) -> object:
    """An initializer may be an input too: it is then the input's default value, and still stored in
    the model.
    """
    return counting.not_inputs(s)


@counted(PARAMETERS, "the tensors of Constant nodes included", "initializers")
def counts_constants(s: CaseFacts) -> object:
    """A Constant is a node with a tensor in its attribute, not an initializer: it is counted among
    the operators.
    """
    return counting.elements(
        [
            *counting.all_initializers(s),
            *(
                a.t
                for node in counting.nodes_of(s.model)
                for a in node.attribute
                if a.HasField("t")
            ),
        ]
    )


@counted(PARAMETERS, "initializers of one name counted once", "initializers")
def by_name(s: CaseFacts) -> object:
    """A name is unique in its graph. Two branches may each have an initializer of one name, so a
    dict from names to initializers loses one of them.
    """
    return counting.elements({t.name: t for t in counting.all_initializers(s)}.values())


@counted(PARAMETERS, "scalars counted as nothing", "initializers")
def skips_scalars(s: CaseFacts) -> object:
    """A tensor without dims is a scalar: it has one element, the product of no numbers."""
    return sum(prod(tensor.dims) for tensor in counting.all_initializers(s) if tensor.dims)


@counted(PARAMETERS, "a tensor without elements counted as one element", "initializers")
def empty_is_one(s: CaseFacts) -> object:
    """A tensor with a dimension of 0 has no elements. Only the product of no dims at all is 1."""
    return sum(prod(tensor.dims) or 1 for tensor in counting.all_initializers(s))


@counted(PARAMETERS, "a dimension of zero counted as one", "initializers")
def zero_is_one(s: CaseFacts) -> object:
    """A dimension of 0 leaves a tensor without elements: the product is 0, whatever the other
    dimensions are.
    """
    return sum(prod(max(dim, 1) for dim in tensor.dims) for tensor in counting.all_initializers(s))


@counted(PARAMETERS, "the elements that the bytes would hold", "types")
def elements_of_bytes(s: CaseFacts) -> object:
    """Two int4 share a byte, and the last byte of an odd number of them is half empty. The dims
    give the elements.
    """
    tensors = counting.all_initializers(s)
    return sum(
        count + count % 2 if tensor.data_type in HALF_BYTES else count
        for tensor in tensors
        for count in [prod(tensor.dims)]
    )


@counted_so(PARAMETERS, "the bytes of raw_data", "types")
def _counts_raw_bytes(s: CaseFacts) -> object:
    """How many bytes an element takes depends on its type, and the data may be in other fields. The
    dims give the elements.
    """
    return sum(len(tensor.raw_data) for tensor in counting.all_initializers(s))


BYTES = Causes()


@counted(BYTES, "the model without its external data", "external-data")
def no_external_files(s: CaseFacts) -> object:
    """The weights may be in other files. The model names them in external_data, and they count
    towards its size.
    """
    return counting.total_size(s, ())


@counted(BYTES, "a file once for each tensor in it", "external-data")
def counts_files_twice(s: CaseFacts) -> object:
    """Several tensors may share a file: collect the locations in a set before adding the sizes."""
    return counting.total_size(
        s, counting.outside_files(s, counting.all_initializers(s), "location")
    )


@counted(BYTES, "only the files that the main graph refers to", "subgraphs")
def files_of_the_main_graph(s: CaseFacts) -> object:
    """A subgraph's initializers may be external too."""
    return counting.total_size(
        s, set(counting.outside_files(s, counting.main_initializers(s), "location"))
    )


@counted(BYTES, "files that are looked for without their folders", "external-data")
def loses_folders(s: CaseFacts) -> object:
    """A location may name a file in a subfolder. Its last part alone may be the name of another
    file: take the location as it stands.
    """
    files = set(counting.outside_files(s, counting.all_initializers(s), "location"))
    return counting.total_size(s, {PurePosixPath(name).name for name in files})


@counted(BYTES, "every file in the directory", "external-data")
def whole_directory(s: CaseFacts) -> object:
    """The directory may hold other files too. The model names its own files in external_data."""
    return counting.total_size(s, s.sizes)


@counted(BYTES, "a model into which its external data was loaded", "external-data")
def loads_into_a_copy(s: CaseFacts) -> object:
    """A model that holds its data is another one: the gaps in the files are gone, and so is what
    the tensors said of these files. Leave the data where it is, and add the sizes of the files.
    """
    model = ModelProto.FromString(s.model.SerializeToString())
    for tensor in counting.all_initializers(CaseFacts(model, s.sizes)):
        if tensor.data_location == TensorProto.EXTERNAL:
            fields = {entry.key: entry.value for entry in tensor.external_data}
            rest = s.sizes.get(fields["location"], 0) - int(fields.get("offset", 0))
            tensor.raw_data = bytes(max(int(fields.get("length", rest)), 0))
            tensor.data_location = TensorProto.DEFAULT
            tensor.ClearField("external_data")
    return model.ByteSize()


@counted(BYTES, "the lengths of the tensors in the files", "external-data")
def adds_lengths(s: CaseFacts) -> object:
    """A file may hold more than its tensors: gaps for alignment. What counts is the file's size on
    the disk.
    """
    return s.model.ByteSize() + sum(
        map(int, counting.outside_files(s, counting.all_initializers(s), "length"))
    )


@counted_so(BYTES, "the external data without the model itself", "bytes")
def _external_files_alone(s: CaseFacts) -> object:
    """The serialized model is a part of the size as well."""
    return sum(
        s.sizes[name]
        for name in set(counting.outside_files(s, counting.all_initializers(s), "location"))
    )


@counted_so(BYTES, "the bytes of raw_data", "bytes")
def _size_of_raw_data(s: CaseFacts) -> object:
    """The size is that of the whole serialized model: nodes, names and everything else included."""
    return sum(len(tensor.raw_data) for tensor in counting.all_initializers(s))
