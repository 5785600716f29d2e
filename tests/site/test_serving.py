"""`course site --serve`: what the server says of each kind of file, and which port it takes."""

import gzip
import os
import socket
import urllib.request

import pytest
import serving


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "index.html").write_text("<p>page</p>")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text("<p>below</p>")
    (tmp_path / "a.mjs").write_text("export {};")
    (tmp_path / "a.wasm").write_bytes(bytes(8))
    (tmp_path / "a.onnx").write_bytes(bytes(8))
    return tmp_path


@pytest.fixture
def address(folder):
    with serving.running(folder) as started:
        yield started


def asked(address: str, encoding: str = "gzip"):
    request = urllib.request.Request(address, headers={"Accept-Encoding": encoding})
    with urllib.request.urlopen(request) as answer:
        return answer.headers, answer.read()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", "text/html"),
        ("a.mjs", "text/javascript"),
        ("a.wasm", "application/wasm"),
        ("a.onnx", "application/octet-stream"),
    ],
)
def test_browsers_are_told_what_a_file_is(address, name, kind):
    headers, _ = asked(f"{address}/{name}")
    assert headers.get_content_type() == kind


def test_text_is_sent_packed_to_those_who_take_it(address):
    headers, body = asked(f"{address}/sub/")
    assert (headers["Content-Encoding"], gzip.decompress(body)) == ("gzip", b"<p>below</p>")
    headers, body = asked(f"{address}/sub/", "identity")
    assert (headers["Content-Encoding"], body) == (None, b"<p>below</p>")


def test_a_page_that_was_built_again_is_packed_again(address, folder):
    path = folder / "index.html"
    for text, seconds in (("first", 1), ("second", 2)):
        path.write_text(text)
        os.utime(path, (seconds, seconds))
        assert gzip.decompress(asked(f"{address}/")[1]) == text.encode()


def test_the_next_port_is_taken_where_one_is_in_use(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with serving.server(folder, taken.getsockname()[1]) as server:
            assert server.server_port > taken.getsockname()[1]
