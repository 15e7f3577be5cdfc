"""The kinds of releases: what each one hands out, what it claims, and how the claim is checked.

A kind is a folder here and a line in `KINDS`, under the word that its manifests have. What is released says by its
attribute `released_as` of which kind it is.
"""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.release.kind import ReleaseKind

KINDS: Catalogue[ReleaseKind] = Catalogue(
    "kind of release",
    "tacita.release.kinds",
    {
        "release": "microdata.kind:MicrodataKind",
        "masked release": "masked.kind:MaskedKind",
        "table release": "tables.kind:TableKind",
        "concealed release": "concealed.kind:ConcealedKind",
        "increment": "increment.kind:IncrementKind",
    },
    facts={"needs_proof": False},
)
