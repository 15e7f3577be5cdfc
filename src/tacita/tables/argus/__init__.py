"""Metadata of tau-Argus: record layouts, hierarchies, labels, a-priori files, tables it wrote, batches.

Nothing is dropped in silence: what has no counterpart here is told in the notes of the specification.
Texts are UTF-8 or, as tau-Argus writes them on Windows, cp1252.
"""

ENCODING = "cp1252"
"""The encoding of texts that are not UTF-8."""
