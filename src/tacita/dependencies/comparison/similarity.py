"""What a similarity of values is, and the facts that its class may state.

A similarity is a frozen dataclass whose fields are its parameters. It is given the different values of an attribute
once: numbers (dates and moments in days) as an array in ascending order, texts as a tuple in their order. A value that
is missing is not among them; it is alike with other missing ones only.

>>> from dataclasses import dataclass
>>> from typing import ClassVar
>>> import numpy as np
>>> from tacita.dependencies.comparison.neighbours import Neighbours
>>> @dataclass(frozen=True)
... class SameInitial:
...     \"\"\"Texts are alike if they begin with the same letter.\"\"\"
...
...     name: ClassVar[str] = "same-initial"
...     treats: ClassVar[tuple[str, ...]] = ("texts",)
...
...     def neighbours(self, values, threshold):
...         letters = np.array([value[:1] for value in values])
...         return Neighbours.of_pairs(len(values), *np.nonzero(letters[:, None] == letters[None, :]))
>>> SameInitial().neighbours(("Ann", "Alf", "Bob"), 0).are_alike(0, 1)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.comparison.neighbours import Neighbours

FACTS: Mapping[str, Any] = MappingProxyType(
    {"treats": ("numbers", "dates", "texts"), "is_default_for": (), "in_words": "", "below": None}
)
"""What a class of similarities may state, and what holds for one that does not:

`treats`: which of "numbers", "dates" and "texts" it compares. `is_default_for`: those for which it is used if nobody
chose one. `in_words`: when two values are alike, with the threshold at `{}`. `below`: thresholds have to be smaller.
"""

ComparedValues = NDArray[np.float64] | tuple[str, ...]


@runtime_checkable
class ValueSimilarity(Protocol):
    """Says which values of an attribute are alike."""

    name: ClassVar[str]
    """The word for it: lower case, with hyphens."""

    def neighbours(self, values: Any, threshold: float) -> Neighbours:
        """Return which of some different values are alike at a threshold."""
