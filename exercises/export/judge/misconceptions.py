"""What students get wrong in `export`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/01-export-and-run#training-mode")
def in_training_mode():
    """A BatchNorm in training mode cannot do with one row: it takes its statistics from the batch.
    Switch the module to evaluation.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def leaves_the_file():
    """The exporter wrote the file before the check refused it. Somebody will find and deploy it:
    remove it before the exception leaves.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def older_file_stays():
    """Only what is right is written, and an older file stays where it was. It passes for the result
    of this call: remove it first.
    """


@misconception("lab-7-01/01-export-and-run#opset")
def swallows():
    """An exception is caught and not raised again. The caller goes on, and believes that there is a
    model.
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
    """The exporter takes the operator over, and the file says opset 18, which has no such operator.
    The call succeeds: check the file after writing it.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def warms_up():
    """The module ran in training mode, which moves the running statistics, or it was converted in
    place. Work on a copy.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def restores_on_success():
    """The lines that restore the mode are skipped when an export fails. That is what try and
    finally are for.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def keeps_evaluating():
    """eval() is not undone, and the caller's training goes on without Dropout. Note the mode
    before, restore it after.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def restores_outermost():
    """train(mode) sets every submodule alike, and so does the TorchScript-based exporter when it
    puts the mode of the outermost one back. This module came with some of its parts frozen: note
    the mode of each.
    """


@misconception("lab-7-01/01-export-and-run#one-file")
def report_beside():
    """What is only needed while exporting belongs elsewhere, or is removed."""


@misconception("lab-7-01/01-export-and-run#names")
def sorted_names():
    """input_names are given to the arguments one by one, in forward's order. Sorted names go to
    other arguments.
    """


@misconception("lab-7-01/01-export-and-run#names")
def stored_result():
    """An argument that is not exported as an input is stored as the example had it."""


@misconception("lab-7-01/01-export-and-run#names")
def exporter_names():
    """The exporter's own names, or fixed ones. The names of forward's arguments can be asked for,
    with inspect.signature.
    """


@misconception("lab-7-01/01-export-and-run#names")
def output_name():
    """Without output_names an output is called after the operation that computes it. Who calls the
    model cannot guess that.
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
    """The module was converted before it was exported. The file takes and gives what the module
    takes and gives.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def first_input():
    """Each input has an entry of its own in dynamic_shapes and dynamic_axes."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def only_output():
    """Only the output was declared. That does not open an input, and no exporter says so."""


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def static():
    """Without dynamic_shapes (or dynamic_axes) an export keeps the example's sizes; a key of
    dynamic_axes that is no input's name is a warning, and no more.
    """


@misconception("lab-7-01/01-export-and-run#dynamic-dimensions")
def all_axes():
    """Declared open is only what the module can take at other sizes. A Linear layer, for one, fixes
    its width.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def in_training_mode_again():
    """The module is exported in the mode in which it arrived: Dropout stays, and a
    BatchNormalization takes its own batch's statistics.
    """


@misconception("lab-7-01/01-export-and-run#training-mode")
def dropout_only():
    """Dropout was switched off alone. BatchNorm has two modes as well: call eval() on the whole
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
