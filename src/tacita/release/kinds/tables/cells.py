"""A release of tables opened again, and why its cells are withheld."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.model.result import Result
from tacita.release.kinds.tables.attacked import read_attacked
from tacita.release.manifest import kind_in, manifest_in
from tacita.release.opening import OpenedRelease, internal_folder
from tacita.release.placing import put_back
from tacita.settings import Settings
from tacita.tables.protect.protected import because_of, percent


@dataclass(frozen=True, slots=True)
class CellDecision:
    """What happened to one cell, as a sentence; `codes` by dimension."""

    table: str
    codes: Mapping[str, str]
    status: str
    reason: str
    protects: str
    known_to_within: float | None
    reach: tuple[float | None, float | None] | None = None
    """How far below and above its value an attacker must reckon with, as shares of the value (None: no end)."""
    number: int = -1
    """The cell's number in its system of tables."""
    is_confirmed: bool = True
    """Whether the attacker looked at all sensitive cells for the reason."""
    helped_by: tuple[str, ...] = ()
    """The cells that are withheld to protect this one."""
    method: str = "suppression"
    """The method by which the table was protected."""
    rule: str = ""
    """The rule by which the cell is sensitive, if it is."""
    is_changed: bool = False
    """Whether the published figure is another than the true one."""

    @property
    def name(self) -> str:
        """The cell as people say it."""
        return ", ".join(f"{name}={code}" for name, code in self.codes.items())

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to tell about it."""
        if not self.reason:
            return (self._published(),)
        helped = listed([f"({cell})" for cell in self.helped_by], 6)
        more = (f"To protect it, these cells are withheld too: {helped}.",) if self.helped_by else ()
        shown = "shown as an interval" if self.method == "intervals" else "withheld"
        return (f"{self.name} is {shown}. {self.reason}{self._reached()}", *more)

    def _published(self) -> str:
        said = f", with a figure that was changed by {self.method.replace('_', ' ')}" if self.is_changed else ""
        sensitive = f" Sensitive by {self.rule}." if self.rule else ""
        return f"{self.name} is published{said}.{sensitive}{self._reached()}"

    def _reached(self) -> str:
        if self.reach is None:
            return ""
        below, above = ("without end" if share is None else f"by {percent(share)}" for share in self.reach)
        return f" Seen from outside it may be smaller {below}, and larger {above}."


@dataclass(frozen=True, slots=True, repr=False)
class CellDecisions(Result):
    """What happened to some cells."""

    cells: tuple[CellDecision, ...]

    def __iter__(self) -> Iterator[CellDecision]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def _in_short(self) -> str:
        return counted(len(self.cells), "cell")

    @property
    def withheld(self) -> CellDecisions:
        """Those that are withheld; if none is, those that are sensitive, and the first if none is that either."""
        withheld = tuple(cell for cell in self.cells if cell.reason)
        return CellDecisions(withheld or tuple(cell for cell in self.cells if cell.rule) or self.cells[:1])


def explain_cells(release: Path, cell: Mapping[str, str], internal: Path | None = None) -> CellDecisions:
    """Return what happened to the cells that have these codes; a dimension that is not named may have any code."""
    opened = _open_inside(release, internal)
    parts = opened.manifest["cells"]
    rows = [opened.table(part["file"]).to_pylist() for part in parts]
    names = _names(parts, rows)
    methods = [table["method"] for table in opened.manifest["tables"]]
    helpers: dict[tuple[int, int], dict[str, None]] = {}
    for part, cells in zip(parts, rows, strict=True):
        for row in cells:
            if row["protects_cell"] >= 0:
                name = names[part["table"], row["cell"]]
                helpers.setdefault((part["table"], row["protects_cell"]), {})[name] = None
    decisions = [
        _decision(part, row, names, tuple(helpers.get((part["table"], row["cell"]), ())), methods[part["table"]])
        for part, cells in zip(parts, rows, strict=True)
        if set(cell) <= set(part["dimensions"])
        for row in cells
        if all(row[name] == code for name, code in cell.items())
    ]
    if len(decisions) == 1:
        decisions = [_confirmed(opened, parts, decisions[0])]
    if not decisions:
        known: dict[str, set[str]] = {}
        for part, cells in zip(parts, rows, strict=True):
            for name in part["dimensions"]:
                known.setdefault(name, set()).update(row[name] for row in cells)
        raise _no_such_cell(cell, known)
    return CellDecisions(tuple(decisions))


def _names(parts: list[dict[str, Any]], rows: list[list[dict[str, Any]]]) -> dict[tuple[int, int], str]:
    """Return how each cell is called, by table and number."""
    return {
        (part["table"], row["cell"]): ", ".join(f"{name}={row[name]}" for name in part["dimensions"])
        for part, cells in zip(parts, rows, strict=True)
        for row in cells
    }


def _decision(
    part: Mapping[str, Any],
    row: Mapping[str, Any],
    names: Mapping[tuple[int, int], str],
    helped_by: tuple[str, ...],
    method: str,
) -> CellDecision:
    share = row["known_to_within"]
    is_asked = row["reason"] or row["rule"]
    return CellDecision(
        part["name"],
        {name: row[name] for name in part["dimensions"]},
        row["status"],
        row["reason"] or "",
        names.get((part["table"], row["protects_cell"]), ""),
        None if share is None or math.isnan(share) else float(share),
        _reach(row["value"], row["attacked_lower"], row["attacked_upper"]) if is_asked else None,
        row["cell"],
        row["status"] != "secondary" or bool(row.get("is_confirmed", True)),
        helped_by,
        method,
        row["rule"],
        not row["reason"] and row["published"] != row["value"],
    )


def _confirmed(opened: OpenedRelease, parts: list[dict[str, Any]], decision: CellDecision) -> CellDecision:
    """Return a decision with its reason confirmed, if there was not work enough for it when tables were protected."""
    if decision.is_confirmed:
        return decision
    number = next(part["table"] for part in parts if part["name"] == decision.table)
    attacked = read_attacked(opened.internal, number)
    if attacked is None:
        return decision
    exposure = attacked.exposure(decision.number)
    if not exposure.violations and decision.protects:
        return decision  # a sum of cells, which is judged with the contributions: they are not kept
    return replace(
        decision,
        reason=f"{because_of(exposure)}.",
        protects=exposure.violations[0].name if exposure.violations else "",
        known_to_within=exposure.share,
        is_confirmed=exposure.is_complete,
    )


def _reach(value: float, lower: float | None, upper: float | None) -> tuple[float | None, float | None] | None:
    """Return how far an interval reaches below and above a value, as shares of it to three digits."""
    if not value or lower is None or upper is None or math.isnan(lower) or math.isnan(upper):
        return None
    below, above = (value - lower) / abs(value), (upper - value) / abs(value)
    return _rounded(below), _rounded(above)


def _rounded(share: float) -> float | None:
    return float(f"{max(share, 0.0):.3g}") if math.isfinite(share) else None


def _no_such_cell(cell: Mapping[str, str], known: Mapping[str, set[str]]) -> UsageError:
    for name, code in cell.items():
        if name not in known:
            near = did_you_mean(name, known)
            return UsageError(f"no table has a dimension '{name}'{near}", do=f"dimensions are {', '.join(known)}")
        if code not in known[name]:
            near = did_you_mean(code, known[name])
            return UsageError(f"no code '{code}' of '{name}'{near}", do=f"codes are {listed(sorted(known[name]), 12)}")
    return UsageError("no table has such a cell", do="name codes that one of the tables shows together")


def _open_inside(release: Path, internal: Path | None) -> OpenedRelease:
    """Return a release of tables, which may be given as its internal folder, with its internal folder."""
    put_back(Settings.from_environment().state)
    if not release.is_dir():
        raise InputError("there is no such folder", where=str(release), do="name a release of 'tacita table protect'")
    folder = release if _is_inside(release) else internal or internal_folder(release)
    if not _is_inside(folder):
        raise InputError(
            "there is no internal folder of a release of tables",
            where=str(folder),
            do="name it with --internal; what was decided stands there only",
        )
    return OpenedRelease(release, folder, manifest_in(release), manifest_in(folder))


def _is_inside(folder: Path) -> bool:
    return kind_in(manifest_in(folder)) == ("table release", True)
