"""Attacks are modules beside the tests, and answers come from the demo's class."""

import pytest

from tests.hostile import arena, corpus


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    return arena.project(tmp_path_factory.mktemp("hostile") / "checkout")


EACH_THEME = [pytest.param(theme, marks=pytest.mark.slow) for theme in corpus.THEMES]


@pytest.fixture(scope="session", params=["sample", *EACH_THEME])
def fought(request, checkout, tmp_path_factory):
    """The attacks, the honest marks without them, the class graded with them, and what the checkout
    held before.
    """
    attacks = corpus.THEMES.get(request.param) or corpus.sample()
    before = arena.fingerprint(checkout.root)
    quiet, graded = arena.fight(checkout, tmp_path_factory.mktemp("fight") / "course", attacks)
    return attacks, quiet, graded, before
