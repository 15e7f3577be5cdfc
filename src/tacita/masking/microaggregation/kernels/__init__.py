"""Compiled loops of microaggregation. Importing one loads numba: do it where a method runs, not where it is named.

The cache of numba looks at the file of a function only: after a change to `tree` or `mixed`, whose functions the others
call, the cached ``.nbi`` and ``.nbc`` files have to be removed.
"""
