"""Files of tau-Argus: record layouts, hierarchies, labels, a-priori files, batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacita.engines.context import Context
from tacita.errors import HierarchyError, InputError
from tacita.model.table import Dimension, Equations, Status, Table
from tacita.tables.argus.apriori import parse_apriori, with_apriori
from tacita.tables.argus.batch import dimension_plan, read_batch
from tacita.tables.argus.cells import headless_table
from tacita.tables.argus.code_files import parse_hrc
from tacita.tables.argus.fixed_format import table_of
from tacita.tables.argus.record_layout import parse_record_layout, read_record_layout
from tacita.tables.build.cells.cells_file import CellColumns
from tacita.tables.build.from_specification import gather
from tacita.tables.build.given import GivenTable
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.prior_posterior import PriorPosterior
from tacita.tables.sensitivity.rules.request import Request
from tacita.tables.specification.reading import read_specification
from tacita.tables.specification.specification import DataPlan, TablePlan, TableSpecification
from tacita.tables.specification.writing import write_specification

RDA = """
Size 1 2 99
  <RECODEABLE>
  <TOTCODE> "All"
Region 4 2 99 98
  <RECODEABLE>
  <CODELIST> "region.cdl"
  <HIERARCHICAL>
  <HIERCODELIST> "region.hrc"
  <HIERLEADSTRING> "@"
  <DISTANCE> 1 2 3 4 5
Nace 7 3 999
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERLEVELS> 1 1 1
Wgt 11 4 9999
  <DECIMALS> 1
  <WEIGHT>
Var 16 6 999999
  <NUMERIC>
Group 23 2
  <HOLDING>
Asked 26 1
  <REQUEST> "1" "2"
  <STRANGE> 5
"""
ASC = """\
 1  1 A11  1.5   10.5 g1 0
 1  2 A12  2.0   20.0 g1 1
 2  3 B11  1.0    5.0 g2 0
 2 99 A11  1.0 999999 g3 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "meta.rda").write_text(RDA)
    (tmp_path / "data.asc").write_text(ASC)
    (tmp_path / "region.hrc").write_text("N\n@ 1\n@ 2\nS\n@ 3\n")
    (tmp_path / "region.cdl").write_text(' 1,"One"\nN,North\n')
    return tmp_path


def test_a_record_layout_and_its_fixed_columns(folder: Path) -> None:
    layout = read_record_layout(folder / "meta.rda")
    region, nace = layout.variables[1], layout.variables[2]
    assert (region.start, region.length, region.missing) == (4, 2, ("99", "98"))
    assert region.hierarchy == "region.hrc" and region.distance == (1, 2, 3, 4, 5)
    assert nace.prefixes == (1, 2)
    assert layout.name_of("weight") == "Wgt" and layout.name_of("holding") == "Group"
    assert layout.of_role("request")[0].request_codes == ("1", "2")
    assert layout.notes == ("<STRANGE> of variable 'Asked' is not used (line 25)",)
    rows = table_of(folder / "data.asc", layout).to_pylist()
    assert rows[1] == {"Size": "1", "Region": "2", "Nace": "A12", "Wgt": 2.0, "Var": 20.0, "Group": "g1", "Asked": "1"}
    assert rows[3]["Region"] == "99" and rows[3]["Var"] is None


def test_a_free_format(tmp_path: Path) -> None:
    layout = parse_record_layout('<SEPARATOR> ";"\nSize\n <RECODEABLE>\nVar 9 "999"\n <NUMERIC>\n')
    (tmp_path / "data.txt").write_text('" 1";2,5\n2;999\n')
    assert table_of(tmp_path / "data.txt", layout).to_pylist() == [
        {"Size": "1", "Var": 2.5},
        {"Size": "2", "Var": None},
    ]
    (tmp_path / "short.txt").write_text("1;2\n3\n")
    with pytest.raises(InputError, match="lines 2 have fewer fields"):
        table_of(tmp_path / "short.txt", layout)


def test_faults_of_a_layout_and_of_its_file(folder: Path) -> None:
    with pytest.raises(InputError) as told:
        parse_record_layout("Size one\nVar 1 2\n <DECIMALS> many\nVar 3 4\n")
    for said in (
        "line 1: variable 'Size' has no first column",
        "line 3: <DECIMALS> needs whole",
        "'Var' stands there twice",
    ):
        assert said in str(told.value)
    (folder / "data.asc").write_text(ASC.replace("20.0", "2x.0"))
    with pytest.raises(InputError, match="'Var' is no number on lines 2") as told:
        table_of(folder / "data.asc", read_record_layout(folder / "meta.rda"))
    assert "2x" not in str(told.value)
    (folder / "data.asc").write_text("1\n")
    with pytest.raises(InputError, match="the longest line has 1 characters"):
        table_of(folder / "data.asc", read_record_layout(folder / "meta.rda"))


def test_hierarchies_with_other_leads_and_faults() -> None:
    deep = parse_hrc("A\n--A1\n----A11\n----A12\nB\n", "d", lead="--", total="All")
    assert deep.total == "All" and deep.leaves == ("A11", "A12", "B")
    assert parse_hrc("A\n@A1\n@A2", "d").sums[0].parts == ("A",)
    for text, said in (
        ("A\n@@A1", "line 2 has 2 times '@'"),
        ("A\nA", "line 2 has 'A' again"),
        ("", "there is no code"),
    ):
        with pytest.raises(HierarchyError, match=said):
            parse_hrc(text, "d")


@pytest.mark.slow
def test_the_published_example_has_nine_primaries(shared: Path) -> None:
    folder = shared / "data/tables/tauargus"
    layout = read_record_layout(folder / "Tau_TestW.rda")
    assert [each.name for each in layout.of_role("recodeable")] == ["Year", "IndustryCode", "Size", "Region"]
    assert layout.variables[1].prefixes == (3, 4)
    dimensions = {
        each.name: dimension_plan(each, folder) for each in layout.variables if each.name in {"Size", "Region"}
    }
    data = DataPlan(microdata=folder / "tau_testW.asc", layout=folder / "Tau_TestW.rda")
    (given,) = gather(
        TableSpecification(data, dimensions, (TablePlan("t", ("Size", "Region"), ("Var2",)),)), Context.shared().engine
    )
    behind = given.table.contributions
    assert behind is not None and len(given.table) == 9 * 17
    # p %(15): what is left without the two largest is less than 15 % of the largest.
    left = behind.totals - behind.largest[:, :2].sum(axis=1)
    assert int(((behind.counts > 0) & (left < 0.15 * behind.largest[:, 0])).sum()) == 9
    assert given.table.dimensions[1].labels["Nr"] == "North"


def _batch(folder: Path, rules: str, more: str = "") -> Path:
    path = folder / "job.arb"
    path.write_text(
        '// a job\n<OPENMICRODATA> "C:\\argus\\data.asc"\n<OPENMETADATA> "meta.rda"\n'
        f'<SPECIFYTABLE> "Size""Region"|"Var"||"-2"\n<SAFETYRULE> {rules}\n<READMICRODATA>\n{more}'
    )
    return path


def test_a_batch_becomes_a_specification(folder: Path) -> None:
    (folder / "cells.hst").write_text("1,N,u\n")
    more = '<APRIORI> "cells.hst", 1, ","\n<SUPPRESS> MOD(1, 5, 1, 1, 1)\n<WRITETABLE> (1, 4, AS+, "out.sbs")\n'
    rules = "P(15,1)|NK(2,85)|PQ(10,50,1)|FREQ(3,30)|ZERO(20)|REQ(70,60,15)|MIS(1)|WGT(1)|ODD(1)"
    found = read_batch(_batch(folder, rules, more + "<RECODE> 1, Region, 2\n<CLEAR>\n<SUPPRESS> GH(1)\n"))
    assert found.data.microdata == folder / "data.asc" and found.data.layout == folder / "meta.rda"
    assert found.data.weight == "Wgt" and found.data.request == "Asked" and found.data.holding is None
    assert found.tables[0].dimensions == ("Size", "Region") and found.tables[0].responses == ("Var",)
    assert found.dimensions["Size"].total == "All" and found.dimensions["Region"].missing == "99"
    plan = found.sensitivity
    assert plan.named("p_percent") == (PPercent(15, 1),) and plan.named("dominance") == (Dominance(2, 85),)
    assert plan.named("prior_posterior") == (PriorPosterior(10, 50, 1),)
    assert plan.named("request") == (Request(60, range=0.3),)
    assert plan.minimum_frequency == 3 and plan.range == 0.3 and plan.named("zeros")
    assert found.protect.method == "suppression" and found.protect.cost == "unity" and found.protect.time == 300
    assert found.protect.apriori == folder / "cells.hst"
    told = "\n".join(found.notes)
    for said in (
        "ODD(1) is not known",
        "MIS(1)",
        "REQ has two",
        "holding 'Group' is not used",
        "<RECODE>",
        "<WRITETABLE>",
        "<CLEAR> begins another batch: 1 commands",
        "MOD is replaced",
        "range of ZERO",
        "<STRANGE>",
    ):
        assert said in told, said


def test_a_batch_written_as_toml_reads_back_and_builds(folder: Path) -> None:
    (folder / "data.asc").write_text(ASC.replace("999999", "   1.0"))
    found = read_batch(_batch(folder, "P(0,0)|P(0,0)|P(15,1)", "<SUPPRESS> RND(1, 3)\n"))
    assert (
        found.data.contributor == "Group" and found.protect.method == "controlled_rounding" and found.protect.base == 3
    )
    write_specification(found, folder / "job.toml")
    again = read_specification(folder / "job.toml")
    assert again.data == found.data and again.dimensions == found.dimensions and again.sensitivity == found.sensitivity
    (given,) = gather(again, Context.shared().engine)
    table = given.table
    values = {table.cell_codes(cell): float(table.values[cell]) for cell in range(len(table))}
    assert values["All", "Total"] == 36.5 and values["1", "N"] == 30.5 and values["2", "99"] == 1
    assert table.counts is not None and table.counts[0] == 3
    assert table.dimensions[1].labels == {"1": "One", "N": "North"}


def test_rules_of_both_levels_and_of_several_tables(folder: Path) -> None:
    path = _batch(folder, "P(10,1)|P(0,0)|P(20,1)")
    path.write_text(path.read_text() + '<SPECIFYTABLE> "Nace"|"<freq>"\n<SAFETYRULE> FREQ(5,10)\n<SUPPRESS> OPT(0)\n')
    found = read_batch(path)
    assert found.data.holding == "Group" and found.data.contributor is None
    assert found.sensitivity.named("p_percent") == (PPercent(10, 1), PPercent(20, 1))
    assert found.sensitivity.minimum_frequency == 5
    assert found.responses == ("Var", "")
    assert found.dimensions["Nace"].prefixes == (1, 2)
    assert any("different safety rules" in note for note in found.notes)


def test_a_batch_over_cells(folder: Path) -> None:
    (folder / "table.rda").write_text(
        '<SEPARATOR> ","\n<SAFE> "OK"\n<UNSAFE> "NO"\n<PROTECT> "KEEP"\nregion\n <RECODEABLE>\n <TOTCODE> "Total"\n'
        "turnover\n <NUMERIC>\nn\n <FREQUENCY>\nstatus\n <STATUS>\n"
        "lpl\n <NUMERIC> <LOWERPL>\nupl\n <NUMERIC> <UPPERPL>\n"
    )
    (folder / "cells.tab").write_text("Total,10,5,KEEP,0,0\n  A,4,1,NO,1,2\n  B,6,4,OK,0,0\n")
    (folder / "job.arb").write_text(
        '<OPENTABLEDATA> "cells.tab"\n<OPENMETADATA> "table.rda"\n<SPECIFYTABLE> "region"|"turnover"||\n'
        "<SAFETYRULE> MAN(20)\n<READTABLE>\n<SUPPRESS> OPT(1,1)\n"
    )
    found = read_batch(folder / "job.arb")
    assert found.sensitivity.range == 0.2
    write_specification(found, folder / "job.toml")
    (given,) = gather(read_specification(folder / "job.toml"), Context.shared().engine)
    assert given.status is not None and given.levels is not None
    assert given.status.tolist() == [Status.KEPT, Status.PRIMARY, Status.PUBLISHED]
    assert given.levels.lower.tolist() == [0, 1, 0] and given.levels.upper.tolist() == [0, 2, 0]
    assert given.table.counts is not None and given.table.counts.tolist() == [5, 1, 4]


def test_faults_of_a_batch_are_told_together(folder: Path) -> None:
    (folder / "bad.arb").write_text('<OPENMICRODATA> "nothing.asc"\nwhat is this\n<OPENMETADATA>\n')
    with pytest.raises(InputError) as told:
        read_batch(folder / "bad.arb")
    for said in (
        "line 2 is no command",
        "line 1: there is no file 'nothing.asc'",
        "line 3: <OPENMETADATA> names no file",
    ):
        assert said in str(told.value)
    with pytest.raises(InputError, match="the record layout has no variable 'Sise'"):
        path = _batch(folder, "P(10,1)")
        path.write_text(path.read_text().replace('"Size"', '"Sise"'))
        read_batch(path)


def test_an_apriori_file_changes_single_cells() -> None:
    region = Dimension.flat("region", ["A", "B", "C"])
    codes = np.arange(4, dtype=np.int32).reshape(-1, 1)
    table = Table("t", (region,), codes, np.array([60.0, 10, 20, 30]), Equations.of([(0, (1, 2, 3))]), is_count=False)
    lines = parse_apriori("A;u\nB;p\nC;c;7\nTotal;s\nA;pl;2;3\n", 1)
    found = with_apriori(GivenTable(table), lines, 0.5)
    assert found.status is not None and found.status.tolist() == [0, Status.PRIMARY, Status.KEPT, 0]
    assert found.costs is not None and found.costs.tolist() == [60, 10, 20, 7]
    assert found.levels is not None and found.levels.lower.tolist() == [0, 2, 0, 0]
    assert found.levels.rules == ("a priori",) and found.levels.rule.tolist() == [-1, 0, -1, -1]
    assert found.safe is not None and found.safe.tolist() == [True, False, False, False]
    assert found.notes == ("1 cell declared safe a priori",)
    share = with_apriori(GivenTable(table), parse_apriori("C,u", 1), 0.5)
    assert share.levels is not None and share.levels.upper.tolist() == [0, 0, 0, 15]
    with pytest.raises(InputError, match="dimension 'region' has no code 'D'"):
        with_apriori(GivenTable(table), parse_apriori("D,u", 1))
    with pytest.raises(InputError) as told:
        parse_apriori("A,q\nB,c\nC,pl,1,-2\n", 1)
    for said in ("line 1 says none of u, s, p, c and pl", "line 2: c needs 1 number", "line 3: pl needs 2 numbers"):
        assert said in str(told.value)


def test_files_are_found_in_any_case(folder: Path) -> None:
    """Windows does not tell capitals from small letters, so batches made there do not either."""
    for old, new in (("meta.rda", "Meta.RDA"), ("data.asc", "DATA.asc"), ("region.hrc", "REGION.Hrc")):
        (folder / old).rename(folder / new)
    (folder / "Lists").mkdir()
    (folder / "region.cdl").rename(folder / "Lists" / "Region.CDL")
    layout = folder / "Meta.RDA"
    layout.write_text(layout.read_text().replace('"region.cdl"', '"lists\\region.cdl"'))
    (folder / "CELLS.HST").write_text("1,N,u\n")
    batch = read_batch(_batch(folder, "P(10,1)", '<APRIORI> "cells.hst", 1, ","\n'))
    assert batch.data.microdata == folder / "DATA.asc" and batch.data.layout == layout
    assert batch.dimensions["Region"].hierarchies == (folder / "REGION.Hrc",)
    assert batch.dimensions["Region"].labels == folder / "Lists" / "Region.CDL"
    assert batch.protect.apriori == folder / "CELLS.HST"
    (folder / "Region.HRC").write_text("N\n")
    with pytest.raises(InputError, match="differ in capitals only"):
        read_batch(folder / "job.arb")


def test_texts_of_windows(folder: Path) -> None:
    (folder / "meta.rda").write_bytes(RDA.replace("Size", "Größe").encode("cp1252"))
    (folder / "region.hrc").write_bytes("Süd\r\n@ 1\r\n@ 2\r\nNord\r\n@ 3\r\n".encode("cp1252"))
    (folder / "job.arb").write_bytes(
        '<OPENMICRODATA> "data.asc"\r\n<OPENMETADATA> "meta.rda"\r\n<SPECIFYTABLE> "Größe""Region"|"Var"||\r\n'.encode(
            "cp1252"
        )
    )
    found = read_batch(folder / "job.arb")
    assert found.tables[0].dimensions == ("Größe", "Region")
    (folder / "data.asc").write_text(ASC.replace("999999", "   1.0"))
    (given,) = gather(found, Context.shared().engine)
    assert given.table.dimensions[1].codes[1] == "Süd"


def test_a_batch_without_a_table(folder: Path) -> None:
    """A layout of cells has one table; one of records has many, unless little can be meant."""
    batch = _batch(folder, "P(10,1)")
    batch.write_text("".join(line for line in batch.read_text().splitlines(keepends=True) if "SPECIFY" not in line))
    found = read_batch(batch)
    assert found.tables[0].dimensions == ("Size", "Region", "Nace") and found.tables[0].responses == ("Var",)
    assert (
        "there is no <SPECIFYTABLE>; the table is 'Var' by Size, Region, Nace, as the record layout has them"
        in found.notes
    )
    (folder / "meta.rda").write_text(f"{RDA}More 30 2\n <NUMERIC>\n")
    with pytest.raises(InputError) as told:
        read_batch(batch)
    assert 'write for example <SPECIFYTABLE> "Size""Region"|"Var"||' in str(told.value)
    assert "Var, More to sum" in str(told.value)
    (folder / "cells.rda").write_text(
        '<SEPARATOR> ","\nregion\n <RECODEABLE>\nturnover\n <NUMERIC>\nlpl\n <NUMERIC> <LOWERPL>\nn\n <FREQUENCY>\n'
    )
    (folder / "cells.tab").write_text("Total,10,0,5\nA,4,1,1\nB,6,0,4\n")
    batch.write_text('<OPENTABLEDATA> "cells.tab"\n<OPENMETADATA> "cells.rda"\n<READTABLE>\n')
    of_cells = read_batch(batch)
    assert of_cells.tables[0].dimensions == ("region",) and of_cells.tables[0].responses == ("turnover",)
    assert of_cells.data.value == "turnover" and of_cells.data.count == "n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no cell"),
        ("Total;Total;9;V\nTotal;s;9;V\nA;Total;9", "line 3 has 3 fields, and the first has 4"),
        (";;9;V\n;s;9;V\nA;;9;V\nA;s;9;V\n", r"no code of 'region' on lines 1, 2; a total needs its code too"),
        ("Total Total 9 V\n", "lines have 1 fields, where 2 codes, a value and a status are expected"),
    ],
)
def test_tables_of_other_tools_that_were_cut_off(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "OUT.SBS").write_text(text)
    with pytest.raises(InputError, match=said):
        headless_table(tmp_path / "OUT.SBS", ["region", "size"], CellColumns(), "sbs")
