"""Differential privacy record by record: Laplace noise on every value, between bounds that are known beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tacita.masking.method import Treated
from tacita.masking.noise.laplace import (
    STEPS,
    checked_bounds,
    epsilon_of_each,
    off_the_grid,
    on_the_grid,
    refused,
    with_laplace_noise,
)
from tacita.masking.preconditions import finite_columns, one_of
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class DifferentialPrivacyNoise:
    """Every value gets Laplace noise of scale (upper - lower) / epsilon_j, where the epsilon_j add up to epsilon.

    What it guarantees: local epsilon-differential privacy for each record. For any two values that the named attributes
    of a record could have, each result is at most e^epsilon times as likely with the one as with the other, whatever
    is known of the other records. Hence the file is epsilon-differentially private in the sense in which files are
    neighbours if one record has other values of the named attributes.

    What it does not: the number of records, all other attributes, and, with ``missing = "shown"``, the places of
    missing values are public. A person with m records has m times epsilon, and so has one whose records are released m
    times. Bounds must come from knowledge of the subject: read off the data they tell the smallest and the largest
    value. Values beyond are moved to the bounds, and it is not told how many.

    The noise is opendp's and does not follow the seed. Source: C. Dwork, F. McSherry, K. Nissim and A. Smith,
    Calibrating noise to sensitivity in private data analysis (2006); J. Duchi, M. Jordan and M. Wainwright, Local
    privacy and statistical minimax rates (2013).

    >>> from tacita.model.records import Numbers
    >>> people = Records({"income": Numbers.of([1200.0, 2500.0, 1800.0])})
    >>> method = DifferentialPrivacyNoise(bounds={"income": (0, 5000)}, epsilon=2)
    >>> found = method.treated(people, np.random.default_rng(1))
    >>> found.figures["scale of income"]
    2500.0
    """

    name: ClassVar[str] = "differential-privacy-noise"
    promises: ClassVar[str] = (
        "Epsilon-differential privacy of each record's named attributes, whatever is known of other records."
    )
    limits: ClassVar[str] = "Noise is as wide as the bounds, other attributes are not covered, noise is not repeatable."
    is_random: ClassVar[bool] = True
    is_repeatable: ClassVar[bool] = False
    """The noise comes from a secure source, not from the seed."""

    bounds: Mapping[str, tuple[float, float]]
    """The lowest and highest value that each attribute can have."""
    epsilon: float
    shares: Mapping[str, float] | None = None
    """How epsilon is divided among the attributes; equally, unless given."""
    missing: Literal["refused", "shown"] = "refused"
    """Whether missing values are an error, or stay and are seen."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounds", checked_bounds(self.bounds, self.name))
        epsilon_of_each(self.epsilon, self.shares, self.attributes)
        one_of(self.missing, ("refused", "shown"), "missing")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that have bounds."""
        return tuple(self.bounds)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with noise."""
        columns = finite_columns(records, self.attributes)
        parts = epsilon_of_each(self.epsilon, self.shares, self.attributes)
        changed, figures = {}, {"epsilon": self.epsilon}
        for name, column in zip(self.attributes, columns, strict=True):
            present = np.flatnonzero(~np.isnan(column))
            if len(present) < len(column) and self.missing == "refused":
                raise refused(len(column) - len(present), name)
            steps = on_the_grid(column[present], self.bounds[name])
            noisy = with_laplace_noise(steps, STEPS, parts[name], progress, f"{self.name}: {name}")
            column[present] = off_the_grid(noisy.astype(float), self.bounds[name])
            changed[name] = records.numbers(name).with_values(column)
            lower, upper = self.bounds[name]
            figures[f"scale of {name}"] = (upper - lower) / parts[name]
        return Treated.in_place(records.with_columns(changed), figures=figures)
