"""Publications that do not withhold: judged by what their method promises, and by what its attacker concludes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacita.api.tables import protect_to
from tacita.errors import InputError, UsageError
from tacita.tables.auditing import Audited, audit_table
from tacita.tables.protect.protect import protect_table

COUNTS = np.array([[12, 7, 0, 31], [2, 14, 25, 9], [18, 22, 1, 40], [6, 0, 13, 27]])
SPEC = """
[data]
{data}
[[table]]
name = "t"
dimensions = ["a", "b"]
{response}
[sensitivity]
minimum_frequency = 3
[protect]
method = "{method}"
base = 5
seed = 4
{settings}
"""


def specification(folder: Path, method: str, *, settings: str = "") -> Path:
    """Return a specification of counts, from records for cell keys, or of amounts with their counts for the others."""
    places = [(f"a{i}", f"b{j}", int(count)) for (i, j), count in np.ndenumerate(COUNTS)]
    if method == "cell_key":
        records = [(a, b) for a, b, count in places for _ in range(count)]
        lines = [f"{at},{a},{b}" for at, (a, b) in enumerate(records)]
        (folder / "people.csv").write_text("\n".join(["id,a,b", *lines]))
        data, response = 'microdata = "people.csv"', ""
    elif method in {"adjustment", "intervals"}:
        lines = [f"{a},{b},{count * 37 + at},{count}" for at, (a, b, count) in enumerate(places) if count]
        (folder / "cells.csv").write_text("\n".join(["a,b,v,n", *lines]))
        data, response = 'cells = "cells.csv"\ncount = "n"', 'response = "v"'
    else:
        lines = [f"{a},{b},{count}" for a, b, count in places]
        (folder / "cells.csv").write_text("\n".join(["a,b,v", *lines]))
        data, response = 'cells = "cells.csv"\nvalue = "v"', ""
    file = folder / "spec.toml"
    file.write_text(SPEC.format(data=data, response=response, method=method, settings=settings))
    return file


def published(spec: Path) -> Path:
    file = spec.parent / "published.csv"
    file.write_text(protect_table(spec).to_csv())
    return file


def with_cell(file: Path, cell: str, *fields: object) -> None:
    """Change what a published file says of a cell."""
    lines = file.read_text().splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith(f"{cell},"))
    lines[at] = ",".join([cell, *map(str, fields)])
    file.write_text("\n".join(lines))


def broken(audited: Audited) -> str:
    (table,) = audited.tables
    assert not table.audit.passed and table.status.max() == 0
    return " ".join(violation.sentence for violation in audited.violations())


KEYS = '[protect.cell_key]\nidentifier = "id"'
CASES = {
    "controlled_rounding": [("Total,Total", 230, "do not add up"), ("a0,b3", 31, "no multiples of 5")],
    "random_rounding": [("a3,b0", 15, "not one of the two multiples"), ("a0,b2", 5, "not one of the two multiples")],
    "small_count_rounding": [("a3,b2", 14, "were changed")],
    "adjustment": [("Total,Total", 1, "do not add up")],
    "cell_key": [
        ("a0,b2", 1, "zeros that were changed"),
        ("a2,b3", 44, "moved by more than 3"),
        ("a2,b3", 37.5, "not whole"),
    ],
}


@pytest.mark.parametrize("method", CASES)
def test_what_a_method_promises_is_checked(tmp_path: Path, method: str) -> None:
    spec = specification(tmp_path, method, settings=KEYS if method == "cell_key" else "")
    file = published(spec)
    assert audit_table(spec, file).passed
    whole = file.read_text()
    for cell, figure, fault in CASES[method]:
        file.write_text(whole)
        with_cell(file, cell, figure, "")
        assert fault in broken(audit_table(spec, file))


def test_noise_of_other_keys_is_seen(tmp_path: Path) -> None:
    spec = specification(tmp_path, "cell_key", settings=KEYS)
    file = published(spec)
    spec.write_text(spec.read_text().replace("seed = 4", "seed = 5"))
    assert "other noise than the record keys make" in broken(audit_table(spec, file))
    spec.write_text(spec.read_text().replace("seed = 5\n", ""))
    (table,) = audit_table(spec, file).tables
    assert table.audit.passed and "was not checked" in table.audit.notes[-1]


def test_a_narrow_interval_is_seen_and_a_wrong_one_refused(tmp_path: Path) -> None:
    spec = specification(tmp_path, "intervals")
    file = published(spec)
    assert audit_table(spec, file).passed
    value = COUNTS[1, 0] * 37 + 4
    with_cell(file, "a1,b0", "", "x", value - 1, value + 1)
    audited = audit_table(spec, file)
    assert {violation.name for violation in audited.violations()} == {"a=a1, b=b0"}
    with_cell(file, "a1,b0", "", "x", value + 1, value + 90)
    with pytest.raises(InputError, match=r"1 interval is not that of the table: \(a=a1, b=b0\)"):
        audit_table(spec, file)


def test_the_release_the_option_or_the_specification_says_the_method(tmp_path: Path) -> None:
    spec = specification(tmp_path, "adjustment")
    assert protect_to(tmp_path / "out", spec).release is not None
    spec.write_text(spec.read_text().replace("adjustment", "suppression"))
    for pattern in (tmp_path / "out", tmp_path / "out" / "t.csv"):
        (table,) = audit_table(spec, pattern).tables
        assert table.audit.passed and table.judged == "as published, by adjustment"
    copy = tmp_path / "copy.csv"
    copy.write_text((tmp_path / "out" / "t.csv").read_text())
    with pytest.raises(InputError, match="say how: --method"):
        audit_table(spec, copy)
    assert audit_table(spec, copy, method="adjustment").passed
    with_cell(copy, "a0,b0", "", "x")
    with pytest.raises(InputError, match="1 cell without a figure, and the method 'adjustment' publishes all"):
        audit_table(spec, copy, method="adjustment")
    with pytest.raises(UsageError, match="no publication that was made by it"):
        audit_table(spec, method="adjustment")
