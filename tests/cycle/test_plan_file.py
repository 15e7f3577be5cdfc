"""The file of a plan: print and parse is the identity, all faults come at once, and options and file say the same."""

from __future__ import annotations

import hashlib
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.cli.main import run
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.cycle.plan_file import parse_plan, plan_text
from tacita.cycle.suppression.routing import AttributeRoute, TupleOrder
from tacita.errors import InputError, UsageError
from tacita.model.dictionary import MissingAs
from tacita.options import filed, options_of
from tacita.release.options import ReleaseOptions, WeightBlur
from tacita.risk.catalogue import MEASURES
from tacita.risk.null_semantics import Distribution, Nulls, Semantics

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLES = 60

_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    str.strip
)
_LISTS = st.lists(_NAMES, max_size=3, unique=True).map(tuple)
_NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
_SHARES = st.floats(0, 1)
_PATHS = st.sampled_from(["register.csv", "more/register.parquet", "postgresql://host/register"])


def _mapping(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(_NAMES, values, max_size=3)


_MEASURES = st.one_of(
    st.builds(lambda k: MEASURES.make("k-anonymity", {"k": k}), st.integers(2, 50)),
    st.builds(
        lambda lowest, name: MEASURES.make("l-diversity", {"l": lowest, "sensitive": name}), st.integers(2, 5), _NAMES
    ),
    st.builds(lambda t: MEASURES.make("t-closeness", {"t": t, "distance": "ordered"}), st.floats(0.01, 0.9)),
    st.builds(lambda n: MEASURES.make("keys", {"most_records": n}), st.integers(1, 4)),
    st.just(MEASURES.make("individual-risk", {"estimate": "ratio", "threshold": 0.25})),
)
_NULLS = st.one_of(
    st.builds(Nulls, st.sampled_from(MissingAs), st.just(Semantics.MAYBE_MATCH)),
    st.builds(Nulls, st.sampled_from(MissingAs), st.just(Semantics.ALPHA), _SHARES),
    st.builds(
        Nulls, st.sampled_from(MissingAs), st.just(Semantics.EXPECTED), st.just(1.0), st.sampled_from(Distribution)
    ),
    st.just(Nulls(semantics=Semantics.STANDARD)),
)
_NOISE = st.builds(WeightBlur, st.floats(0.5, 99), st.lists(_LISTS, min_size=1, max_size=3).map(tuple))
_RELEASES = st.builds(
    ReleaseOptions,
    shuffle=st.booleans(),
    seed=st.none() | st.integers(0, 2**62),
    keep_clusters=st.booleans(),
    weights=st.none() | _NOISE,
    unchecked=st.booleans(),
    escape_formulas=st.booleans(),
    drop=_LISTS,
    allow_derivable=st.booleans(),
)
_PLANS = st.builds(
    Plan,
    measure=_MEASURES | st.lists(_MEASURES, min_size=1, max_size=3),
    known=st.none() | _LISTS,
    nulls=st.none() | _NULLS,
    missing_as=st.none() | st.sampled_from(MissingAs),
    missing_label=st.none() | _NAMES,
    population=st.none() | _PATHS,
    whole_clusters=st.booleans(),
    method=st.sampled_from(ChangeMethod),
    recode=_mapping(st.integers(0, 5)),
    top=_mapping(_NUMBERS),
    bottom=_mapping(_NUMBERS),
    intervals=_mapping(_NUMBERS),
    suppression_limit=_SHARES,
    importance=_mapping(st.floats(0.125, 100, width=32)),
    keep=_LISTS,
    keep_cells=st.lists(st.tuples(st.integers(1, 99), _NAMES), max_size=3).map(tuple),
    household=_LISTS,
    linked=_mapping(_LISTS),
    optimal=st.booleans(),
    tuples=st.sampled_from(TupleOrder),
    attributes=st.sampled_from(AttributeRoute) | _LISTS,
    rounds=st.booleans(),
    take_back=st.booleans(),
    sensitive=_LISTS,
    identifiers=_LISTS,
    weight=st.none() | _NAMES,
    cluster=st.none() | _NAMES,
    release=st.none() | _RELEASES,
)


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None)
@given(_PLANS)
def test_print_and_parse_is_the_identity(plan: Plan) -> None:
    assert parse_plan(Plan, plan_text(plan, with_seed=True)) == plan


def test_a_program_is_written_and_read() -> None:
    plan = Plan(program="cycle", parameters={"k": 3, "sets": ["a", "b"]}, inputs={"Own": "own.csv"})
    assert parse_plan(Plan, plan_text(plan)) == plan
    related = Plan(related={"group": "company_groups"}, inputs={"Own": "own.csv"})
    assert parse_plan(Plan, plan_text(related)) == related


def test_secrets_are_not_written(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(hashlib.sha256(b"a key of a test").digest())
    plan = Plan(release=ReleaseOptions(seed=4711471147114711, pseudonymise=("id",), key_file=key))
    plan.write(tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert "4711471147114711" not in text
    assert "4711471147114711" not in repr(plan)
    assert str(key.read_bytes()) not in text + repr(plan)
    read = Plan.read(tmp_path / "plan.toml").release
    assert read is not None
    assert read.key == key.read_bytes()
    with pytest.raises(UsageError, match="holds a password") as refused:
        plan_text(Plan(population="postgresql://me:hush@host/register"))
    assert "hush" not in str(refused.value)


def test_paths_begin_at_the_folder_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plans").mkdir()
    plan = Plan(population="data/register.csv", related={"group": "mine.vada"}, inputs={"Own": "own.csv"})
    plan.write("plans/plan.toml")
    text = Path("plans/plan.toml").read_text(encoding="utf-8")
    assert '"../data/register.csv"' in text
    assert '"../mine.vada"' in text
    read = Plan.read("plans/plan.toml")
    assert Path(str(read.population)).resolve() == tmp_path / "data/register.csv"
    assert Path(read.inputs["Own"]).resolve() == tmp_path / "own.csv"


def test_all_faults_come_at_once_with_their_lines() -> None:
    text = """\
kep = ["Area"]
nulls = "strct"
optimal = 1
[[measure]]
name = "k-anonymty"
[[measure]]
name = "l-diversity"
ll = 2
[importance]
Area = "much"
[release]
shufle = false
weight_noise = { percent = 0 }
"""
    with pytest.raises(InputError) as refused:
        parse_plan(Plan, text, where="plan.toml")
    message = str(refused.value)
    assert re.findall(r"- line (\d+):", message) == ["1", "2", "3", "4", "6", "10", "12", "13"]
    for near in ("'keep'", "'strict'", "'k-anonymity'", "'l'", "'shuffle'"):
        assert f"did you mean {near}" in message


# -- options and file --------------------------------------------------------------------------------------------------

OPTIONS = [
    *("--quasi", "town,sex,job", "--weight", "w", "--sensitive", "income", "--identifier", "person"),
    *("--measure", "k-anonymity:k=4", "--measure", "l-diversity:l=2,sensitive=income", "--nulls", "strict"),
    *("--importance", "town=3", "--drop", "code", "--weight-noise", "10", "--weight-totals", "town", "--no-take-back"),
]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"P{i},{'RM'[i % 2]},{'fm'[i % 3 == 0]},{'abc'[i % 4 // 2 + (i == 7)]},{i % 5},{i:03},{10 + i % 4}"
        for i in range(60)
    ]
    Path("people.csv").write_text("person,town,sex,job,income,code,w\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return Path("people.csv")


def _files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.name == "data.csv"}


@pytest.mark.slow
def test_the_same_plan_file_and_seed_give_the_same_bytes_as_the_same_options(people: Path) -> None:
    seed = ("--seed", "918273645546372819")
    assert run(["anonymize", str(people), *OPTIONS, *seed, "--out", "one", "--write-plan", "plan.toml"]) == 0
    assert run(["anonymize", str(people), "--plan", "plan.toml", *seed, "--out", "two"]) == 0
    assert _files(Path("one")) == _files(Path("two")) != {}
    dictionaries = [(Path(name) / "data.dictionary.toml").read_bytes() for name in ("one", "two")]
    assert dictionaries[0] == dictionaries[1]
    assert "918273645546372819" not in Path("plan.toml").read_text(encoding="utf-8")


def test_an_option_beside_a_plan_replaces_its_entry(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.toml").write_text('known = ["town", "sex"]\nkeep = ["town"]\nmethod = "suppression"\n', encoding="utf-8")
    code = run(
        ["anonymize", str(people), "--plan", "plan.toml", "--keep", "sex", "-k", "2", "--write-plan", "new.toml"]
    )
    assert code == 0, capsys.readouterr().err
    new = Plan.read("new.toml")
    assert (new.keep, new.known, getattr(new.measure, "k", 0)) == (("sex",), ("town", "sex"), 2)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [(["--threshold", "0.1"], (5, 0.1)), (["-k", "4"], (4, 0.2)), (["--param", "k=4"], (4, 0.2))],
)
def test_what_is_not_typed_of_a_measure_stays_as_in_the_plan(
    people: Path, typed: list[str], expected: tuple[int, float]
) -> None:
    measure = '[[measure]]\nname = "k-anonymity"\nk = 5\nthreshold = 0.2\n'
    Path("plan.toml").write_text(f'known = ["town", "sex"]\n{measure}', encoding="utf-8")
    assert run(["anonymize", str(people), "--plan", "plan.toml", *typed, "--write-plan", "new.toml"]) == 0
    new = Plan.read("new.toml").measure
    assert (getattr(new, "k", 0), new.threshold) == expected


def test_what_a_missing_value_counts_as_stays_beside_another_meaning_of_nulls(people: Path) -> None:
    nulls = '[nulls]\nmeaning = "strict"\nmissing_as = "category"\n'
    Path("plan.toml").write_text(f'known = ["town", "sex"]\n{nulls}', encoding="utf-8")
    assert run(["anonymize", str(people), "--plan", "plan.toml", "--nulls", "maybe", "--write-plan", "new.toml"]) == 0
    assert Plan.read("new.toml").missing_as == "category"


def test_a_parameter_beside_other_measures_is_refused(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("plan.toml").write_text('[[measure]]\nname = "l-diversity"\n', encoding="utf-8")
    assert run(["anonymize", str(people), "--plan", "plan.toml", "-k", "5"]) == 2
    assert "beside a plan that names its measures" in capsys.readouterr().err


@pytest.mark.slow
def test_a_limit_on_the_nulls_of_an_attribute_stops_a_release(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["anonymize", str(people), "--quasi", "town,sex,job", "-k", "3", "--drop", "code,w", "--out"]
    assert run([*arguments, "one", "--most-nulls", "0.5"]) == 0
    capsys.readouterr()
    assert run([*arguments, "two", "--most-nulls", "0.001"]) == 1
    assert "Not released: " in (out := capsys.readouterr().out)
    assert "at most 0.1 % of an attribute may be" in " ".join(out.split())
    assert not Path("two").exists()


# -- documentation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [Plan, ReleaseOptions])
def test_every_key_is_documented_and_no_other(cls: type[Any]) -> None:
    page = (DOCS / "reference/plan.md").read_text(encoding="utf-8")
    tables = page.split("Keys of `[release]`:")
    documented = re.findall(r"^\| (`[^|]*) \|", tables[0 if cls is Plan else 1], re.MULTILINE)
    keys = {name for cell in documented for name in re.findall(r"`(\w+)`", cell)}
    assert keys <= set(filed(cls))
    commands = (
        (DOCS / "reference/cli.md").read_text(encoding="utf-8").split("## `tacita anonymize`")[1].split("\n## ")[0]
    )
    undocumented = set(filed(cls)) - keys
    assert not {key for key in undocumented if f"| `--{key.replace('_', '-')}" not in commands}


def test_every_field_of_a_plan_can_be_filed_or_is_a_relation() -> None:
    without = {one.name for one in fields(Plan)} - set(options_of(Plan))
    assert without == {"links"}
    assert all(one.key is not None for one in options_of(Plan).values())
    assert replace(Plan(), keep=("a",)) != Plan()
