"""Microaggregation: records are put in groups of at least k that are alike, and show what represents their group.

One method per file. `preparation` checks what a method is given and divides it by what is missing; `aggregation` turns
groups into representatives and says what that costs; `kernels` holds the compiled loops.
"""
