"""SUDA: whether a few values are enough to single out a record (Algorithm 6 of the VADA-SA paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tacita.engines.arrow import as_arrow
from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, silent
from tacita.risk.combinations import adopted, codes, of_each_record
from tacita.risk.frequencies import has_nulls
from tacita.risk.identity.minimal_sample_uniques import MinimalSampleUniques, minimal_sample_uniques
from tacita.risk.identity.suda_scores import MOST_FOR_DIS, Convention, SudaScores
from tacita.risk.identity.suda_tables import names_of, tables
from tacita.risk.measure import RISK, ROW, Risks, Specification, stored_risks
from tacita.risk.null_semantics import Semantics
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

SCORE, DIS_SCORE, MSUS, SMALLEST, SMALLEST_ATTRIBUTES = "score", "dis_score", "msus", "smallest", "smallest_attributes"


@dataclass(frozen=True, slots=True)
class Suda:
    """Risk 1 if fewer than k values single out a record: if a minimal sample unique (MSU) has fewer than k attributes.

    With ``risk="dis"`` the risk is the DIS-SUDA score instead. MSUs of more than `largest` attributes are not looked
    for, so they add nothing to scores; 0 looks for all.
    """

    largest: int = 3
    k: int = 3
    scores: Convention = "original"
    disclosure_fraction: float = 0.01
    risk: Literal["threshold", "dis"] = "threshold"
    threshold: float = 0.5
    name: ClassVar[str] = "suda"
    is_costly: ClassVar[bool] = True
    strictest: ClassVar[Semantics] = Semantics.STANDARD
    """There are no shares of a match here; a null that counts in no cell protects most."""

    def __post_init__(self) -> None:
        if self.largest < 0:
            raise UsageError(f"the largest size is {self.largest}", do="give a number of attributes; 0 means any")
        if 0 < self.largest < self.k - 1 and self.risk == "threshold":
            raise UsageError(
                f"k is {self.k}, but sample uniques of at most {self.largest} attributes are looked for",
                do=f"let the largest size be {self.k - 1} or more, or 0 for any",
            )
        if self.scores not in {"original", "ihsn"}:
            raise UsageError(f"no way to score is called '{self.scores}'", do="use one of: original, ihsn")
        if self.risk not in {"threshold", "dis"}:
            raise UsageError(f"no risk of SUDA is called '{self.risk}'", do="use one of: threshold, dis")
        if not 0 < self.disclosure_fraction <= 1:
            raise UsageError(
                f"the disclosure fraction is {self.disclosure_fraction}",
                do="give the share of the population that is in the sample, above 0 and at most 1",
            )

    @classmethod
    def by_default(cls, sample: Sample, k: int) -> Suda:
        """Return the measure as it is taken if nobody chose one."""
        return cls()

    def lacks(self, sample: Sample) -> list[str]:
        """Return nothing: records and what the intruder knows are enough."""
        return []

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return risk, scores, the number of MSUs and a smallest one of each record; contributions in tables."""
        import numpy as np

        scores = self.scored(sample, progress)
        uniques = scores.uniques
        known = len(sample.known)
        smallest = np.full(len(scores.counts), known + 1, dtype=np.int64)
        np.minimum.at(smallest, uniques.combinations, uniques.sizes)
        has_one = smallest <= known
        first = _smallest_masks(uniques, smallest)
        dis = scores.disclosure(self.disclosure_fraction)
        risk = dis if self.risk == "dis" else (smallest < self.k).astype(np.float64)
        msus = np.bincount(uniques.combinations, minlength=len(smallest))
        arrays: dict[str, Any] = {
            RISK: np.where(has_one, risk, 0.0),
            SCORE: scores.summed(scores.weights),
            DIS_SCORE: dis,
            MSUS: msus.astype(np.int64),
            SMALLEST: as_arrow(smallest, known=has_one),
            SMALLEST_ATTRIBUTES: names_of(first, sample.known),
        }
        kinds = dict.fromkeys((ROW, MSUS, SMALLEST), ColumnType.INTEGER) | {SMALLEST_ATTRIBUTES: ColumnType.TEXT}
        columns = {name: kinds.get(name, ColumnType.NUMBER) for name in (ROW, *arrays)}
        plan = of_each_record(sample, adopted(sample, arrays), list(arrays))
        figures = {
            "records_with_msu": float(has_one.sum()),
            "msus": float(len(uniques.masks)),
            "score": float(scores.weights.sum()),
        }
        records = stored_risks(sample.engine, plan, columns)
        return Risks(
            self.name,
            self.threshold,
            records,
            figures,
            tables(sample.known, codes(sample), scores),
            self._notes(sample, scores),
            are_probabilities=self.risk == "dis",
        )

    def scored(self, sample: Sample, progress: Progress = silent) -> SudaScores:
        """Return the MSUs of a sample with what they weigh; they are looked for once."""
        key = ("minimal_sample_uniques", self.largest)
        if key not in sample.cache:
            sample.cache[key] = minimal_sample_uniques(codes(sample), sample.nulls, self.largest, progress)
        return SudaScores(sample.cache[key], codes(sample).counts, len(sample.known), self.scores)

    def unsafe_sets(self, sample: Sample) -> tuple[Array, Array] | None:
        """Return the MSUs of fewer than k attributes: number of the combination from 0, and attributes as bits.

        With the DIS score no single MSU makes a record unsafe: then there is None.
        """
        if self.risk != "threshold":
            return None
        uniques = self.scored(sample).uniques
        few = uniques.sizes < self.k
        return uniques.combinations[few], uniques.masks[few]

    def _notes(self, sample: Sample, scores: SudaScores) -> list[str]:
        notes = []
        if 0 < self.largest < len(sample.known):
            notes.append(f"scores are of minimal sample uniques with up to {self.largest} attributes")
        if len(scores.uniques.masks) and not (scores.counts == 2).any():
            notes.append("no two records form a pair, so the DIS score is 1 wherever there is a score")
        if len(sample.known) > MOST_FOR_DIS:
            notes.append(
                f"with more than {MOST_FOR_DIS} attributes the DIS score falls as the score rises: do not use it"
            )
        exact = sample.nulls.are_strict or sample.nulls.semantics is Semantics.MAYBE_MATCH
        if not exact and has_nulls(sample):
            notes.append(f"a null may be any value: sample uniques have no share, so '{sample.nulls}' is not used here")
        return notes

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return the attributes of a smallest MSU, and how many there are."""
        if not record[MSUS]:
            upto = f" of up to {self.largest} attributes" if 0 < self.largest < len(sample.known) else ""
            return f"no minimal sample unique{upto}"
        msus, smallest = record[MSUS], record[SMALLEST]
        count = "1 minimal sample unique," if msus == 1 else f"{msus:,} minimal sample uniques, the smallest"
        plural = "s" if smallest != 1 else ""
        return f"the only one with this {record[SMALLEST_ATTRIBUTES]}; {count} of {smallest} attribute{plural}"

    def specification(self, sample: Sample) -> Specification | None:
        """Return Algorithm 6; the DIS-SUDA score has no rules."""
        if self.risk != "threshold":
            return None
        largest = self.largest or len(sample.known)
        return Specification("suda", {"k": self.k, "largest": largest, "AnonSet": list(sample.known)})


def contributions(sample: Sample, largest: int = 3, scores: Convention = "original") -> Relation:
    """Return the share of each attribute in the score of each record: ``row``, then one column per attribute."""
    measure = Suda(largest, scores=scores, risk="dis")
    shares = measure.scored(sample).contributions()
    arrays = {f"of_{place}": share for place, share in enumerate(shares)}
    plan = of_each_record(sample, adopted(sample, arrays), list(arrays))
    columns = [Column(ROW, "c0", ColumnType.INTEGER)]
    columns += [Column(name, f"c{place}", ColumnType.NUMBER) for place, name in enumerate(sample.known, 1)]
    return sample.engine.store(plan, columns)


def _smallest_masks(uniques: MinimalSampleUniques, smallest: Any) -> Any:
    """Return the attributes of a smallest MSU of each combination, as the least mask of several; 0 without one."""
    import numpy as np

    are = uniques.sizes == smallest[uniques.combinations]
    masks = np.full(len(smallest), np.iinfo(np.int64).max)
    np.minimum.at(masks, uniques.combinations[are], uniques.masks[are])
    return np.where(masks == np.iinfo(np.int64).max, 0, masks)
