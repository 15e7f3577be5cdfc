"""t-closeness: whether the sensitive values of records that look alike are spread as in the whole file.

Li, Li and Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity" (ICDE 2007): the earth mover's
distance between the distribution of a class and that of the file is at most t, which bounds what is learnt about
somebody by finding their class. `earth_mover` has the three distances. The ordered one is blind to scale: it counts
places, so that every income that occurs is equally far from the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from sqlglot import exp

from tacita.engines.plans.terms import number
from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.relation import ColumnType
from tacita.progress import Progress, silent
from tacita.risk.attribute.earth_mover import DISTANCE, equal_distance, hierarchical_distance, ordered_distance
from tacita.risk.attribute.sensitive_values import assessed, lacking
from tacita.risk.bounds import exceeds, risk_where
from tacita.risk.class_risks import ClassFigure, check, class_risks
from tacita.risk.combinations import NUMBER
from tacita.risk.measure import Risks, Specification
from tacita.risk.sample import Sample

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, slots=True)
class TCloseness:
    """Risk 1 if the sensitive values of the records that look alike are further than t from those of the file.

    >>> import tacita as tc
    >>> found = TCloseness(t=0.4).risks(Sample.of(tc.sample("patients-4-anonymous").microdata))
    >>> round(found.figures["distance"], 4), found.figures["violating_classes"]
    (0.5833, 2)
    """

    t: float = 0.2
    distance: Distance = "equal"
    """Between values: all the same, by their order, or by the hierarchy of the attribute."""
    sensitive: str | None = None
    threshold: float = 0.5
    name: ClassVar[str] = "t-closeness"
    discloses: ClassVar[str] = "attribute"

    def __post_init__(self) -> None:
        if self.distance not in get_args(Distance):
            near = did_you_mean(self.distance, get_args(Distance))
            raise UsageError(f"no distance '{self.distance}'{near}", do=f"use one of {listed(get_args(Distance))}")
        if not 0 <= self.t <= 1:
            raise UsageError(f"t is {self.t}", do="give a distance from 0 to 1")

    def lacks(self, sample: Sample) -> list[str]:
        """Return whether a sensitive attribute, its order or its hierarchy is missing."""
        faults = lacking(sample, self.sensitive)
        if faults:
            return faults
        for name in assessed(sample, self.sensitive):
            if self.distance == "hierarchical" and name not in sample.microdata.hierarchies:
                faults.append(f"'{name}' has no hierarchy: give it one in the dictionary, or take the distance 'equal'")
            text = sample.microdata.column(name).type is ColumnType.TEXT
            if self.distance == "ordered" and text and not sample.microdata.attribute(name).order:
                faults.append(f"'{name}' has no order: give it one in the dictionary, or take the distance 'equal'")
        return faults

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record and the distance of its class."""
        check(self, sample)
        plans = {name: self._classes(sample, name) for name in assessed(sample, self.sensitive)}
        return class_risks(sample, self, [ClassFigure(DISTANCE, ColumnType.NUMBER)], plans)

    def _classes(self, sample: Sample, attribute: str) -> exp.Select:
        distances = self._distances(sample, attribute).subquery("d")
        distance = exp.column(DISTANCE)
        far = risk_where(exceeds(distance, number(self.t)))
        return exp.select(NUMBER, exp.alias_(far, "risk"), exp.alias_(distance.copy(), "f0")).from_(distances)

    def _distances(self, sample: Sample, attribute: str) -> exp.Select:
        if self.distance == "equal":
            return equal_distance(sample, attribute)
        if self.distance == "hierarchical":
            return hierarchical_distance(sample, attribute, sample.microdata.hierarchies[attribute])
        stored = ordered_distance(sample, attribute, sample.microdata.attribute(attribute).order)
        names = (NUMBER, DISTANCE)
        return exp.select(*(exp.alias_(stored.physical([name])[0], name) for name in names)).from_(stored.source())

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return how far the class is from the file, and how far it may be."""
        return (
            f"{listed(assessed(sample, self.sensitive))} of records with this {listed(list(sample.known), 9)} is "
            f"{record[DISTANCE]:.3g} from the whole file; at most {self.t:g}"
        )

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: there is no rule program of it."""
        return None
