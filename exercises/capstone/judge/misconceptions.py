"""What students get wrong in `capstone`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/01-export-and-run#validate")
def another_module():
    """The file is that of another module. Only the number of rows is open: the other dimensions and
    the weights are those of the module that is passed in. Each call brings one of its own.
    """


@misconception("lab-7-01/01-export-and-run#validate")
def never_runs():
    """The checker and a session accept the file, and each run fails. Run every file on the example
    before you describe it.
    """


@misconception("lab-7-01/06-interview#passport")
def invented_producer():
    """A file says itself which program wrote it last, and that may not be the one you expect: read
    producer_name and producer_version.
    """


@misconception("lab-7-01/06-interview#passport")
def constant_ir():
    """The IR version is a field of the model, and tools that write a file again may change it."""


@misconception("lab-7-01/06-interview#passport")
def example_shape():
    """The signature is in graph.input: name, dtype, and each dimension's dim_param or dim_value."""


@misconception("lab-7-01/06-interview#passport")
def first_passport():
    """The entry was written for another file, or before this one existed. Write a passport from the
    files, at the end.
    """


@misconception("lab-7-01/06-interview#passport")
def one_hash():
    """Each file has a hash of its own. You computed one, and wrote it into several entries."""


@misconception("lab-7-01/06-interview#passport")
def early_hash():
    """The hash was taken before the file was written for the last time, or of something that is not
    the file's bytes.
    """


@misconception("lab-7-01/06-interview#passport")
def size_of_weights():
    """The graph around the weights takes bytes too: ask the file system."""


@misconception("lab-7-01/06-interview#passport")
def first_import():
    """A model imports several operator sets, in any order: go over all of opset_import, not only
    opset_import[0].
    """


@misconception("lab-7-01/06-interview#passport")
def newest_opset():
    """The exporter does not always write what you ask for, and tools raise versions. Read the
    file's opset_import.
    """


@misconception("lab-7-01/06-interview#passport")
def counts_tensors():
    """Elements are counted, not tensors: a weight of shape (100, 512) has 51200."""


@misconception("lab-7-01/06-interview#passport")
def float_elements():
    """For each dtype, the elements of all tensors together: a tensor without dimensions has one."""


@misconception("lab-7-01/04-int8#sqnr")
def uncapped():
    """Above 100 dB the number depends on the order of a sum. Write 100."""


@misconception("lab-7-01/04-int8#sqnr")
def no_noise():
    """Rounding leaves noise. The file was compared with itself, or the number is a constant."""


@misconception("lab-7-01/04-int8#sqnr")
def one_number():
    """Several entries have the same number. Compare each file with the module."""


@misconception("lab-7-01/04-int8#sqnr")
def twenty_log():
    """20 log10 is for a ratio of amplitudes. A ratio of sums of squares takes 10 log10."""


@misconception("lab-7-01/04-int8#sqnr")
def sign_turned():
    """The signal is above the noise in the fraction: less noise gives more decibels."""


@misconception("lab-7-01/04-int8#sqnr")
def typical_numbers():
    """It was measured on other rows, against a module in training mode, or against another file
    than the module's own output.
    """


@misconception("lab-7-01/06-interview#passport")
def kilobytes():
    """A passport repeats what was asked for, so that its reader can check the verdict."""


@misconception("lab-7-01/06-interview#passport")
def always_met():
    """The verdict follows from the entries above it. A passport that always says yes is worth
    nothing.
    """


@misconception("lab-7-01/06-interview#passport")
def gives_up():
    """The verdict says less than the entries: compare each with both numbers of the budget."""


@misconception("lab-7-01/06-interview#passport")
def always_int8():
    """A file that comes before it meets the budget too. Don't give up precision that the budget
    allows.
    """


@misconception("lab-7-01/06-interview#passport")
def text():
    """convert returns the passport itself: not its text, not the name of a file."""


@misconception("lab-7-01/06-interview#passport")
def numpy_numbers():
    """JSON knows few types. int(...) and float(...) turn numpy's numbers into Python's, str(...) a
    path into a name.
    """


@misconception("lab-7-01/06-interview#passport")
def infinite():
    """A file that gives exactly the module's numbers has no noise, and its SQNR is infinite. Write
    at most 100.
    """


@misconception("lab-7-01/06-interview#passport")
def no_imports():
    """The key is missing, or holds another type. Compare with the table of the passport's keys."""


@misconception("lab-7-01/01-export-and-run#validate")
def other_folder():
    """Every file goes into the directory that the function is given, under its own name."""


@misconception("day-50/07-safetensors#pickle")
def pickled():
    """The file is not one that safetensors wrote. torch.save writes a pickle, whatever the name of
    the file.
    """


@misconception("lab-7-01/01-export-and-run#validate")
def data_beside():
    """torch's exporter writes the weights into a second file, even small ones. Export with
    external_data=False.
    """


@misconception("lab-7-01/03-fp16#validity")
def unsorted():
    """ONNX Runtime's converter appends its Casts at the end, and ONNX Runtime loads the file all
    the same. Sort the nodes (onnx_ir: graph.sort()), and run onnx.checker on every file that you
    write.
    """


@misconception("day-50/07-safetensors#header")
def parameters_only():
    """The file holds module.state_dict(): every entry, buffers too, under its own name, dtype and
    shape.
    """


@misconception("lab-7-01/01-export-and-run#validate")
def half_in_place():
    """module.half() and module.to(...) work in place, and a forward pass in training mode moves the
    batch norms. Use a deepcopy.
    """


@misconception("lab-7-01/01-export-and-run#validate")
def eval_in_place():
    """eval() was called on the module, or an exporter set a wrapper's mode on it. Convert a
    deepcopy, or set the mode back.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def own_names():
    """input_names and output_names of the exporter give the names."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def half_inputs():
    """Whatever is inside, the file's inputs and outputs are float32: keep their types."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def fixed_rows():
    """The file has the example's number of rows. Say which axis is open: dynamic_shapes, or
    dynamic_axes for both values.
    """


@misconception("lab-7-01/06-interview#passport")
def no_int8():
    """The pipeline has four results, whatever the budget: also measure what does not fit."""


@misconception("lab-7-01/03-fp16#conversion-routes")
def renamed_copy():
    """The file was copied, or only its inputs and outputs were cast: convert the initializers."""


@misconception("lab-7-01/04-int8#dynamic-and-static")
def simulated():
    """A quantizer skips nodes that it does not know, and simulated quantization stores floats: look
    at the initializers.
    """


@misconception("day-50/07-safetensors#dtypes")
def weights_of_float16():
    """The values are not the module's: another module was saved, or one that had been converted."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def rows_inside():
    """The number of rows is open in the signature and fixed inside: a shape was written down while
    the module was traced.
    """


@misconception("lab-7-01/01-export-and-run#validate")
def training_export():
    """A Dropout or a batch norm in training mode is in the file. The module was exported as it
    came: call eval() on a copy.
    """


@misconception("lab-7-01/04-int8#calibration")
def zero_calibration():
    """The ranges do not fit the values. Calibrate with the example's rows, and look at the scales
    that were written.
    """


@misconception("lab-7-01/06-interview#passport")
def too_large():
    """{numbers}A file is chosen only if it meets both numbers of the budget; if none does, `chosen`
    is None.
    """


@misconception("lab-7-01/06-interview#passport")
def too_coarse():
    """{numbers}A file is chosen only if it meets both numbers of the budget; if none does, `chosen`
    is None.
    """
