"""Compiled loops of microaggregation. Importing one loads numba: do it where a method runs, not where it is named."""
