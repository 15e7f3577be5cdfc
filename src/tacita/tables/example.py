"""A small example: invented firms, a hierarchy of sectors, and a specification that can be run as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tacita.errors import OutputError
from tacita.files.atomic import check_target, write_text

SPECIFICATION = "turnover.toml"
_SECTORS = {
    "Industry": {"Food": 34, "Textiles": 9, "Metal": 22, "Machinery": 13},
    "Services": {"Trade": 48, "Transport": 21, "Hotels": 26, "Research": 7},
}
_REGIONS = {"North": 0.4, "Centre": 0.3, "South": 0.2, "Islands": 0.1}

_TOML = """\
title = "Turnover of firms by sector and region"

[data]
microdata = "firms.csv"
contributor = "group"              # a holding with several firms counts once

[dimension.sector]
hierarchy = "sector.hrc"

[dimension.region]                 # without a hierarchy: the codes of the data, and a total

[[table]]
name = "turnover"
dimensions = ["sector", "region"]
response = "turnover"              # leave it out to count firms

[sensitivity]
minimum_frequency = 3              # fewer contributors are too few
p_percent = { p = 10 }             # the second largest may not come within 10 % of the largest

[protect]
method = "suppression"
cost = "value"                     # withhold as little turnover as possible
"""


def example(seed: int = 7) -> dict[str, str]:
    """Return the files of the example by name: the specification, the firms, the hierarchy of sectors.

    >>> files = example()
    >>> sorted(files)
    ['firms.csv', 'sector.hrc', 'turnover.toml']
    >>> files["firms.csv"].splitlines()[0]
    'firm,group,sector,region,employees,turnover'
    """
    return {SPECIFICATION: _TOML, "firms.csv": _firms(seed), "sector.hrc": _hierarchy()}


def write_example(folder: str | Path, seed: int = 7, *, force: bool = False) -> Path:
    """Write the files of the example to a folder, which is made if need be; return the specification."""
    folder = Path(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made ({error.strerror})", where=str(folder), do="choose another folder") from None
    files = example(seed)
    for name in files:
        check_target(folder / name, force=force)
    for name, text in files.items():
        write_text(folder / name, text, force=force)
    return folder / SPECIFICATION


def _hierarchy() -> str:
    lines = [line for sector, below in _SECTORS.items() for line in (sector, *(f"@{code}" for code in below))]
    return "\n".join(lines) + "\n"


def _firms(seed: int) -> str:
    """Return firms whose sizes are as uneven as in life, some of which belong to one group."""
    random = np.random.default_rng(seed)
    lines = ["firm,group,sector,region,employees,turnover"]
    number = 0
    for below in _SECTORS.values():
        for sector, firms in below.items():
            for region in random.choice(list(_REGIONS), firms, p=list(_REGIONS.values())):
                number += 1
                employees = int(np.ceil(random.lognormal(2.6, 1.2)))
                turnover = int(np.ceil(employees * random.lognormal(4.6, 0.5)))
                group = f"G{random.integers(1, 9):02d}" if random.random() < 0.15 else f"F{number:03d}"
                lines.append(f"F{number:03d},{group},{sector},{region},{employees},{turnover}")
    return "\n".join(lines) + "\n"
