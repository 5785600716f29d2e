"""A web server for the built site, on this machine only."""

import errno
import gzip
import http.server
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

# Pages and what else is text: it is sent compressed, as hosts of static sites do.
TEXT = {".html", ".css", ".js", ".mjs", ".json", ".svg", ".txt"}


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for several files
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".onnx": "application/octet-stream",
    }

    def send_head(self) -> io.BytesIO | None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if self.path.partition("?")[0].endswith("/") else path
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        if not (takes and path.suffix in TEXT and path.is_file()):
            return super().send_head()
        content = compressed(path, path.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Vary", "Accept-Encoding")
        self.end_headers()
        return io.BytesIO(content)

    def log_message(self, *_: object) -> None:
        """A line for each request says nothing to a reader."""


@lru_cache(maxsize=256)
def compressed(path: Path, changed: int) -> bytes:
    """The file's bytes, packed. `changed` is when it was written: a newer file is packed anew."""
    return gzip.compress(path.read_bytes())


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


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The address of a server for the folder, in a thread of its own."""
    with server(folder, 0) as started:
        threading.Thread(target=started.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{started.server_port}"
        finally:
            started.shutdown()


def serve(folder: Path, port: int) -> None:
    with server(folder, port) as started:
        print(f"open http://127.0.0.1:{started.server_port}/ (stop it with Ctrl+C)", flush=True)
        try:
            started.serve_forever()
        except KeyboardInterrupt:
            print()
