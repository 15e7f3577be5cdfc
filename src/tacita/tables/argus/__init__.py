"""Metadata of tau-Argus: record layouts, hierarchies, labels, a-priori files, tables it wrote, batches.

Nothing is dropped in silence: what has no counterpart here is told in the notes of the specification.
"""
