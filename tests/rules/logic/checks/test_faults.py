"""Every fault of the checks, word for word: a program `faults/*.vada` and what the checks say of it, `faults/*.txt`.

Run this file as a script to write the texts anew; read them before they are kept.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tacita.rules.logic.checks import CODES, check
from tacita.rules.logic.checks.codes import ELSEWHERE
from tacita.rules.logic.faults import Severity
from tacita.rules.syntax import parse

FOLDER = Path(__file__).parent / "faults"
ALL = CODES | ELSEWHERE
PROGRAMS = sorted(FOLDER.glob("*.vada"))
PAGE = Path(__file__).resolve().parents[4] / "docs" / "reference" / "rule-faults.md"


def said(path: Path) -> str:
    """What the checks say of a program."""
    text = path.read_text(encoding="utf-8")
    parsed = parse(text, path.name)
    assert not parsed.faults, "\n".join(fault.shown(text) for fault in parsed.faults)
    return "".join(f"{fault.shown(text)}\n" for fault in check(parsed.program))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_faults_are_said_as_written_down(path: Path) -> None:
    assert said(path) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_provoked_by_a_program_of_its_name(code: str) -> None:
    (path,) = FOLDER.glob(f"{code}_*.txt")
    text = path.read_text(encoding="utf-8")
    assert f" {CODES[code].severity} {code}: " in text


def test_no_fault_is_said_of_a_clean_program() -> None:
    assert said(FOLDER / "clean.vada") == ""


@pytest.mark.parametrize("code", ALL)
def test_every_code_is_documented(code: str) -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {code} |")]
    assert len(rows) == 1, f"{code} has {len(rows)} rows in {PAGE.name}"
    meaning = rows[0].split("|")[2]
    assert ("(warning)" in meaning) == (ALL[code].severity is Severity.WARNING)
    assert ALL[code].meaning in meaning


@pytest.mark.parametrize("code", CODES)
def test_every_documented_example_has_its_fault(code: str) -> None:
    found = re.search(rf"^\| {code} \| [^|]* \| `(.*?)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    text = found[1] if found[1].endswith(".") else f"{found[1]} A(X) -> P(X)."
    assert code in {fault.code for fault in check(parse(text, "example").program)}


def test_no_code_is_documented_that_is_not_there() -> None:
    documented = set(re.findall(r"^\| (R[2-7]\d\d) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert documented == ALL.keys()


if __name__ == "__main__":
    for program in PROGRAMS:
        program.with_suffix(".txt").write_text(said(program), encoding="utf-8")
