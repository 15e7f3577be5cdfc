"""Why linked records share a risk: the chain of facts that ties a record to the one that endangers it most.

The rules that say who belongs together are run again, and their proof is shown: who owns what, who controls whom. It
names respondents, as the facts do: it is for the house, never for a release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.cycle.unsafe import risks_of
from tacita.engines.plans.terms import as_text
from tacita.errors import UsageError, counted
from tacita.model.attribute import Category
from tacita.progress import Progress, silent
from tacita.reasoning.links import REL
from tacita.reasoning.request import ReasoningRequest
from tacita.reasoning.run import reason
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.sample import Sample
from tacita.rules.reasoner.values import written

if TYPE_CHECKING:
    from tacita.rules.proofs import Proof

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class LinkedWhy:
    """Why a record shares the risk of others."""

    row: int
    other: int
    """The linked record with the largest risk of its own; the first of equal ones."""
    members: tuple[tuple[int, float], ...]
    """All linked records with the risk of each by itself, the record among them, in the order of the file."""
    risk: float
    """The risk that at least one of them is found, 1 - product(1 - risk)."""
    proof: Proof
    """Why the two belong together."""

    def as_sentences(self) -> str:
        """Return the answer in sentences."""
        own = dict(self.members)
        members = ", ".join(f"record {row}: {risk:.4g}" for row, risk in self.members[:_SHOWN])
        more = f" and {len(self.members) - _SHOWN:,} more" if len(self.members) > _SHOWN else ""
        return (
            f"Record {self.row} belongs together with {counted(len(self.members) - 1, 'other record')}. "
            f"Who finds one of them has found all. By itself each has the risk: {members}{more}; "
            f"that at least one is found has the probability {self.risk:.4g}. "
            f"The one that endangers record {self.row} most is record {self.other}, with a risk of "
            f"{own[self.other]:.4g}.\n{self.proof.as_sentences()}"
        )

    def as_text(self, width: int = 100) -> str:
        """Return the proof as a tree."""
        return self.proof.as_text(width)

    def as_json(self) -> dict[str, Any]:
        """Return the answer in words of JSON."""
        members = [{"row": row, "risk": risk} for row, risk in self.members]
        return {
            "row": self.row,
            "other": self.other,
            "members": members,
            "risk": self.risk,
            "proof": self.proof.as_json(),
        }


def why_linked(
    sample: Sample,
    row: int,
    program: str | Path = "company_groups",
    inputs: Mapping[str, Any] | None = None,
    *,
    measure: Measure | None = None,
    progress: Progress = silent,
) -> LinkedWhy | None:
    """Return why a record shares its risk with others, or None if it is linked to nobody in the file.

    `program` concludes ``rel(one, other)`` between values of the identifier from `inputs`, as for the cycle; `measure`
    is that of single records. Give the original data: a release has no identifiers.

    >>> import tacita as tc
    >>> own = [("099876", "231654", 0.6), ("231654", "765389", 0.8)]
    >>> firms = Sample.of(tc.sample("figure-5").microdata)
    >>> why = why_linked(firms, 2, "company_groups", {"Own": own}, measure=KAnonymity(2))
    >>> why.other, why.risk
    (1, 1.0)
    >>> print(why.as_sentences().splitlines()[1])
    099876 and 765389 belong together, because 099876 controls 765389.
    """
    identifiers = sample.microdata.dictionary.of(Category.IDENTIFIER)
    if len(identifiers) != 1:
        raise UsageError("links relate identifiers, and there is not just one", do="name it with --identifier NAME")
    keys = _keys(sample, identifiers[0].name)
    if row not in keys:
        raise UsageError(f"there is no record {row}", do=f"give the number of a record, from 1 to {len(keys):,}")
    request = ReasoningRequest(inputs=inputs or {}, data=sample.microdata, engine=sample.engine, progress=progress)
    conclusions = reason(program, request)
    if REL not in conclusions.predicates:
        return None
    facts: dict[str, tuple[Any, Any]] = {}
    for one, other in conclusions.facts(REL):
        if keys[row] in {str(one), str(other)}:
            facts.setdefault(str(other) if str(one) == keys[row] else str(one), (one, other))
    others = [number for number, key in keys.items() if key in facts and number != row]
    if not others:
        return None
    members = _members(sample, measure or KAnonymity(), sorted({row, *others}), progress)
    own = dict(members)
    worst = max(others, key=lambda number: (own[number], -number))
    left = 1.0
    for risk in own.values():
        left *= 1.0 - risk
    one, other = facts[keys[worst] or ""]
    proof = conclusions.why(f"{REL}({written(one)}, {written(other)})")
    return LinkedWhy(row, worst, members, 1.0 - left, proof)


def _members(
    sample: Sample, measure: Measure, rows: Sequence[int], progress: Progress
) -> tuple[tuple[int, float], ...]:
    import numpy as np

    risks = measure.risks(sample, progress)
    own_risks = risks_of(risks, sample, np.array(rows, dtype=np.int64))
    return tuple(zip(rows, map(float, own_risks.tolist()), strict=True))


def _keys(sample: Sample, name: str) -> dict[int, str | None]:
    """Return the identifier of each record as text."""
    records = sample.records
    key = exp.alias_(as_text(records.physical([name])[0]), "k")
    row = exp.alias_(sample.engine.numbered(records), "n")
    plan = exp.select(row, key).from_(records.source())
    return {int(entry["n"]): entry["k"] for batch in sample.engine.stream(plan, 50_000) for entry in batch.to_pylist()}
