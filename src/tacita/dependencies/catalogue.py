"""The similarities by which values of an attribute can be compared."""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.dependencies.comparison.similarity import FACTS, ValueSimilarity

SIMILARITIES: Catalogue[ValueSimilarity] = Catalogue(
    "similarity",
    "tacita.dependencies.comparison",
    {
        "absolute-difference": "differences:AbsoluteDifference",
        "relative-difference": "differences:RelativeDifference",
        "days": "differences:Days",
        "levenshtein": "texts:EditDistance",
        "jaro-winkler": "texts:JaroWinklerDistance",
    },
    FACTS,
)
"""What `--similarity` can name, with a user's own beside ours."""

enter = SIMILARITIES.enter
