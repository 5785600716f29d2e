"""Trees of many threads at once."""

from concurrent.futures import ThreadPoolExecutor

from nbjudge.grading.document import syntax

SOURCE = "def f(x):\n" + "\n".join(
    f"    if x == {number}:\n        return [{{(x, {number}): -x}}]" for number in range(400)
)


def test_many_threads_may_ask_for_trees():
    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(syntax.parse, [SOURCE] * 48))) == 48
