"""Keeps the converter's own list of blocked operators and adds the delicate ones."""

EXPECTED = {"loses": ["exported", "rounding"], "rung": "structure", "shows": "library-blocks-much"}
BASE = "valid_library"
EDITS = [
    (
        "def to_fp16(model):",
        """\
BLOCKED = ["Range", "Softmax", "Erf"]


def to_fp16(model):""",
    ),
    (
        'half = convert_float_to_float16(new, keep_io_types=True, op_block_list=["Range"], node_block_list=blocked)',
        "half = convert_float_to_float16(new, keep_io_types=True, op_block_list=BLOCKED, node_block_list=blocked)",
    ),
]
