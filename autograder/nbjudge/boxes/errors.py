"""What goes wrong with the sandbox itself. Neither of these is ever the fault of the code in the
box.
"""


class SandboxUnavailable(RuntimeError):
    """No box can be started on this machine as it is. The text says what to install or to type."""


class BoxFailure(SandboxUnavailable):
    """One box did not start, or its own machinery failed, before anything hostile was touched."""


class BoxKilled(BoxFailure):
    """Somebody on the host killed a box while it was being set up."""


class BoxFault(BoxFailure):
    """The program in a box said that its own machinery failed."""
