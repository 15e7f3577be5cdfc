"""Every data set that can be generated, by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tacita.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from tacita.generators.stream import Generated

FIGURE_6 = (
    "R6A4U",
    "R12A4U",
    "R25A4W",
    "R25A4U",
    "R25A4V",
    "R50A4W",
    "R50A4U",
    "R50A5W",
    "R50A6W",
    "R50A8W",
    "R50A9W",
    "R100A4U",
)
"""The data sets of the experiments of the VADA-SA paper."""

_FAMILY = "R{thousands}A{4-9}{W,U,V}"
_NAMES = {
    _FAMILY: "survey of firms: thousands of rows, quasi-identifiers, distribution (R25A4W, R100A4U, ...)",
    "households": "survey of households, one row per person, 10,000 unless told",
    "credentials": "register of credentials of health care providers, 45,250 unless told",
    "figure-1": "20 firms: Figure 1 of the VADA-SA paper",
    "figure-5": "7 firms: Figure 5a of the VADA-SA paper, for maybe-match",
    "patients": "12 patients: Table 1 of the survey Database Privacy",
    "patients-4-anonymous": "the 12 patients 4-anonymous: Table 2, with one homogeneous group",
    "customers": "10 customers: Table 1 of the paper on confidentiality by functional dependencies",
}


def names() -> dict[str, str]:
    """Return every name, or pattern of names, with a line that says what it is.

    >>> names()["figure-1"]
    '20 firms: Figure 1 of the VADA-SA paper'
    """
    return dict(_NAMES)


def generate(name: str, *, seed: int, rows: int | None = None, fraction: float | None = None) -> Generated:
    """Return the data set of that name.

    ``rows`` is for households and credentials: the name of a survey of firms says its size, and a printed table has its
    own. ``fraction`` is the share of the population that a survey of firms samples (5 % unless told).

    >>> generate("R6A4U", seed=0).rows
    6000
    """
    wanted = name.strip().casefold()
    if wanted == "households":
        from tacita.generators.households import ROWS, households

        _refuse(wanted, "the sampling fraction", fraction)
        return households(seed=seed, rows=ROWS if rows is None else rows)
    if wanted == "credentials":
        from tacita.generators import credentials

        _refuse(wanted, "the sampling fraction", fraction)
        return credentials.credentials(seed=seed, rows=credentials.ROWS if rows is None else rows)
    if wanted in _NAMES and wanted != _FAMILY:
        from tacita.generators.samples import sample

        _refuse(wanted, "the number of rows", rows)
        _refuse(wanted, "the sampling fraction", fraction)
        return sample(wanted)
    if re.match(r"r\d+", wanted):
        from tacita.generators.firms import FRACTION, firms

        survey = firms(name, seed=seed, fraction=FRACTION if fraction is None else fraction)
        if rows is not None and rows != survey.rows:
            raise UsageError(
                f"'{survey.name}' has {survey.rows:,} rows by its name, not {rows:,}",
                do=f"ask for R{max(1, round(rows / 1000))}{survey.name[survey.name.index('A') :]}",
            )
        return survey
    known = [*(key for key in _NAMES if key != _FAMILY), *FIGURE_6]
    raise UsageError(
        f"no data set '{name}' can be generated{did_you_mean(wanted, known)}",
        do=f"use one of {', '.join(_NAMES)}",
    )


def _refuse(name: str, what: str, value: object) -> None:
    if value is not None:
        raise UsageError(f"{what} of '{name}' cannot be set", do="leave it out")
