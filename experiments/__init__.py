"""Published experiments, repeated on generated data: what was measured, beside what was printed.

One file per experiment. Nothing here is random but the data, and these follow from a seed.
"""
