"""The tests, and the modules that they share: `from tests.mutants import grade`."""
