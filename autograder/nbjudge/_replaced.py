"""What the harness replaces in packages of others, all of it: the table in docs/architecture.md
says why, and which test notices when a package no longer has it.

1. jsonschema, and with it nbformat and nbgrader, imports a package that compiles a grammar when it
   is imported: two seconds for every command. The grammar is needed to check that a text is an
   international address (`iri`), which no schema of a notebook asks for. So the package is imported
   when the first text is checked.
2. A kernel in a box has no network, not even a loopback where the notebook has exercises, and it
   must outlive `exit()`.
3. nbgrader's command line and formgrader look for their classes by name in modules of theirs.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zmq
    from ipykernel.iostream import IOPubThread
    from ipykernel.zmqshell import ZMQInteractiveShell

_GRAMMAR = "rfc3987_syntax"
_LINGER_MILLISECONDS = 3000


def install() -> None:
    """Stand in for the package with the grammar until it is used; nothing where it is imported
    already, or missing.
    """
    spec = None if _GRAMMAR in sys.modules else importlib.util.find_spec(_GRAMMAR)
    if spec is not None:
        stand_in = types.ModuleType(_GRAMMAR)
        vars(stand_in).update(
            __path__=spec.submodule_search_locations,
            is_valid_syntax=_is_valid_syntax,
            __getattr__=_attribute,
        )
        sys.modules[_GRAMMAR] = stand_in


def _attribute(name: str) -> object:
    if name.startswith("__"):  # what the import system looks for
        raise AttributeError(name)
    return getattr(_real(), name)


def _is_valid_syntax(term: str, value: str) -> bool:
    return _real().is_valid_syntax(term, value)


def _real() -> types.ModuleType:
    """The package itself, in the place of what stands in for it."""
    if getattr(sys.modules.get(_GRAMMAR), "is_valid_syntax", None) is _is_valid_syntax:
        del sys.modules[_GRAMMAR]
    return importlib.import_module(_GRAMMAR)


@contextlib.contextmanager
def without_debugger() -> Iterator[None]:
    """Nobody debugs what is graded: while debugpy cannot be imported, ipykernel does without it, and
    without a hundred modules.
    """
    sys.modules["debugpy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["debugpy"]


def in_kernel() -> None:
    """What a kernel in a box does otherwise than ipykernel's."""
    from ipykernel.iostream import IOPubThread
    from ipykernel.zmqshell import ZMQInteractiveShell

    ZMQInteractiveShell.ask_exit = _end_cell  # type: ignore[method-assign]
    IOPubThread._setup_pipe_in = _listen  # type: ignore[method-assign]
    IOPubThread._setup_pipe_out = _speak  # type: ignore[method-assign]


def _end_cell(_shell: ZMQInteractiveShell) -> None:
    """What `exit()` and `quit()` do here: end the cell. A kernel that stopped a moment after it
    would take the next cell with it.
    """
    raise SystemExit


def _address() -> str:
    return f"ipc://{os.environ['IPYTHONDIR']}-pipe"


def _listen(thread: IOPubThread) -> None:
    """The pipe for what forked children print, as ipykernel makes it, but over a unix socket:
    notebooks with exercises have no other.
    """
    import zmq
    from zmq.eventloop.zmqstream import ZMQStream

    thread._pipe_uuid = os.urandom(16)
    thread._pipe_address = _address()  # type: ignore[attr-defined]
    pipe = thread.socket.context.socket(zmq.PULL)
    pipe.linger = 0
    pipe.bind(thread._pipe_address)  # type: ignore[attr-defined]
    thread._pipe_in = ZMQStream(pipe, thread.io_loop)
    thread._pipe_in.on_recv(thread._handle_pipe_msg)


def _speak(thread: IOPubThread) -> tuple[zmq.Context, zmq.Socket]:
    import zmq

    context = zmq.Context()
    pipe = context.socket(zmq.PUSH)
    pipe.linger = _LINGER_MILLISECONDS
    pipe.connect(thread._pipe_address)  # type: ignore[attr-defined]
    return context, pipe


def in_nbgrader(
    *,
    autograde: type,
    generate_assignment: type,
    generate_feedback: type,
    course_page: type,
    release_feedback: type,
    collector: Callable,
    extract: Callable,
    process_extracted_files: Callable,
    validator: type,
    existing_timestamp: Callable,
    served_headers: Callable,
) -> None:
    """Put classes where nbgrader's command line and formgrader look for theirs."""
    from nbgrader import converters
    from nbgrader.apps import (
        api,
        autogradeapp,
        generateassignmentapp,
        generatefeedbackapp,
        zipcollectapp,
    )
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange import ExchangeFactory
    from nbgrader.plugins import ExtractorPlugin
    from nbgrader.server_extensions.formgrader import formgrader, handlers

    converters.Autograde = api.Autograde = autogradeapp.Autograde = autograde
    converters.GenerateAssignment = api.GenerateAssignment = generate_assignment
    generateassignmentapp.GenerateAssignment = generate_assignment
    converters.GenerateFeedback = api.GenerateFeedback = generate_feedback
    generatefeedbackapp.GenerateFeedback = generate_feedback
    formgrader.HTMLExporter = course_page
    handlers.SubmissionFilesHandler.set_extra_headers = served_headers
    ExchangeFactory.release_feedback.default_value = release_feedback
    ExchangeFactory.Collect = collector
    ExtractorPlugin.extract = extract
    zipcollectapp.ZipCollectApp.process_extracted_files = process_extracted_files
    CourseDirectory.get_existing_timestamp = existing_timestamp
    in_nbgrader_validate(validator)


def in_nbgrader_without_sandbox(refuse: Callable) -> None:
    """Let nbgrader's own Autograde convert nothing."""
    from nbgrader.converters.autograde import Autograde

    Autograde.convert_notebooks = refuse


def in_nbgrader_validate(validator: type) -> None:
    """Put a class where `nbgrader validate` and JupyterLab's button look for theirs; the button's module
    may be imported later.
    """
    from nbgrader import validator as nbgraders
    from nbgrader.apps import validateapp

    nbgraders.Validator = validateapp.Validator = validator
    if "nbgrader.server_extensions.validate_assignment.handlers" in sys.modules:
        from nbgrader.server_extensions.validate_assignment import handlers as button

        button.Validator = validator


def in_nbgrader_settings(*, python: type, json: type) -> None:
    """Put what reads settings files where nbgrader's commands look for theirs."""
    from nbgrader.apps.baseapp import NbGrader

    NbGrader.python_config_loader_class = python
    NbGrader.json_config_loader_class = json
