"""Individual ranking: each attribute is sorted and grouped by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.masking.method import Treated
from tacita.masking.microaggregation.aggregation import Aggregate
from tacita.masking.microaggregation.attribute_by_attribute import SHARED_LIMIT, each_by_itself
from tacita.masking.microaggregation.preparation import check_attributes, check_group_size
from tacita.masking.microaggregation.single_axis import fixed_size_groups
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class IndividualRanking:
    """Univariate microaggregation of each attribute with groups of k values that follow each other.

    The last group has up to 2k - 1. It keeps much and protects little: what it does not promise is in `limits`
    (document 002, "Individual sorting"; Mateo-Sanz and Domingo-Ferrer, Questiio 22, 1998).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"staff": Numbers.of([5, 1, 2, 7, None])})
    >>> found = IndividualRanking(("staff",), k=2).treated(firms, np.random.default_rng(0))
    >>> found.records.numbers("staff").values.tolist()
    [6.0, 1.5, 1.5, 6.0, nan]
    """

    attributes: tuple[str, ...]
    k: int = 3
    aggregate: Aggregate = "mean"
    name: ClassVar[str] = "individual-ranking"
    promises: ClassVar[str] = (
        "Every value of an attribute is shared by k records or more; groups of an attribute have k to 2k - 1; means "
        "are kept."
    )
    limits: ClassVar[str] = SHARED_LIMIT
    is_random: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_group_size(self.k)
        check_attributes(self.attributes)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return records in which each attribute shows values that k records share."""
        return each_by_itself(
            records,
            self.attributes,
            self.k,
            lambda values: fixed_size_groups(values, self.k),
            progress,
            doing=self.name,
            aggregate=self.aggregate,
        )
