"""`formatlab.why`: rounding or a bug, where, and why."""
