"""Coding and rounding: extreme, exact and rare values replaced by common ones, one method per file.

Recoding along a hierarchy and intervals are in `recoding`, in the engine. These work on records as arrays, within
strata too.
"""
