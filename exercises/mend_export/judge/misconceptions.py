"""What students get wrong in `mend_export`, each with a stored answer that shows it. `rungs` and
`findings` recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

IDEAS = Section("day-50/10-dynamic-shapes#two-steps")
DECLARATIONS = Section("day-50/10-dynamic-shapes#what-each-declaration-refuses")
REFUSALS = Section("day-50/10-dynamic-shapes#read-a-refusal")
ONE_ROW = Section("day-50/10-dynamic-shapes#an-example-of-one-row")
TOGETHER = Section("day-50/10-dynamic-shapes#sizes-that-go-together")
NESTED = Section("day-50/10-dynamic-shapes#nested-and-keyword-inputs")
NAMES = Section("day-50/10-dynamic-shapes#names-that-change-places")


class Mistakes:
    """Those that a rung recognises by itself."""

    # A capture that is refused although there is a right file.
    one_row = ONE_ROW.mistake("""A size of 1 in the example is taken for a constant. Repeat the
        example along every open axis, so that all open sizes are 2 or more.""")
    other_structure = NESTED.mistake("""dynamic_shapes has the structure of the call: a dict where
        the inputs are a dict, a list or a tuple where they are one, and a key for each keyword.""")
    lists_for_tuples = NESTED.mistake("""The example has a list where the call has a tuple. Make each
        value anew with the type that it had: type(value)(...).""")
    limit_forgotten = REFUSALS.mistake("""The module holds only for the sizes that limits allow, and
        the capture was asked for more. Hand min and max to the Dim of that size.""")
    multiple_forgotten = REFUSALS.mistake("""The module needs a multiple, as limits says. Declare
        the size as that number times a Dim, and give the example at least twice the number.""")

    other_numbers = ONE_ROW.mistake("""The example was made anew, of floats where the module looks
        rows up by whole numbers. Repeat the tensors of the call: type and range stay theirs.""")
    view_as_example = ONE_ROW.mistake("""The example is a view of a larger tensor, and the capture
        asks how it lies in memory. Hand over tensors of their own: call contiguous() on each.""")

    # Signatures.
    static = IDEAS.mistake("""Nothing was declared open, so the file holds for the sizes of the
        example. Every word of wanted needs a Dim in dynamic_shapes.""")
    names_dropped = NESTED.mistake("""The axis is open and has a name that the exporter invented. Name
        the sizes in the second step: torch.onnx.export takes dynamic_shapes as well, with words.""")
    tied_sizes = TOGETHER.mistake("""Two sizes that are equal in the example got one name. Only the
        same word in wanted says that two sizes always are.""")
    renamed = NAMES.mistake("""Without input_names each input keeps the name of its argument, and of
        the path to it. These are the names in wanted.""")

    named_in_part = NESTED.mistake("""Some open sizes have their words, and others have names that the
        exporter invented. Walk through nested inputs for the words, too, and name multiples as well.""")

    # Modules that have no right file.
    fixed_silently = DECLARATIONS.mistake("""The module's code turned a size into a number, and the
        export went on. Capture with a Dim, which is refused then, and let the refusal pass.""")
    limit_lost = DECLARATIONS.mistake("""The module holds for fewer sizes than were asked for, and a
        file has no place for such a limit. A hint such as Dim.DYNAMIC accepts it without an
        error: use a Dim.""")
    tied_in_code = TOGETHER.mistake("""The module needs two sizes to be equal which wanted lists as
        two. Taking the suggestion makes a file for other inputs than were asked for.""")
    branch_frozen = DECLARATIONS.mistake("""The module chooses by a value, in Python. The file holds
        the branch of the example, and a run at other sizes with the same values does not show it.
    """)

    # Numbers.
    swapped_names = NAMES.mistake("""Two inputs have each other's name. The inputs of a program stand
        in the order of the call, and input_names writes over them by place.""")
