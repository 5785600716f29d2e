"""What students get wrong in `export`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/01-export-and-run#training-mode")
def in_training_mode():
    """A BatchNorm in training mode takes its statistics from the batch, so it refuses one row. Set
    the module to evaluation mode.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def leaves_the_file():
    """The exporter wrote the file before the check refused it. A reader would take it for a result:
    remove it before you raise the exception again.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def older_file_stays():
    """Your function writes only right files, but it leaves an older file where it was. A reader
    takes that for the result of this call: remove it first.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def swallows():
    """Your function catches an exception and does not raise it again. The caller goes on and
    believes that there is a model.
    """


@misconception("lab-7-01/01-export-and-run#one-file")
def path_ignored():
    """The function writes under a name of its own. The caller says where the file belongs: use
    path.
    """


@misconception("lab-7-01/01-export-and-run#one-file")
def returns_program():
    """The function returns and writes nothing at path."""


@misconception("lab-7-01/01-export-and-run#one-file")
def external_data():
    """The default exporter puts the weights into path + '.data'. Ask for external_data=False."""


@misconception("lab-7-01/01-export-and-run#one-file")
def saves_module():
    """torch.save stores a Python object for Python. torch.onnx.export writes ONNX."""


@misconception("lab-7-01/01-export-and-run#opset")
def no_check():
    """The exporter writes the operator, and the file says opset 18, which has no such operator. The
    call succeeds: check the file after writing it.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def warms_up():
    """The module ran in training mode, which moves the running statistics, or it was converted in
    place. Work on a copy.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def restores_on_success():
    """If an export fails, the lines that restore the mode are skipped. Put them into a finally
    block.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def keeps_evaluating():
    """You did not undo eval(), so the caller's training goes on without Dropout. Note the mode
    before, and restore it after.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def restores_outermost():
    """train(mode) gives every submodule the same mode, and so does the TorchScript-based exporter
    when it restores the mode of the outermost one. Some parts of this module were frozen: note the
    mode of each.
    """


@misconception("lab-7-01/01-export-and-run#one-file")
def report_beside():
    """Write what you need only during the export into another folder, or remove it."""


@misconception("lab-7-01/01-export-and-run#names")
def sorted_names():
    """input_names belong to the arguments one by one, in forward's order. Sorted names go to other
    arguments.
    """


@misconception("lab-7-01/01-export-and-run#names")
def stored_result():
    """If an argument is not exported as an input, the file holds the example's values for it."""


@misconception("lab-7-01/01-export-and-run#names")
def exporter_names():
    """These are the exporter's own names, or fixed ones. inspect.signature gives you the names of
    forward's arguments.
    """


@misconception("lab-7-01/01-export-and-run#names")
def output_name():
    """Without output_names an output gets the name of the operation that computes it. A caller of
    the model cannot guess that.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def opset_17():
    """The default exporter writes opset 18 and converts the model down where it can; elsewhere it
    gives 18 all the same. Ask for 18, and read in the file what you got.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def default_opset():
    """Without opset_version the exporter takes a default of its own, which moves with the version
    of torch.
    """


@misconception("lab-7-01/01-export-and-run#names")
def narrow_integers():
    """The module was converted before it was exported. The file's inputs and outputs must
    have the types of the module's.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def first_input():
    """Each input has an entry of its own in dynamic_shapes and dynamic_axes."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def only_output():
    """Only the output was declared open. That does not open an input, and no exporter says so."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def static():
    """Without dynamic_shapes (or dynamic_axes) an export keeps the example's sizes. A key of
    dynamic_axes that is not the name of an input only gives a warning.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def all_axes():
    """Declare open only the axes that the module can take at other sizes. A Linear layer, for
    example, fixes its width.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def in_training_mode_again():
    """The module is exported in the mode that it came in: Dropout stays, and a BatchNormalization
    takes its own batch's statistics.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def dropout_only():
    """You switched off only Dropout. BatchNorm has two modes as well: call eval() on the whole
    module.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def declared_by_hand():
    """The axis is called open and nodes inside hold the example's number of rows: a name was
    written into the file afterwards, or Python code turned a size into a number.
    """


@misconception("lab-7-01/01-export-and-run#validate")
def half_weights():
    """Every weight is a number of half precision: the module went through half() and back, which
    loses most of the digits.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def invented_names():
    """An axis that has one name everywhere tells the reader, and a runtime, that its sizes are
    equal. Some exporters invent names.
    """
