"""The policy of a queryable database: what the holder declares before anybody may ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacita.queries.question import Statistic

LINEAR = (Statistic.SUM, Statistic.AVERAGE)
"""What may be asked of a measure of which the policy says nothing else."""


class AnswerMode(StrEnum):
    """What analysts get."""

    EXACT = "exact"
    """The figure itself, or a refusal."""
    CAMOUFLAGE = "camouflage"
    """An interval that holds the figure."""
    SAMPLE = "sample"
    """The figure of a random sample of the records in question."""
    PERTURBED = "perturbed"
    """The figure with noise that is the same whenever the same records are asked about."""
    PRIVATE = "private"
    """The figure with noise of differential privacy, paid from a budget."""


class JudgedTogether(StrEnum):
    """Whose answers are judged together."""

    ALL = "all"
    """All analysts: they may tell each other."""
    ANALYST = "analyst"
    """Each analyst alone: the holder vouches that they do not tell each other."""


@dataclass(frozen=True, slots=True)
class FilterAttribute:
    """An attribute that may stand in a WHERE or a GROUP BY."""

    name: str
    cuts: tuple[Decimal, ...] = ()
    """Where its intervals begin: ``[18, 65]`` are below 18, from 18 to below 65, from 65 on. None: each value by
    itself is a code."""
    values: tuple[str, ...] = ()
    """The codes of an attribute without cuts, in their order; none: all values that occur, which makes them public."""
    joined: str = ""
    """The join that brings it; empty: it is in the file."""
    is_complete: bool = False
    """Whether a record without a value is a fault of the data; otherwise missing values have a code of their own."""


@dataclass(frozen=True, slots=True)
class QueryMeasure:
    """An attribute of which statistics may be asked."""

    name: str
    lower: Decimal
    """The least value that anybody may have, as everybody knows."""
    upper: Decimal
    decimals: int = 0
    """Decimals that count: sums are whole numbers of the last one."""
    statistics: tuple[Statistic, ...] = LINEAR
    missing_is_zero: bool = False
    """What a missing value counts as; otherwise a data set with missing values is not opened."""
    clamps: bool = False
    """Whether values outside of the bounds count as the nearer bound; otherwise they are a fault of the data."""

    @property
    def unit(self) -> Decimal:
        """The last decimal."""
        return Decimal(1).scaleb(-self.decimals)

    @property
    def bounds(self) -> tuple[int, int]:
        """Both bounds in units of the last decimal."""
        return int(self.lower / self.unit), int(self.upper / self.unit)


@dataclass(frozen=True, slots=True)
class DeclaredJoin:
    """A file beside the data, of which each record finds at most one row."""

    name: str
    file: Path
    key: str
    """The attribute of both."""


@dataclass(frozen=True, slots=True)
class QueryRules:
    """When a question is refused. A rule that is not given does not hold."""

    minimum: int = 5
    """The least number of contributors in question, and of those that are left out."""
    dominance: tuple[int, Fraction] | None = None
    """n and k: the n largest contributors may not have more than k per cent."""
    p_percent: Fraction | None = None
    """No contributor may be estimated to within p per cent by the next one."""
    overlap: int | None = None
    """The most records that two questions with different records may have in common."""
    program: Path | None = None
    """Rules of the holder's own, in the rule language."""
    counts_are_confidential: bool = True
    """Whether the number of records of a cell is a secret; otherwise counts are answered as they are."""
    knows_bounds: bool = True
    """Whether an intruder uses the bounds of the measures: then intervals are judged as well."""
    simulatable: bool = False
    """Whether only rules may refuse that look at no value: a refusal then tells nothing."""
    cell_by_cell: bool = True
    """Whether cells of a GROUP BY are refused by themselves; otherwise one refuses them all."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How much there may be."""

    cells: int = 100_000
    answers: int | None = None
    """Independent answers of each measure; None: by the share alone."""
    share: Fraction | None = None
    """Independent answers over records; beyond it, questions are refused. None: one tenth where answers are bounded
    noise, and no limit for exact ones, which are audited."""
    refusals: int | None = 100
    """Refusals that an analyst may collect where refusals tell something."""
    memory: int = 512
    """Megabytes for what was answered."""
    deadline: int = 1000
    """Milliseconds for the audit of one question."""


@dataclass(frozen=True, slots=True)
class QueryPolicy:
    """Everything that a data set is opened with. `text` is the file as it was read."""

    name: str
    """What stands after FROM."""
    filters: tuple[FilterAttribute, ...]
    measures: tuple[QueryMeasure, ...] = ()
    regressors: tuple[FilterAttribute, ...] = ()
    """Public numbers, each a filter with values: measures may be regressed on them."""
    joins: tuple[DeclaredJoin, ...] = ()
    unit: tuple[str, ...] = ()
    """Attributes that name whom the rules protect; none: each record is somebody."""
    answers: AnswerMode = AnswerMode.EXACT
    together: JudgedTogether = JudgedTogether.ALL
    rules: QueryRules = field(default_factory=QueryRules)
    limits: QueryLimits = field(default_factory=QueryLimits)
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The table of the mode: [camouflage], [sample], [perturbed] or [private]."""
    key: tuple[str, ...] = ()
    """Attributes that tell each record from version to version of the data; none: there can be no new version."""
    source: str = ""
    """The name of the source in the settings of the ledger; empty: that of the data set."""
    text: str = field(default="", repr=False, compare=False)
    folder: Path = field(default=Path(), repr=False, compare=False)
    """Where the files are that it names."""

    @property
    def subject(self) -> str:
        """The name under which the ledger knows what is answered."""
        return self.source or self.name

    @property
    def has_public_records(self) -> bool:
        """Whether differential privacy is of the values alone: which records there are is no secret."""
        return self.options.get("neighbours") == "values"

    @property
    def has_exact_figures(self) -> bool:
        """Whether answers are the figures themselves."""
        return self.answers is AnswerMode.EXACT

    @property
    def has_exact_counts(self) -> bool:
        """Whether counts are exact beside figures that are not."""
        return self.answers is AnswerMode.CAMOUFLAGE or self.has_public_records

    @property
    def unlisted(self) -> frozenset[str]:
        """Filters whose labels are confidential: of private answers those that declare none, unless records are public.

        Analysts may group by them, and see the labels that enough records have.
        """
        if self.answers is not AnswerMode.PRIVATE or self.has_public_records:
            return frozenset()
        return frozenset(one.name for one in self.filters if not one.cuts and not one.values)

    def measure(self, name: str) -> QueryMeasure:
        """Return the measure of a name, which the language has checked."""
        return next(one for one in self.measures if one.name == name)
