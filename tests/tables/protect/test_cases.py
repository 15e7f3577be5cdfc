"""From a specification to cases: rules, levels and statuses, what the attacker knows, what the steward wants."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacita.errors import InputError
from tacita.model.table import Status
from tacita.tables.example import write_example
from tacita.tables.protect.cases import cases_of, open_specification

HEAD = '[data]\ncells = "cells.csv"\n{data}\n[[table]]\nname = "t"\ndimensions = ["r", "c"]\nresponse = "v"\n'
ROWS = "r,c,v,s\nTotal,Total,100,{}\nTotal,a,40,{}\nTotal,b,60,{}\nx,Total,70,{}\nx,a,30,{}\nx,b,40,{}\n"
ROWS += "y,Total,30,{}\ny,a,10,{}\ny,b,20,{}\n"
NAMES = [(r, c) for r in ("Total", "x", "y") for c in ("Total", "a", "b")]


@pytest.fixture
def case(tmp_path: Path):
    def made(statuses: dict[int, str], more: str = "", data: str = 'status = "s"'):
        marks = [statuses.get(at, "s") for at in range(9)]
        (tmp_path / "cells.csv").write_text(ROWS.format(*marks))
        (tmp_path / "spec.toml").write_text(HEAD.format(data=data) + more)
        return cases_of(open_specification(tmp_path / "spec.toml"))[0]

    return made


def test_cells_marked_as_sensitive_get_the_usual_level(case) -> None:
    found = case({7: "u", 8: "x", 4: "x", 5: "x"})
    assert np.flatnonzero(found.levels.sensitive).tolist() == [7]
    assert found.levels.lower[7] == pytest.approx(1.5)
    assert found.given[8] == Status.SECONDARY
    assert any("15 %" in note for note in found.notes)


def test_the_range_of_the_specification_is_used(case) -> None:
    assert case({7: "u", 8: "x"}, "[sensitivity]\nrange = 0.4\n").levels.upper[7] == pytest.approx(4)


def test_what_the_steward_insists_on(case) -> None:
    found = case({}, '[protect]\nkeep = [{ r = "x" }]\nsuppress = [{ r = "y", c = "a" }]\n')
    assert (found.wishes == Status.KEPT).sum() == 3
    assert found.wishes[7] == Status.FORCED
    assert found.given is None


def test_a_sensitive_cell_cannot_be_kept(case) -> None:
    with pytest.raises(InputError, match="to be kept and to be suppressed"):
        case({7: "u", 8: "x"}, '[protect]\nkeep = [{ r = "y", c = "a" }]\n')


def test_an_attacker_with_prior_knowledge_has_bounds(case) -> None:
    found = case({}, "[attacker]\nwithin = 0.5\nupper = 120\n")
    assert found.knowledge.lower[7] == 5
    assert found.knowledge.upper[0] == 120


def test_costs_by_value_count_unity(case) -> None:
    assert case({}).costs[0] == 100
    assert case({}, '[protect]\ncost = "unity"\n').costs.tolist() == [1] * 9
    with pytest.raises(InputError, match="number of contributors"):
        case({}, '[protect]\ncost = "count"\n')


def test_single_contributors_own_their_cells_unless_told_otherwise(tmp_path: Path) -> None:
    specification = write_example(tmp_path)
    (found,) = cases_of(open_specification(specification))
    alone = found.knowledge.owners >= 0
    assert alone.any()
    assert (found.table.counts[alone] == 1).all()
    specification.write_text(specification.read_text() + "\n[attacker]\nsingletons = false\n")
    assert (cases_of(open_specification(specification))[0].knowledge.owners == -1).all()


def test_a_cell_whose_other_contributors_gave_nothing_is_no_secret_from_the_one_who_gave_all(tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("a,who,v\nx,p,5\nx,q,0\ny,p,3\ny,q,4\nz,p,2\n")
    (tmp_path / "spec.toml").write_text(
        '[data]\nmicrodata = "few.csv"\ncontributor = "who"\n'
        '[[table]]\nname = "t"\ndimensions = ["a"]\nresponse = "v"\n[sensitivity]\nminimum_frequency = 3\n'
    )
    (found,) = cases_of(open_specification(tmp_path / "spec.toml"))
    against = found.levels.against
    assert against is not None
    rows = zip(against.cell.tolist(), against.upper.tolist(), strict=True)
    # Nothing is asked of x and z, which are all p's; of the total, most of which p gave, 15 % of what q gave.
    assert {found.table.cell_codes(cell)[0]: upper for cell, upper in rows} == pytest.approx(
        {"x": 0, "z": 0, "Total": 0.6}
    )


def test_an_earlier_period_makes_its_suppressions_cheap_and_bounds_values(tmp_path: Path) -> None:
    specification = write_example(tmp_path)
    before = cases_of(open_specification(specification))[0]
    lines = ["sector,region,value"]
    for cell in range(len(before.table)):
        value = "x" if cell == 8 else f"{before.table.values[cell] * 1.1:.1f}"
        lines.append(",".join([*before.table.cell_codes(cell), value]))
    (tmp_path / "earlier.csv").write_text("\n".join(lines) + "\n")
    history = '\n[history]\ncells = "earlier.csv"\nperiod = "earlier"\nwithin = 0.25\n'
    specification.write_text(specification.read_text() + history)
    (found,) = cases_of(open_specification(specification))
    assert found.costs[8] == pytest.approx(0.01 * before.costs[8])
    assert found.costs[9] == before.costs[9]
    assert found.knowledge.upper[9] == pytest.approx(1.1 * 1.25 * before.table.values[9], rel=1e-3)
    assert np.isinf(found.knowledge.upper[8])


def test_rules_that_cannot_be_asked_are_told(case, tmp_path: Path) -> None:
    case({})
    (tmp_path / "cells.csv").write_text((tmp_path / "cells.csv").read_text().replace("y,a,10,", "y,a,,"))
    (tmp_path / "spec.toml").write_text(HEAD.format(data="") + "[sensitivity]\nminimum_frequency = 3\n")
    notes = cases_of(open_specification(tmp_path / "spec.toml"))[0].notes
    assert any("not asked are minimum frequency (3)" in note for note in notes)


def test_below_a_zero_that_is_marked_as_sensitive_there_is_nothing_to_protect(tmp_path: Path) -> None:
    rows = "r,v,s\nTotal,9,s\na,0,u\nb,4,x\nc,5,s\n"
    (tmp_path / "cells.csv").write_text(rows)
    text = '[data]\ncells = "cells.csv"\nstatus = "s"\nvalue = "v"\n[[table]]\ndimensions = ["r"]\n'
    (tmp_path / "spec.toml").write_text(text)
    levels = cases_of(open_specification(tmp_path / "spec.toml"))[0].levels
    assert levels.sensitive.tolist() == [False, True, False, False]
    assert (levels.lower[1], levels.upper[1]) == (0, 1)
