"""What students get wrong in `capstone`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

VALIDATE = Section("day-50/line-2-prove#the-recipe")
PASSPORT = Section("lab-7-01/line-3-decide#passport")
SQNR = Section("lab-7-01/04-int8#sqnr")
PICKLE = Section("day-50/07-safetensors#pickle")
VALIDITY = Section("lab-7-01/03-fp16#validity")
HEADER = Section("day-50/07-safetensors#header")
DYNAMIC_DIMENSIONS = Section("day-50/line-1-export#open-axes")
CONVERSION_ROUTES = Section("lab-7-01/03-fp16#conversion-routes")
DYNAMIC_AND_STATIC = Section("lab-7-01/04-int8#dynamic-and-static")
DTYPES = Section("day-50/07-safetensors#dtypes")
CALIBRATION = Section("lab-7-01/04-int8#calibration")


class Mistakes:
    """Those that a rung recognises by itself."""

    another_module = VALIDATE.mistake("""The file is that of another module. Each call
        passes a module of its own, and the file has its weights and its dimensions. Only the number
        of rows is open.""")
    never_runs = VALIDATE.mistake("""The checker and a session accept the file, and each run fails.
        Run every file on the example before you describe it.""")
    invented_producer = PASSPORT.mistake("""A file says itself which program wrote it last, and that
        may not be the one you expect: read producer_name and producer_version.""")
    constant_ir = PASSPORT.mistake("""The IR version is a field of the model, and tools that write a
        file again may change it.""")
    example_shape = PASSPORT.mistake("""The signature is in graph.input: name, dtype, and each
        dimension's dim_param or dim_value.""")
    first_passport = PASSPORT.mistake("""The entry was written for another file, or before this one
        existed. Write a passport from the files, at the end.""")
    one_hash = PASSPORT.mistake("""Each file has a hash of its own. You computed one, and wrote it
        into several entries.""")
    early_hash = PASSPORT.mistake("""The hash was taken before the file was written for the last
        time, or of something that is not the file's bytes.""")
    size_of_weights = PASSPORT.mistake("""The graph around the weights takes bytes too: ask the file
        system.""")
    first_import = PASSPORT.mistake("""A model imports several operator sets, in any order: go over
        all of opset_import, not only opset_import[0].""")
    newest_opset = PASSPORT.mistake("""The exporter does not always write what you ask for, and
        tools raise versions. Read the file's opset_import.""")
    counts_tensors = PASSPORT.mistake("""Elements are counted, not tensors: a weight of shape (100,
        512) has 51200.""")
    float_elements = PASSPORT.mistake("""For each dtype, the elements of all tensors together: a
        tensor without dimensions has one.""")
    uncapped = SQNR.mistake("Above 100 dB the number depends on the order of a sum. Write 100.")
    no_noise = SQNR.mistake("""Rounding leaves noise. The file was compared with itself, or the
        number is a constant.""")
    one_number = SQNR.mistake("""Several entries have the same number. Compare each file with the
        module.""")
    twenty_log = SQNR.mistake("""20 log10 is for a ratio of amplitudes. A ratio of sums of squares
        takes 10 log10.""")
    sign_turned = SQNR.mistake("""The signal is above the noise in the fraction: less noise gives
        more decibels.""")
    typical_numbers = SQNR.mistake("""It was measured on other rows, against a module in training
        mode, or against another file than the module's own output.""")
    kilobytes = PASSPORT.mistake("""A passport repeats what was asked for, so that its reader can
        check the verdict.""")
    always_met = PASSPORT.mistake("""The verdict follows from the entries above it. A passport that
        always says yes is worth nothing.""")
    gives_up = PASSPORT.mistake("""The verdict says less than the entries: compare each with both
        numbers of the budget.""")
    always_int8 = PASSPORT.mistake("""A file that comes before it meets the budget too. Don't give
        up precision that the budget allows.""")
    text = PASSPORT.mistake("""convert returns the passport itself: not its text, not the name of a
        file.""")
    numpy_numbers = PASSPORT.mistake("""JSON knows few types. int(...) and float(...) turn numpy's
        numbers into Python's, str(...) a path into a name.""")
    infinite = PASSPORT.mistake("""A file that gives exactly the module's numbers has no noise, and
        its SQNR is infinite. Write at most 100.""")
    no_imports = PASSPORT.mistake("""The key is missing, or holds another type. Compare with the
        table of the passport's keys.""")
    other_folder = VALIDATE.mistake("""Every file goes into the directory that the function is
        given, under its own name.""")
    pickled = PICKLE.mistake("""The file is not one that safetensors wrote. torch.save writes a
        pickle, whatever the name of the file.""")
    data_beside = VALIDATE.mistake("""torch's exporter writes the weights into a second file, even
        small ones. Export with external_data=False.""")
    unsorted = VALIDITY.mistake("""ONNX Runtime's converter appends its Casts at the end, and ONNX
        Runtime loads the file all the same. Sort the nodes (onnx_ir: graph.sort()), and run
        onnx.checker on every file that you write.""")
    parameters_only = HEADER.mistake("""The file holds module.state_dict(): every entry, buffers
        too, under its own name, dtype and shape.""")
    half_in_place = VALIDATE.mistake("""module.half() and module.to(...) work in place, and a
        forward pass in training mode moves the batch norms. Use a deepcopy.""")
    eval_in_place = VALIDATE.mistake("""eval() was called on the module, or an exporter set a
        wrapper's mode on it. Convert a deepcopy, or set the mode back.""")
    one_mode_for_all = VALIDATE.mistake("""train(mode) sets the mode of every part, and a part may have
        had another one than the module. Convert a deepcopy, or note the mode of each.""")
    own_names = DYNAMIC_DIMENSIONS.mistake("""input_names and output_names of the exporter give the
        names.""")
    half_inputs = DYNAMIC_DIMENSIONS.mistake("""Whatever is inside, the file's inputs and outputs
        are float32: keep their types.""")
    fixed_rows = DYNAMIC_DIMENSIONS.mistake("""The file has the example's number of rows. Say which
        axis is open: dynamic_shapes, or dynamic_axes for both values.""")
    no_int8 = PASSPORT.mistake("""The pipeline has four results, whatever the budget: also measure
        what does not fit.""")
    renamed_copy = CONVERSION_ROUTES.mistake("""The file was copied, or only its inputs and outputs
        were cast: convert the initializers.""")
    simulated = DYNAMIC_AND_STATIC.mistake("""A quantizer skips nodes that it does not know, and
        simulated quantization stores floats: look at the initializers.""")
    weights_of_float16 = DTYPES.mistake("""The values are not the module's: another module was
        saved, or one that had been converted.""")
    rows_inside = DYNAMIC_DIMENSIONS.mistake("""The number of rows is open in the signature and
        fixed inside: a shape was written down while the module was traced.""")
    training_export = VALIDATE.mistake("""A Dropout or a batch norm in training mode is in the file.
        The module was exported as it came: call eval() on a copy.""")
    zero_calibration = CALIBRATION.mistake("""The ranges do not fit the values. Calibrate with the
        example's rows, and look at the scales that were written.""")
    too_large = PASSPORT.mistake("""{numbers}A file is chosen only if it meets both numbers of the
        budget; if none does, `chosen` is None.""")
    too_coarse = PASSPORT.mistake("""{numbers}A file is chosen only if it meets both numbers of the
        budget; if none does, `chosen` is None.""")
