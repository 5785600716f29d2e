"""What students get wrong in `export`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

TRAINING_MODE = Section("day-50/line-1-export#evaluation-mode")
OPSET = Section("day-50/line-1-export#the-opset")
ONE_FILE = Section("day-50/line-1-export#one-file")
NAMES = Section("day-50/line-1-export#the-recipe")
DYNAMIC_DIMENSIONS = Section("day-50/line-1-export#open-axes")
VALIDATE = Section("day-50/line-2-prove#the-recipe")


class Mistakes:
    """Those that a rung recognises by itself."""

    leaves_the_file = OPSET.mistake("""The exporter wrote the file before the check refused it. A
        reader would take it for a result: remove it before you raise the exception again.""")
    older_file_stays = OPSET.mistake("""Your function writes only right files, but it leaves an
        older file where it was. A reader takes that for the result of this call: remove it first.
    """)
    swallows = OPSET.mistake("""Your function catches an exception and does not raise it again. The
        caller goes on and believes that there is a model.""")
    path_ignored = ONE_FILE.mistake("""The function writes under a name of its own. The caller says
        where the file belongs: use path.""")
    returns_program = ONE_FILE.mistake("The function returns and writes nothing at path.")
    external_data = ONE_FILE.mistake("""The default exporter puts the weights into path + '.data'.
        Ask for external_data=False.""")
    saves_module = ONE_FILE.mistake("""torch.save stores a Python object for Python.
        torch.onnx.export writes ONNX.""")
    no_check = OPSET.mistake("""The exporter writes the operator, and the file says opset 18, which
        has no such operator. The call succeeds: check the file after writing it.""")
    gradients_off = TRAINING_MODE.mistake("""A parameter without requires_grad is not trained any
        more. An export does not need that: use a copy, or put it back.""")
    warms_up = TRAINING_MODE.mistake("""The module ran in training mode, which moves the running
        statistics, or it was converted in place. Work on a copy.""")
    restores_on_success = TRAINING_MODE.mistake("""If an export fails, the lines that restore the
        mode are skipped. Put them into a finally block.""")
    keeps_evaluating = TRAINING_MODE.mistake("""You did not undo eval(), so the caller's training
        goes on without Dropout. Note the mode before, and restore it after.""")
    restores_outermost = TRAINING_MODE.mistake("""train(mode) gives every submodule the same mode,
        and so does the TorchScript-based exporter when it restores the mode of the outermost one.
        Some parts of this module were frozen: note the mode of each.""")
    report_beside = ONE_FILE.mistake("""Write what you need only during the export into another
        folder, or remove it.""")
    sorted_names = NAMES.mistake("""input_names belong to the arguments one by one, in forward's
        order. Sorted names go to other arguments.""")
    stored_result = NAMES.mistake("""If an argument is not exported as an input, the file holds the
        example's values for it.""")
    exporter_names = NAMES.mistake("""These are the exporter's own names, or fixed ones.
        inspect.signature gives you the names of forward's arguments.""")
    output_name = NAMES.mistake("""Without output_names an output gets the name of the operation
        that computes it. A caller of the model cannot guess that.""")
    opset_17 = OPSET.mistake("""The default exporter writes opset 18 and converts the model down
        where it can; elsewhere it gives 18 all the same. Ask for 18, and read in the file what you
        got.""")
    default_opset = OPSET.mistake("""Without opset_version the exporter takes a default of its own,
        which moves with the version of torch.""")
    narrow_integers = NAMES.mistake("""The module was converted before it was exported. The file's
        inputs and outputs must have the types of the module's.""")
    first_input = DYNAMIC_DIMENSIONS.mistake("""Each input has an entry of its own in dynamic_shapes
        and dynamic_axes.""")
    only_output = DYNAMIC_DIMENSIONS.mistake("""Only the output was declared open. That does not
        open an input, and no exporter says so.""")
    static = DYNAMIC_DIMENSIONS.mistake("""Without dynamic_shapes (or dynamic_axes) an export keeps
        the example's sizes. A key of dynamic_axes that is not the name of an input only gives a
        warning.""")
    one_row_fixed = DYNAMIC_DIMENSIONS.mistake("""The inputs are open and the output is not. An
        exporter may take a size of 1 in the example for a constant, and say nothing: give it two
        rows, and look at every first axis in the file.""")
    all_axes = DYNAMIC_DIMENSIONS.mistake("""Declare open only the axes that the module can take at
        other sizes. A Linear layer, for example, fixes its width.""")
    in_training_mode_again = TRAINING_MODE.mistake("""The module is exported in the mode that it
        came in: Dropout stays, and a BatchNormalization takes its own batch's statistics.""")
    dropout_only = TRAINING_MODE.mistake("""You switched off only Dropout. BatchNorm has two modes
        as well: call eval() on the whole module.""")
    declared_by_hand = DYNAMIC_DIMENSIONS.mistake("""The axis is called open and nodes inside hold
        the example's number of rows: a name was written into the file afterwards, or Python code
        turned a size into a number.""")
    half_weights = VALIDATE.mistake("""Every weight is a number of half precision: the module went
        through half() and back, which loses most of the digits.""")
    invented_names = DYNAMIC_DIMENSIONS.mistake("""An axis that has one name everywhere tells the
        reader, and a runtime, that its sizes are equal. Some exporters invent names.""")
