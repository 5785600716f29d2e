"""Files that only the grader reads."""

from nbjudge.grading.config.folders import write_private


def test_who_writes_the_same_file_at_once_does_not_lose_it(tmp_path):
    """Two runs of the same references, say, in containers that number their processes alike."""
    path = tmp_path / "file"

    def slowly():
        yield b"one"
        write_private(path, b"the other")

    write_private(path, slowly())
    assert [each.name for each in tmp_path.iterdir()] == ["file"] and path.read_bytes() == b"one"
