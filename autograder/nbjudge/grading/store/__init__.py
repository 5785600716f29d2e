"""Hashes of what a mark depends on, and a cache of what was computed for them."""
