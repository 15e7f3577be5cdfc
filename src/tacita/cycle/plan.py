"""A plan: what is asked of the cycle. Everything has a default; a plan is a frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from tacita.cycle.suppression.routing import AttributeRoute, TupleOrder
from tacita.engines.protocol import Relation
from tacita.errors import UsageError, faults_text
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, default_nulls
from tacita.risk.together import together


class Method(StrEnum):
    """What is done about records that are too risky."""

    SUPPRESSION = "suppression"
    """Single cells become labelled nulls (default)."""
    RECODING = "recoding"
    """Whole columns are rolled up along their hierarchies, as little as possible; what is left is suppressed."""
    LOCAL_RECODING = "local-recoding"
    """The cells of risky records alone are rolled up."""
    AUTO = "auto"
    """Recoding, suppression or both, whichever loses least."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the cycle should reach, by which means, in which order.

    >>> Plan(importance={"Area": -1})
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: the importance of 'Area' is -1
      what to do: give a number above 0: the cost of suppressing one of its cells
    """

    measure: Measure = field(default_factory=KAnonymity)
    """What must hold; several measures hold together: ``Together((KAnonymity(3), LDiversity(2)))``, or a list."""
    known: tuple[str, ...] | None = None
    """What the intruder knows; None: the quasi-identifiers."""
    nulls: Nulls | None = None
    """How nulls count; None: strictly, or as near to it as the measure can (`default_nulls`)."""
    missing_as: MissingAs | None = None
    """What a missing value of the source counts as; None: as `nulls`, or the dictionary, says."""
    missing_label: str | None = None
    """What is written where a known cell of the source is empty, so that it is a category beside suppressed cells."""
    population: Relation | None = None
    """The population or a register, for measures that look into one."""
    method: Method = Method.SUPPRESSION
    importance: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """What the suppression of a cell costs, by attribute; 1 where nothing is said."""
    keep: tuple[str, ...] = ()
    """Attributes that must not be touched."""
    keep_cells: tuple[tuple[int, str], ...] = ()
    """Cells that must not be touched: number of the record from 1, attribute."""
    household: tuple[str, ...] = ()
    """Attributes of the household: suppressed for all of its members, or for none."""
    linked: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Attributes that are suppressed together with a key, such as its codes: key -> attributes."""
    cluster: str | None = None
    """The household or group key, if it matters: for `household`, and for the risk of clusters."""
    links: Mapping[str, Relation] = field(default_factory=lambda: MappingProxyType({}))
    """Pairs of identifiers that belong together, by what their clusters are called: at most one kind."""
    cluster_risk: bool = False
    """Whether the risk of a record is that of its household: that at least one member is found."""
    whole_clusters: bool = False
    """Whether all members of a risky cluster are changed, as Algorithm 9 is printed, or only those at risk."""
    tuples: TupleOrder = TupleOrder.LESS_SIGNIFICANT_FIRST
    attributes: AttributeRoute | tuple[str, ...] = AttributeRoute.FEWEST_NULLS
    """Which cell goes first: an order by name, or the attributes themselves."""
    take_back: bool = True
    """Whether nulls that turned out unnecessary are taken back at the end."""
    recode: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Whole columns to roll up before anything else, by hand: attribute -> level."""
    top: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Bounds at which large values are cut before anything else, by attribute."""
    bottom: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Bounds at which small values are cut before anything else, by attribute."""
    intervals: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Widths of the intervals that numbers are put into before anything else, by attribute."""
    suppression_limit: float = 0.05
    """With `recoding`: the share of records of which cells may have to be suppressed."""
    optimal: bool = False
    """Whether the smallest suppression is searched for, which is possible for small data."""
    rounds: bool = False
    """Whether all risky records lose a cell in each round, as the printed rules say, instead of one after the other."""

    def __post_init__(self) -> None:
        if isinstance(self.measure, list | tuple):
            object.__setattr__(self, "measure", together(self.measure))
        for name, weight in self.importance.items():
            if not weight > 0:
                raise UsageError(
                    f"the importance of '{name}' is {weight:g}",
                    do="give a number above 0: the cost of suppressing one of its cells",
                )
        faults = []
        if len(self.links) > 1:
            faults.append("records are linked in two ways: put the rules into one program")
        if self.links and self.cluster_risk:
            faults.append("the risk of households and that of linked records are asked for at once: take one of them")
        if not 0 <= self.suppression_limit <= 1:
            faults.append(f"the suppression limit is {self.suppression_limit:g}: give a share from 0 to 1")
        if self.household and not self.cluster:
            faults.append("attributes of the household are named, but no household key")
        if self.cluster_risk and not self.cluster:
            faults.append("the risk of households is asked for, but no household key is named")
        if faults:
            raise UsageError(faults_text(faults))

    def nulls_in(self, dictionary: Dictionary) -> Nulls:
        """Return how nulls of microdata with this dictionary count."""
        nulls = self.nulls or default_nulls(self.measure, dictionary.missing_as)
        return nulls if self.missing_as is None else replace(nulls, missing_as=self.missing_as)
