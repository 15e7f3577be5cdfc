"""The contract of a measure: a sample in, the risk of each record and figures of the file out.

`contract.breaches` checks it for any measure, ours or a user's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, silent
from tacita.risk.sample import Sample

ROW, RISK = "row", "risk"
"""The columns that every relation of risks begins with: the number of the record in the data, from 1, and its risk."""


@dataclass(frozen=True, slots=True)
class Specification:
    """The rule program that defines a measure: a kernel must give the risks that these rules give."""

    program: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    same_risk: bool = True
    """Whether the rules conclude the very risk of the measure, or only the figures that it is computed from."""


@dataclass(frozen=True, slots=True)
class Risks:
    """What a measure found."""

    measure: str
    threshold: float
    """A record is unsafe if its risk is above it."""
    records: Relation | None = None
    """One tuple per record: ``row``, ``risk`` from 0 to 1, then columns of the measure's own, such as ``frequency``.
    None for a measure of the file as a whole."""
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Figures of the file, by name."""
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Figures that are many, such as the contribution of each attribute: small lists of rows."""
    notes: Sequence[str] = ()
    """What a steward must know to read the figures."""
    are_probabilities: bool = False
    """Whether a risk is the probability of being found, as opposed to a verdict of 0 or 1."""


def _is_not_a_default(sample: Sample, k: int) -> Measure | None:
    return None


FACTS: Mapping[str, Any] = MappingProxyType(
    {
        "discloses": "identity",
        "counts_look_alikes": False,
        "uses_population": False,
        "needs_original": False,
        "drops_missing": False,
        "strictest": None,
        "is_costly": False,
        "figures_by": "",
        "is_told_elsewhere": False,
        "by_default": _is_not_a_default,
    }
)
"""What a class of measures may state, and what holds for one that does not:

`discloses`: "identity" or "attribute". `counts_look_alikes`: its k is the number of records that should look alike.
`uses_population`: it looks into a file of the population. `needs_original`: its field `original` takes the data before
masking. `drops_missing`: a missing sensitive value counts as no value. `strictest`: the strictest meaning of a null
that it knows. `is_costly`: it is left out of large data unless it is chosen. `figures_by`: what its figures are listed
by, such as "attacker". `is_told_elsewhere`: its reasons have a table of their own. `by_default`: a class method of a
sample and k, which returns the measure if it belongs to those that are taken when nobody chose any.
"""


@runtime_checkable
class Measure(Protocol):
    """A way to say how risky records are. Parameters are fields; a measure is a frozen value. `FACTS` are optional."""

    @property
    def name(self) -> str:
        """What users call it: ``k-anonymity``."""

    @property
    def threshold(self) -> float:
        """The risk above which a record is unsafe, from 0 to 1."""

    def lacks(self, sample: Sample) -> list[str]:
        """Return what the sample does not have and the measure needs, each as a sentence with what to do."""

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record."""

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return why a record has its risk, a clause without any value of the data; `record` is its tuple."""

    def specification(self, sample: Sample) -> Specification | None:
        """Return the rules that define the measure, if it has such."""


def stored_risks(engine: Engine, plan: exp.Query, columns: Mapping[str, ColumnType]) -> Relation:
    """Run a plan that selects ``c0``, ``c1``, ... and keep its result under the names of the columns."""
    return engine.store(plan, [Column(name, f"c{i}", kind) for i, (name, kind) in enumerate(columns.items())])
