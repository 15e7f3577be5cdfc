"""A folder with a ledger, people in a 3x3 table, and releases of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tacita as tc
from tacita.api import ledgers, tables
from tacita.api.concealing import ConcealedOptions, ConcealPlan, HideAs, conceal_to
from tacita.api.judging import JointJudgement, JudgeOptions, judge
from tacita.api.releasing import KAnonymity
from tacita.ledger.settings_file import FILE
from tacita.release.kind import Released
from tacita.release.options import ReleaseOptions, TableOptions

SETTINGS = """
[recipients.university]
colludes_with = ["institute"]
[recipients.institute]
[recipients.ministry]
[recipients.press]

[groups]
state = ["institute", "ministry"]

[sources.people]
key = ["person"]
files = ["people.csv", "later.csv"]
least = 3
"""
CELLS = [[20, 50, 10], [8, 19, 22], [17, 32, 12]]
"""The 3x3 table of document 002."""
ZONE = {(0, 1), (1, 0), (2, 1)}
"""Three cells with 90 persons."""
WITHHELD = [("R2", "C1"), ("R2", "C3"), ("R3", "C1"), ("R3", "C3")]
HIDDEN = """
Sensitive(I, "it was asked for") :- Cell(I, V, N), Code(I, "region", "R2"), Code(I, "group", "C3").
Protection(I, 5, 5) :- Cell(I, V, N), Code(I, "region", "R2"), Code(I, "group", "C3").
"""

Row = dict[str, str]


@dataclass
class Office:
    """Who releases."""

    folder: Path

    def people(self) -> list[Row]:
        """Return the persons of the 3x3 table."""
        rows: list[Row] = []
        for region, line in enumerate(CELLS):
            for group, many in enumerate(line):
                zone = "in" if (region, group) in ZONE else "out"
                rows += [
                    {"person": "", "region": f"R{region + 1}", "group": f"C{group + 1}", "zone": zone}
                    for _ in range(many)
                ]
        return [row | {"person": f"P{at}"} for at, row in enumerate(rows, 1)]

    def write(self, rows: Sequence[Row], file: str = "people.csv") -> None:
        """Write records to a file of the source."""
        lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
        (self.folder / file).write_text("\n".join(lines) + "\n")

    def specification(
        self, dimensions: Sequence[str], more: str = "", file: str = "people.csv", name: str = ""
    ) -> Path:
        """Write the specification of a table of counts."""
        name = name or "_".join(dimensions)
        listed = ", ".join(f'"{one}"' for one in dimensions)
        path = self.folder / f"{name}.toml"
        path.write_text(
            f'[data]\nmicrodata = "{file}"\n[[table]]\nname = "{name}"\ndimensions = [{listed}]\n{more}\n', "utf-8"
        )
        return path

    def hidden(self) -> Path:
        """Write the specification of the 3x3 table with four withheld cells."""
        (self.folder / "hidden.vada").write_text(HIDDEN)
        cells = ", ".join(f'{{ region = "{region}", group = "{group}" }}' for region, group in WITHHELD)
        return self.specification(
            ["region", "group"], f'[sensitivity]\nrules = "hidden.vada"\n[protect]\nsuppress = [{cells}]'
        )

    def table(self, folder: str, specification: Path, recipient: str | None = None, **options: Any) -> Released:
        """Release tables, also those without a rule."""
        release = TableOptions(recipient=recipient, **({"ungated": True} | options))
        attempt = tables.protect_to(Path(folder), specification, tables.ProtectionOptions(time=0), release)
        assert attempt.release is not None
        return attempt.release

    def file(
        self, folder: str, quasi: Sequence[str], recipient: str | None = None, file: str = "people.csv", **options: Any
    ) -> Released:
        """Release records."""
        data = tc.read(file).with_roles(
            quasi=list(quasi), identifier=["person"], sensitive=options.pop("sensitive", [])
        )
        plan = tc.Plan(KAnonymity(options.pop("k", 2)))
        attempt = data.release(folder, plan, ReleaseOptions(recipient=recipient, seed=1, **options))
        assert attempt.release is not None
        return attempt.release

    def concealed(self, folder: str, attribute: str, persons: Sequence[str]) -> Released:
        """Release records of which some persons keep an attribute to themselves."""
        wishes = self.folder / "wishes.csv"
        wishes.write_text("\n".join(["person,confidential", *(f"{one},{attribute}" for one in persons)]) + "\n")
        data = tc.read("people.csv").with_roles(quasi=["area"], identifier=["person"])
        plan = ConcealPlan(policies=(str(wishes),), least_hiders=1, seed=1)
        attempt = conceal_to(Path(folder), data, plan, ConcealedOptions(hide_as=HideAs.NULL))
        assert attempt.release is not None
        return attempt.release

    def judge(self, what: Any, **options: Any) -> JointJudgement:
        """Ask without releasing."""
        return judge(what, JudgeOptions(**options))


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """An office with a ledger and the persons of the 3x3 table."""
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ledgers.init(folder, ledgers.LedgerPlan(name="bank"))
    with (folder / FILE).open("a") as file:
        file.write(SETTINGS)
    office = Office(folder)
    office.write(office.people())
    return office
