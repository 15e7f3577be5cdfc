"""Reasoning from Python: data of every kind in, facts and files out."""

from __future__ import annotations

import datetime
import math
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita as tc
from tacita.errors import InputError, OutputError, ReasoningError, RuleError, UsageError
from tacita.knowledge.programs import ProgramText
from tacita.reasoning.inputs import looks_like_data
from tacita.rules.reasoner import InputTable, Null, Record

CONTROL = """\
@input("Own", ["owner", "company", "share"]).
@output("Control", ["controller", "controlled"]).
[1] Own(X, Y, W), W > 0.5 -> Control(X, Y).
[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""
ROWS = [("a", "b", 0.6), ("b", "c", 0.7)]
FACTS = [("a", "b"), ("a", "c"), ("b", "c")]
COLUMNS = {"owner": ["a", "b"], "company": ["b", "c"], "share": [0.6, 0.7]}


# -- data of every kind ------------------------------------------------------------------------------------------------


def _written(folder: Path, name: str) -> Path:
    path = folder / name
    tc.read(pa.table(COLUMNS)).write(path)
    return path


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.csv.gz", "o.parquet", "o.arrow", "o.xlsx", "o.dta", "o.sav"])
def test_files_of_every_format(tmp_path: Path, name: str) -> None:
    with tc.reason(CONTROL, {"Own": _written(tmp_path, name)}) as found:
        assert found["Control"] == FACTS
        assert found.notes == ()


OBJECTS = {
    "tuples": lambda: ROWS,
    "an iterator": lambda: iter(ROWS),
    "mappings": lambda: [dict(zip(COLUMNS, row, strict=True)) for row in ROWS],
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas in another order": lambda: pd.DataFrame(COLUMNS)[["share", "company", "owner"]],
    "polars": lambda: pl.DataFrame(COLUMNS),
    "lazy polars": lambda: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "a data set": lambda: tc.read(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_of_every_kind(kind: str) -> None:
    with tc.reason(CONTROL, {"Own": OBJECTS[kind]()}) as found:
        assert found["Control"] == FACTS


def test_a_database(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "s.db") as connection:
        connection.execute("create table own (owner text, company text, share real, note text)")
        connection.executemany("insert into own values (?, ?, ?, 'x')", ROWS)
    connection.close()
    assert tc.reason(CONTROL, {"Own": f"sqlite:{tmp_path}/s.db#own"})["Control"] == FACTS
    (tmp_path / "p.vada").write_text(CONTROL + '@bind("Own", "sqlite:s.db", "own").\n')
    assert tc.reason(tmp_path / "p.vada")["Control"] == FACTS
    (tmp_path / "q.vada").write_text(CONTROL + '@bind("Own", "sqlite:s.db", query = "select * from own").\n')
    assert tc.reason(tmp_path / "q.vada")["Control"] == FACTS


def test_a_relation_that_is_in_the_engine_already() -> None:
    from tacita.engines.duckdb import DuckDBEngine

    with DuckDBEngine() as engine:
        own = tc.read(pa.table(COLUMNS), engine=engine)
        found = tc.reason(CONTROL, {"Own": InputTable(own.relation, ("owner", "company", "share"))}, engine=engine)
        assert found["Control"] == FACTS
        found.close()
        assert own.rows == 2, "an engine of the caller's is not closed"


def test_null_and_nan_are_fresh_unknowns() -> None:
    frame = pd.DataFrame({"a": ["x", None, None], "b": [1.0, math.nan, 2.0]})
    with tc.reason("P(A, B) -> Q(A). P(A, B), B is null -> R(A).", {"P": frame}) as found:
        names = [value for (value,) in found["Q"]]
        assert names[-1] == "x" or "x" in names
        assert len({value for value in names if isinstance(value, Null)}) == 2
        assert found.count("R") == 1
        assert found.to_arrow("Q").column("argument1").null_count == 2


# -- headers and columns -----------------------------------------------------------------------------------------------


def test_a_first_line_of_data_is_not_swallowed(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("a,b,0.6\nb,c,0.7\n")
    with tc.reason(CONTROL, {"Own": tmp_path / "own.csv"}) as found:
        assert found["Control"] == FACTS
        assert "the first line is data" in found.notes[0]


def test_a_header_may_be_told(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("x,y\nz,w\n")
    program = "P(A, B) -> Q(A, B)."
    assert tc.reason(program, {"P": f"{tmp_path}/p.csv"})["Q"] == [("z", "w")]
    assert tc.reason(program, {"P": f"{tmp_path}/p.csv:no-header"})["Q"] == [("x", "y"), ("z", "w")]
    assert tc.reason(program, {"P": tmp_path / "p.csv"}, no_header=True)["Q"] == [("x", "y"), ("z", "w")]
    (tmp_path / "p.csv").write_text("x,y\ny,x\n")
    assert tc.reason(program, {"P": f"{tmp_path}/p.csv"})["Q"] == [("x", "y"), ("y", "x")]
    assert tc.reason(program, {"P": f"{tmp_path}/p.csv:header"})["Q"] == [("y", "x")]


@pytest.mark.parametrize(
    ("first", "rest", "data"),
    [
        (["1", "0", "0.7"], [["2", "0", "0.41"]], True),
        (["owner", "share"], [["a", "0.4"], ["b", ""]], False),
        (["a", "b"], [["b", "c"]], True),
        (["a", "a"], [["b", "c"]], True),
        (["a", ""], [["b", "c"]], True),
        (["2024-01-31", "x"], [["2024-02-01", "y"]], True),
        (["year", "2020", "2021"], [["Bari", "1", "2"]], True),
        (["from", "to"], [["x", "y"], ["y", "z"]], False),
    ],
)
def test_what_looks_like_data(first: list[str], rest: list[list[str]], data: bool) -> None:
    assert looks_like_data(first, rest) is data


def test_columns_are_taken_by_name_else_in_order(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("note,Share,OWNER,company\nx,0.6,a,b\n")
    assert tc.reason(CONTROL, {"Own": tmp_path / "o.csv"})["Control"] == [("a", "b")]
    (tmp_path / "o.csv").write_text("from,to,part\na,b,0.6\n")
    found = tc.reason(CONTROL, {"Own": tmp_path / "o.csv"})
    assert found["Control"] == [("a", "b")]
    assert found.notes[0].endswith("from = owner, to = company, part = share")
    (tmp_path / "o.csv").write_text("company,owner,part\nb,a,0.6\n")
    with pytest.raises(InputError, match="do not fit its arguments") as raised:
        tc.reason(CONTROL, {"Own": tmp_path / "o.csv"})
    assert "columns: company, owner, part" in str(raised.value)
    assert "arguments: owner, company, share" in str(raised.value)
    (tmp_path / "o.csv").write_text("a,b\nx,y\n")
    with pytest.raises(InputError, match="has 2 columns, the rules give it 3 arguments"):
        tc.reason(CONTROL, {"Own": tmp_path / "o.csv"})


def test_declared_types_are_kept(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("id,day\n007,2024-01-31\n")
    program = '@input("P", ["id:text", "day:date"]). P(X, D), year(D) = 2024 -> Q(X).'
    assert tc.reason(program, {"P": tmp_path / "p.csv"})["Q"] == [("007",)]
    with pytest.raises(InputError, match="was to be read as integer"):
        tc.reason('@input("P", ["id", "day:integer"]). P(X, D) -> Q(X).', {"P": tmp_path / "p.csv"})


def test_rows_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="3 arguments"):
        tc.reason(CONTROL, {"Own": [("a", "b")]})
    with pytest.raises(InputError, match="tuple 1 has no share; did you mean 'shares'"):
        tc.reason(CONTROL, {"Own": [{"owner": "a", "company": "b", "shares": 1}]})
    with pytest.raises(InputError, match="tuple 2 is a str"):
        tc.reason(CONTROL, {"Own": [("a", "b", 0.5), "abc"]})
    with pytest.raises(UsageError, match="the input of Own is a int"):
        tc.reason(CONTROL, {"Own": 3})


def test_inputs_that_are_missing_or_too_many(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing is given for the input Own \(owner, company, share\)"):
        tc.reason(CONTROL)
    with pytest.raises(UsageError, match="no predicate 'Owns' for this input; did you mean 'Own'"):
        tc.reason(CONTROL, {"Own": ROWS, "Owns": ROWS})
    with pytest.raises(InputError, match=r"there is no such file; did you mean 'own\.csv'"):
        (tmp_path / "own.csv").write_text("x\n1\n")
        tc.reason(CONTROL, {"Own": tmp_path / "owm.csv"})
    assert tc.reason(CONTROL, {"Own": []})["Control"] == []


# -- programs and modules ----------------------------------------------------------------------------------------------


def test_parameters_that_the_program_does_not_have() -> None:
    rules = '@param("k", 1). A(2). A(X), X > $k, X < $most -> B(X).'
    assert tc.reason(rules, parameters={"k": 0, "most": 9})["B"] == [(2,)]
    with pytest.raises(UsageError, match=r"no parameter 'kk'; did you mean 'k'\?\n.*use one of: k, most"):
        tc.reason(rules, parameters={"kk": 5, "most": 9})
    with pytest.raises(UsageError, match=r"the program has no parameters"):
        tc.reason("A(1). A(X) -> B(X).", parameters={"k": 5})


def test_where_programs_come_from(tmp_path: Path) -> None:
    file = tmp_path / "p.vada"
    file.write_bytes(b"\xef\xbb\xbf" + CONTROL.encode())
    assert tc.reason(file, {"Own": ROWS})["Control"] == FACTS
    assert tc.reason(str(file), {"Own": ROWS})["Control"] == FACTS
    assert tc.reason("company_control", {"Own": ROWS})["Control"] == FACTS
    with pytest.raises(UsageError, match="no program 'company_contro' ships with Tacita; did you mean"):
        tc.reason("company_contro")
    with pytest.raises(InputError, match=r"there is no such file; did you mean 'p\.vada'"):
        tc.reason(str(tmp_path / "q.vada"))
    file.write_bytes(b"A(1).\nB(\xe9).\n")
    with pytest.raises(InputError, match="line 2 is not UTF-8 text"):
        tc.reason(file)


def test_modules_beside_the_program_come_first(tmp_path: Path) -> None:
    (tmp_path / "company_control.vada").write_text('Control("mine", "own").\n')
    (tmp_path / "p.vada").write_text('@use("company_control").\nControl(X, Y) -> Linked(X, Y).\n')
    assert tc.reason(tmp_path / "p.vada")["Linked"] == [("mine", "own")]
    with pytest.raises(RuleError, match="no module 'company_contro'; did you mean 'company_control'"):
        tc.reason('@use("company_contro"). A(1) -> B(1).')
    assert ProgramText("", folder=tmp_path).find("../p") is None, "a module is a name, not a path"


def test_bindings(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "own.csv").write_text("a;b;0,6\nb;c;0,7\n")
    (tmp_path / "p.vada").write_text(
        CONTROL
        + '@bind("Own", "csv", "in", "own.csv", header = false, delimiter = ";", decimal = ",").\n'
        + '@bind("Control", "out.parquet").\n'
    )
    found = tc.reason(tmp_path / "p.vada")
    assert found.written == {"Control": tmp_path / "out.parquet"}
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {
        "controller": ["a", "a", "b"],
        "controlled": ["b", "c", "c"],
    }
    with pytest.raises(OutputError, match="exists already"):
        tc.reason(tmp_path / "p.vada")
    assert tc.reason(tmp_path / "p.vada", {"Own": []}, force=True)["Control"] == []


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        ('@bind("Own", "csw", "in", "own.csv").', "knows no kind of source 'csw'; did you mean 'csv'"),
        ('@bind("Own", "own.csv", delimeter = ";").', "has no option 'delimeter'; did you mean 'delimiter'"),
        ('@bind("Own", "own.csv", header = "no").', "neither true nor false"),
        ('@bind("Control", "sqlite:x.db", "t").', "databases are not written to"),
        ('@bind("Own", "a.csv"). @bind("Own", "b.csv").', "Own is bound already"),
    ],
)
def test_wrong_bindings(binding: str, message: str) -> None:
    with pytest.raises((RuleError, UsageError), match=message):
        tc.reason(CONTROL + binding)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(tc.TacitaError) as raised:
        tc.reason(CONTROL + '@bind("Own", "postgresql://ann:hunter2@127.0.0.1:1/db", "own").')
    assert "hunter2" not in str(raised.value)


# -- the result --------------------------------------------------------------------------------------------------------


def test_conclusions() -> None:
    with tc.reason(CONTROL, {"Own": ROWS}) as found:
        assert found.outputs == ("Control",)
        assert list(found) == ["Control"]
        assert set(found.predicates) == {"Own", "Control"}
        assert found.names("Control") == ("controller", "controlled")
        assert (found.count("Control"), found.facts("Control", 1)) == (3, [("a", "b")])
        assert found.rounds > 1
        assert repr(found).startswith("<Conclusions Control: 3; ")
        assert found.dataset("Control").dictionary.names == ("controller", "controlled")
        with pytest.raises(UsageError, match="no predicate 'Contro' in the result; did you mean 'Control'"):
            found.facts("Contro")


def test_questions() -> None:
    with tc.reason(CONTROL + 'Age("a", 3).', {"Own": ROWS}) as found:
        assert found.ask('Control(X, "c")').rows == (("a",), ("b",))
        assert found.ask('?Control(X, "c"), not Own(X, "c", _).').rows == (("a",),)
        assert found.ask("Own(X, Y, W), W > 0.65").variables == ("X", "Y", "W")
        assert found.ask('Control("a", "c")')
        assert not found.ask('Control("c", "a")')
        assert found.ask("Control(X, Y)", 2).is_cut
        for question, message in {
            "Contro(X)": "there are no facts of 'Contro'; did you mean 'Control'",
            "Control(X)": "Control has 2 arguments, not 1",
            "Control(X, Y), Z > 1": "nothing gives Z a value",
            "Control(X, Y), mcount() > 1": "mcount cannot stand in a question",
            "Control(X, $k)": "has no value here",
            "Control(X, ": "fault",
            "": "the question is empty",
            "A(1). B(2)": "this is no question",
            "Control(X, Y), X + 1 > 2": "text",
            'Age(X, Y), Y > "x\'; drop table t"': "compared",
        }.items():
            with pytest.raises(tc.TacitaError, match=message):
                found.ask(question)


def test_sets_and_records_are_json_in_files_and_nulls_are_empty(tmp_path: Path) -> None:
    program = """
        @output("R", ["who", "what"]). @output("S"). @output("N", ["id", "new"]). @output("Yes").
        A("x", "k", 1). A("x", "l", 2). A("y", "k", 3).
        A(I, K, V), Q = munion((K, V)) -> R(I, Q).
        A(I, K, V), Q = munion(V) -> S(I, Q).
        A(I, K, V) -> exists Z: N(I, Z).
        A(I, K, V) -> Yes().
    """
    names = {p: f"{p}.csv" for p in ("R", "S", "N", "Yes")}
    with tc.reason(program, outputs={p: tmp_path / name for p, name in names.items()}) as found:
        assert found["R"][0] == ("x", Record((("k", 1), ("l", 2))))
        assert (tmp_path / "R.csv").read_text() == 'who,what\nx,"{""k"": 1, ""l"": 2}"\ny,"{""k"": 3}"\n'
        assert (tmp_path / "S.csv").read_text() == 'argument1,argument2\nx,"[1, 2]"\ny,[3]\n'
        assert (tmp_path / "N.csv").read_text() == "id,new\nx,\ny,\n"
        assert (tmp_path / "Yes.csv").read_text() == "holds\ntrue\n"
        assert found["Yes"] == [()]


def test_values_of_all_types_go_through_files(tmp_path: Path) -> None:
    day, moment = datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12, 30)
    rows = [(True, 1, 1.5, "q\"u;o\nte'--", day, moment)]
    program = "P(A, B, C, D, E, F) -> Q(A, B, C, D, E, F)."
    found = tc.reason(program, {"P": rows}, outputs={"Q": tmp_path / "q.parquet"})
    assert found["Q"] == rows
    assert tc.reason(program, {"P": tmp_path / "q.parquet"})["Q"] == rows


def test_any_values_are_texts_in_files(tmp_path: Path) -> None:
    program = '@input("P", ["v:any"]). P(X) -> Q(X).'
    with tc.reason(program, {"P": [(1,), ("x",), (None,)]}, outputs={"Q": tmp_path / "q.csv"}) as found:
        assert found.count("Q") == 3
    assert sorted((tmp_path / "q.csv").read_text().split("\n")[1:]) == ["", '""', "1", "x"] or sorted(
        (tmp_path / "q.csv").read_text().split("\n")[1:]
    ) == ["", "", "1", "x"]


# -- files: all or none ------------------------------------------------------------------------------------------------


def test_all_outputs_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tacita.files import parquet

    def fails(*_: object, **__: object) -> tuple[str, ...]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet, "write", fails)
    with pytest.raises(OutputError, match="the disk is full"):
        tc.reason(CONTROL, {"Own": ROWS}, outputs={"Control": tmp_path / "a.csv", "Own": tmp_path / "b.parquet"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("outputs", "error", "message"),
    [
        ({"Control": "a.csv", "Own": "no/b.csv"}, OutputError, "the folder does not exist"),
        ({"Control": "a.csv", "Own": "a.csv"}, UsageError, "two outputs have the same name"),
        ({"Control": "a.csv", "Own": "b.doc"}, UsageError, "no format is known"),
        ({"Control": "a.csv", "Own": "b.sas7bdat"}, UsageError, "can be read, not written"),
        ({"Control": "a.csv", "Ow": "b.csv"}, UsageError, "no predicate 'Ow' for this output"),
        ({"Control": "postgresql://host/db"}, OutputError, "databases are not written to"),
    ],
)
def test_outputs_are_checked_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outputs: dict[str, str], error: type[Exception], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        tc.reason(CONTROL, {"Own": iter(())}, outputs=outputs)
    assert list(tmp_path.iterdir()) == []


# -- bad programs and endless ones -------------------------------------------------------------------------------------


def test_endless_recursion_is_stopped_and_the_rule_named() -> None:
    with pytest.raises(ReasoningError, match=r"no end after 30 rounds.*rule \[grow\]"):
        tc.reason("P(0). [grow] P(X) -> P(X + 1).", max_rounds=30)
    with pytest.raises(UsageError, match="max_rounds is 0"):
        tc.reason("P(0).", max_rounds=0)


def test_names_that_are_sql_keywords_and_quotes_that_end_nothing() -> None:
    program = """
        Select("Robert'); DROP TABLE students;--", "a\\nb").
        Select(From, Where) -> 'group by "x"; --'(From, Where).
        'group by "x"; --'(Order, _) -> Table(Order).
    """
    with tc.reason(program) as found:
        assert found["Table"] == [("Robert'); DROP TABLE students;--",)]
        assert found["Select"] == [("Robert'); DROP TABLE students;--", "a\nb")]


def test_deep_nesting_is_a_fault_and_no_crash() -> None:
    deep = "(" * 5000 + "1" + ")" * 5000
    with pytest.raises(RuleError, match="nested more than 200 levels deep"):
        tc.reason(f"P(X), X = {deep} -> Q(X).")
    with pytest.raises(RuleError, match="nested more than 200 levels deep"):
        tc.reason("P(X), " + "not (" * 3000 + "Q(X)" + ")" * 3000 + " -> R(X).")


def test_microdata_with_its_dictionary() -> None:
    firms = tc.sample("figure-1").with_roles(quasi=["Area", "Sector"])
    program = """
        Cat(M, A, "Quasi-identifier") -> Key(A).
        Val(M, I, A, V), Key(A), N = mcount(<I>) -> Shared(A, V, N).
    """
    with tc.reason(program, data=firms) as found:
        assert found["Key"] == [("Area",), ("Sector",)]
        assert sum(number for attribute, _, number in found["Shared"] if attribute == "Area") == firms.rows


def test_functions_and_parameters() -> None:
    found = tc.reason(
        '@param("k", 1). P(1). P(2). P(X), #double(X, Y), Y > $k -> Q(Y).',
        functions={"double": lambda x: 2 * x},
        parameters={"k": 3},
    )
    assert found["Q"] == [(4,)]


def test_an_unknown_engine() -> None:
    with pytest.raises(UsageError, match="no engine 'duckbd'; did you mean 'duckdb'"):
        tc.reason("A(1).", engine="duckbd")  # type: ignore[arg-type]
