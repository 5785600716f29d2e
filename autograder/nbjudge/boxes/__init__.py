"""The sandbox: one module, in one fresh bubblewrap box, with frames of bytes in and out and limits
on everything.

A box has no network, an empty environment, no file of the host but the interpreter, its packages
and the system's libraries (read-only), and in-memory folders of bounded size. Without a working
sandbox nothing is graded: every failure of the sandbox itself is a SandboxUnavailable, never a
`BoxRun` that could be taken for the fault of the code inside.

Its names are resolved on first use: a student's `check` passes through this package on systems that
have no sandbox.
"""

from importlib import import_module

_MODULES = {
    "BoxFailure": "errors",
    "BoxFault": "errors",
    "BoxKilled": "errors",
    "BoxRun": "ending",
    "Group": "group",
    "Limits": "limits",
    "control": "selftest",
    "Probe": "selftest",
    "SandboxUnavailable": "errors",
    "limits_for_checker": "limits",
    "limits_for_pictures": "limits",
    "limits_for_runner": "limits",
    "require_sandbox": "selftest",
    "run": "box",
    "self_test": "selftest",
    "Series": "box",
}
__all__ = list(_MODULES)


def __getattr__(name: str):
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
