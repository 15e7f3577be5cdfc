"""The file of a plan: TOML, with every fault in one message, written and read by the fields of the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from tacita.errors import InputError, TacitaError
from tacita.model.hierarchy.text_file import read_text
from tacita.options import entries_of, filed, read_fields
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of
from tacita.toml.writing import toml_text

_P = TypeVar("_P")
_DO = "correct the plan; docs/reference/plan.md lists every key"
_HEAD = "# A plan of Tacita: how data are made safe. docs/reference/plan.md lists every key.\n\n"


def read_plan(cls: type[_P], path: Path) -> _P:
    """Return the plan of a TOML file; paths in it begin at its folder."""
    return parse_plan(cls, read_text(path, InputError, "a plan, a TOML file"), where=str(path), folder=path.parent)


def parse_plan(cls: type[_P], text: str, *, where: str = "the plan", folder: Path = Path()) -> _P:
    """Return the plan of a text.

    >>> from tacita.cycle.plan import Plan
    >>> parse_plan(Plan, '[[measure]]\\nname = "k-anonymity"\\nk = 5').measure
    KAnonymity(k=5, threshold=0.5)
    """
    faults = Faults()
    table = Checked.of(tables_of(text, where=where), (), faults, folder, filed(cls))
    values = read_fields(cls, table)
    faults.raise_any(text, where=where, do=_DO)
    try:
        return cls(**values)
    except TacitaError as error:
        raise InputError(error.found, where=where, do=error.do or _DO) from None


def plan_text(plan: Any, *, folder: Path = Path(), with_seed: bool = False) -> str:
    """Return a plan as the text of a file in a folder: what differs from the defaults.

    >>> from tacita.cycle.plan import Plan
    >>> print(plan_text(Plan(keep=("Area",), importance={"Sector": 2.0})).split("key.")[-1].strip())
    keep = ["Area"]
    <BLANKLINE>
    [[measure]]
    name = "k-anonymity"
    k = 3
    threshold = 0.5
    <BLANKLINE>
    [importance]
    Sector = 2.0
    """
    entries = entries_of(plan, folder, always=("measure",))
    if not with_seed and "seed" in entries.get("release", {}):
        del entries["release"]["seed"]
    return _HEAD + toml_text(entries)


def write_plan(plan: Any, path: Path, *, force: bool = False, with_seed: bool = False) -> None:
    """Write a plan as a TOML file."""
    from tacita.files.atomic import write_text

    write_text(path, plan_text(plan, folder=path.parent, with_seed=with_seed), force=force)
