"""A web server for the built site, on this machine only."""

import errno
import http.server
from functools import partial
from pathlib import Path


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".onnx": "application/octet-stream",
    }

    def log_message(self, *_: object) -> None:
        """A line for each request says nothing to a reader."""


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A server at `port`, or at the next one that is free; port 0 takes any."""
    handler = partial(Handler, directory=str(folder))
    while True:
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError as problem:
            if problem.errno != errno.EADDRINUSE:
                raise
            port += 1


def serve(folder: Path, port: int) -> None:
    with server(folder, port) as running:
        print(f"open http://127.0.0.1:{running.server_port}/ (stop it with Ctrl+C)", flush=True)
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()
