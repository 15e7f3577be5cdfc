"""Carrying out recipes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

import tacita as tc
from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches
from tacita.masking.method import Treated
from tacita.model.records import Numbers, Records
from tacita.recipes.carry_out import carry_out
from tacita.recipes.recipe import Recipe, RecipeStep


@dataclass(frozen=True, slots=True)
class Jitter:
    """A method of somebody's own."""

    attributes: tuple[str, ...]
    size: float = 1.0
    name: ClassVar[str] = "jitter"
    promises: ClassVar[str] = "Every number moves."
    limits: ClassVar[str] = "Not far."
    is_random: ClassVar[bool] = True

    def treated(self, records, random, progress=None):
        changed = {
            name: records.numbers(name).with_values(
                records.numbers(name).values + random.uniform(0, self.size, len(records))
            )
            for name in self.attributes
        }
        return Treated.in_place(records.with_columns(changed), figures={"size": self.size}, notes=("it was jittered",))


@dataclass(frozen=True, slots=True)
class Half:
    """A method that keeps half of the records and moves an attribute into a table of its own."""

    moved: str = ""
    attributes: tuple[str, ...] = ()
    name: ClassVar[str] = "half"
    promises: ClassVar[str] = "Half is gone."
    limits: ClassVar[str] = "The other half is there."
    is_random: ClassVar[bool] = True

    def treated(self, records, random, progress=None):
        rows = np.sort(random.permutation(len(records))[: len(records) // 2])
        kept = records.taken(rows)
        beside = {"moved": kept.only([self.moved])} if self.moved else {}
        names = [name for name in kept.names if name != self.moved]
        return Treated(kept.only(names), rows, beside=beside)


@pytest.fixture(autouse=True)
def entered() -> Iterator[None]:
    for method in (Jitter, Half):
        METHODS.enter(method)
    yield
    for method in (Jitter, Half):
        METHODS.withdraw(method.name)


FIRMS = pa.table(
    {
        "name": ["a", "b", "c", "d", "e", "f"],
        "sector": ["x", "x", "x", "y", "y", "y"],
        "staff": [1, 2, 3, 40, 50, None],
        "sales": [1.5, 2.5, 3.5, 4.5, None, 6.5],
    }
)


@pytest.fixture
def firms():
    return tc.read(FIRMS, name="firms").with_roles(quasi=["sector"], identifier=["name"]).microdata


def _rows(microdata):
    return [row for batch in microdata.relation.batches() for row in batch.to_pylist()]


def recipe(*steps, seed=1):
    return Recipe(tuple(steps), seed=seed)


JITTER = RecipeStep("jitter", {"attributes": ["sales"]})


def test_the_methods_keep_to_the_contract():
    records = Records({"sales": Numbers.of([1.0, None, 3.0]), "staff": Numbers.of([1, 2, 3])})
    assert breaches(Jitter(("sales",)), records) == []
    assert breaches(Half(), records) == []


@pytest.mark.slow
def test_steps_follow_each_other(firms):
    found = carry_out(firms, recipe(JITTER, RecipeStep("intervals", {"attributes": ["staff"], "width": 10})))
    rows = _rows(found.released)
    assert found.changed == ("sales", "staff")
    assert [row["sector"] for row in rows] == FIRMS["sector"].to_pylist()
    assert rows[4]["sales"] is None
    assert rows[0]["staff"] == "<10"
    assert all(0 <= row["sales"] - old <= 1 for row, old in zip(rows, FIRMS["sales"].to_pylist(), strict=True) if old)
    assert found.steps[0].figures["size"] == 1.0
    assert found.notes == ("it was jittered",)


def test_the_same_seed_gives_the_same_and_another_another(firms):
    one, two, other = (_rows(carry_out(firms, recipe(JITTER, seed=seed)).released) for seed in (5, 5, 6))
    assert one == two
    assert one != other


def test_a_step_keeps_its_draws_when_another_changes(firms):
    wide = RecipeStep("jitter", {"attributes": ["staff"], "size": 9.0})
    narrow = RecipeStep("jitter", {"attributes": ["staff"]})
    one, two = (carry_out(firms, recipe(first, JITTER)) for first in (wide, narrow))
    assert [row["sales"] for row in _rows(one.released)] == [row["sales"] for row in _rows(two.released)]


def test_without_a_seed_one_is_drawn_and_kept(firms):
    found = carry_out(firms, recipe(JITTER, seed=None))
    assert found.recipe.seed is not None
    assert _rows(carry_out(firms, found.recipe).released) == _rows(found.released)


def test_a_sample_of_a_sample_knows_where_it_comes_from(firms):
    found = carry_out(firms, recipe(RecipeStep("half"), JITTER, RecipeStep("half", {"moved": "staff"})))
    assert found.origin is not None
    assert len(found.origin) == 1
    rows = _rows(found.released)
    assert [row["name"] for row in rows] == [FIRMS["name"][int(i)].as_py() for i in found.origin]
    assert found.dropped == ("staff",)
    assert found.beside["moved"].names == ("staff",)
    assert "staff" not in found.released.dictionary.names


def test_strata_are_treated_apart(firms):
    found = carry_out(firms, recipe(RecipeStep("half", within=("sector",))))
    assert sorted(row["sector"] for row in _rows(found.released)) == ["x", "y"]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (RecipeStep("jitter", {"attributes": ["salse"]}), "did you mean 'sales'"),
        (RecipeStep("jitter", {"attributes": ["name"]}), "names respondents"),
        (RecipeStep("jitter", {"attributes": ["sector"]}), "'sector' is not a number"),
        (RecipeStep("jitter", {"attributes": ["sales"]}, ("sales",)), "makes the strata"),
        (RecipeStep("k-anonymity", {"k": 2}, ("sector",)), "does not work within strata"),
        (RecipeStep("k-anonymity", {"k": 7}), "7 records should look alike"),
        (RecipeStep("half", {"moved": "staff"}, ("sector",)), "further tables"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_step(firms, step, said):
    with pytest.raises(tc.TacitaError, match=said) as raised:
        carry_out(firms, recipe(step))
    assert raised.value.where
    assert not any(name in str(raised.value) for name in ("'a'", "'b'"))


def test_records_between_steps_are_forgotten(firms):
    engine = firms.relation.engine
    kept = engine.new_table()
    step = JITTER
    found = carry_out(firms, Recipe((step, step, step), seed=1))
    tables = exp.select("table_name").from_("duckdb_tables()")
    later = [row["table_name"] for row in engine.run(tables) if int(row["table_name"][1:]) > int(kept[1:])]
    assert later == [found.released.relation.table]
    assert firms.relation.count() == found.released.relation.count()


def test_a_promise_that_a_later_step_may_have_undone_is_told(firms):
    half = RecipeStep("half")
    kept = carry_out(firms, recipe(JITTER, RecipeStep("jitter", {"attributes": ["staff"]}))).steps
    assert [step.is_overtaken for step in kept] == [False, False]
    again = carry_out(firms, recipe(JITTER, JITTER)).steps
    assert [step.is_overtaken for step in again] == [True, False]
    fewer = carry_out(firms, recipe(JITTER, half)).steps
    assert [step.is_overtaken for step in fewer] == [True, False]
    assert any("later step" in note for note in fewer[0].notes)
