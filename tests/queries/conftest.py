"""What the tests of queries share: people of the document 002, and a folder with a state of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

POLICY = """
name = "staff"
unit = "person"
[[filter]]
attribute = "department"
values = ["Management", "Sales", "Works"]
[[filter]]
attribute = "sex"
values = ["f", "m"]
[[measure]]
attribute = "salary"
lower = 0
upper = 1000
statistics = ["sum", "avg", "variance", "max"]
[rules]
minimum = 3
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of 60 people."""
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    departments = ["Management"] * 8 + ["Sales"] * 22 + ["Works"] * 30
    rows = [f"p{n},{department},{'fm'[n % 2]},{100 + 7 * n}" for n, department in enumerate(departments)]
    (work / "staff.csv").write_text("person,department,sex,salary\n" + "\n".join(rows) + "\n")
    (work / "policy.toml").write_text(POLICY)
    return work
