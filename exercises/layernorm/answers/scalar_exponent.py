"""Takes only an exponent without dimensions for the number 2."""

EXPECTED = {"loses": ["numbers"], "rung": "structure", "shows": "numbers-in-one-form"}
BASE = "valid_ir"
EDITS = [
    ('is_number(power.inputs[1], d, 2)', 'np.shape(constant(power.inputs[1])) == () and is_number(power.inputs[1], d, 2)'),
]
