"""Releases of masked microdata: what the files tell beside the values that were masked."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import tacita as tc
from tacita.errors import UsageError
from tacita.files.contract import WriteOptions
from tacita.files.write import write
from tacita.release.options import MaskedOptions

pytestmark = pytest.mark.slow

# Age and wage of the invented people are cycles of one number: each tells of the other.
UNGATED = MaskedOptions(ungated=True, allow_derivable=True)

DICTIONARY = """format = 1
[microdata]
name = "people"
[attributes.person]
category = "identifier"
[attributes.home]
category = "cluster-key"
[attributes.job]
category = "quasi-identifier"
labels = { cook = "Cook", miner = "Miner", pilot = "Pilot" }
[attributes.age]
category = "quasi-identifier"
kind = "continuous"
missing = ["98..99"]
labels = { "98" = "refused", "99" = "untold" }
[attributes.wage]
category = "sensitive"
[attributes.born]
category = "non-identifying"
"""


def people(folder, ages=("98", "99")):
    lines = ["person;home;job;age;wage;born"]
    for i in range(60):
        job = "pilot" if i == 41 else ("cook", "miner")[i % 2]
        age = ages[i % 2] if i % 10 == 0 else 20 + i
        lines.append(f"P{i:03};{i // 2};{job};{age};{1000 + 7 * i},50;{1950 + i % 30}-0{1 + i % 9}-11")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "people.dictionary.toml").write_text(DICTIONARY)
    return tc.read(folder / "people.csv")


def released(data, folder, *steps, seed=5):
    found = tc.mask(data, {"seed": seed, "step": list(steps)})
    return tc.release_to(folder / "out", found, UNGATED)


def test_numbers_are_written_as_the_source_writes_them(tmp_path):
    released(people(tmp_path), tmp_path, {"method": "mdav", "attributes": ["wage"], "k": 7})
    rows = [line.split(";") for line in (tmp_path / "out" / "data.csv").read_text().splitlines()[1:]]
    assert not any("." in row[2] for row in rows)
    again = tc.read(tmp_path / "out" / "data.csv", decimal=",")
    assert again.microdata.column("wage").type.is_numeric


def test_codes_of_missing_values_stay_where_the_value_still_is_missing(tmp_path):
    released(people(tmp_path), tmp_path, {"method": "rank-swapping", "attributes": ["age"], "p": 20})
    rows = [line.split(";") for line in (tmp_path / "out" / "data.csv").read_text().splitlines()[1:]]
    assert [row[1] for row in rows].count("98") == 6
    told = (tmp_path / "out" / "data.dictionary.toml").read_text()
    assert "refused" in told
    assert "untold" not in told  # no released record has it


def test_a_code_that_became_a_value_means_missing_no_longer(tmp_path):
    step = {"method": "rounding", "attributes": ["age"], "base": 49}  # 79 becomes 98
    found = released(people(tmp_path), tmp_path, step)
    assert any("'age' became values" in note for note in found.notes)
    rows = [line.split(";") for line in (tmp_path / "out" / "data.csv").read_text().splitlines()[1:]]
    assert [row[1] for row in rows].count("") == 6
    assert "98..99" not in (tmp_path / "out" / "data.dictionary.toml").read_text()


def test_a_sample_does_not_tell_what_only_others_had(tmp_path):
    data = people(tmp_path)
    for seed in range(20):
        found = tc.mask(data, {"seed": seed, "step": [{"method": "sampling", "share": 0.2}]})
        if 41 not in found.masked.origin:
            break
    tc.release_to(tmp_path / "out", found, UNGATED)
    for file in (tmp_path / "out").iterdir():
        assert "pilot" not in file.read_text().lower()


def test_what_moves_to_another_table_keeps_its_type(tmp_path):
    released(people(tmp_path), tmp_path, {"method": "anatomy", "sensitive": "born", "l": 2})
    lines = (tmp_path / "out" / "sensitive.csv").read_text().splitlines()
    assert all(line.split(",")[1][:2] == "19" and line.count("-") == 2 for line in lines[1:])


@pytest.mark.parametrize("name", ["home", "person"])
def test_who_belongs_together_is_told_by_no_table(tmp_path, name):
    with pytest.raises(UsageError, match="not released"):
        released(people(tmp_path), tmp_path, {"method": "anatomy", "sensitive": name, "l": 2})


def test_spss_keeps_labels_and_missing_codes(tmp_path):
    write(people(tmp_path).microdata, tmp_path / "people.sav", WriteOptions())
    data = tc.read(tmp_path / "people.sav")
    released(data, tmp_path, {"method": "rank-swapping", "attributes": ["age"], "p": 20})
    before, after = (tc.read(path).microdata for path in (tmp_path / "people.sav", tmp_path / "out" / "data.sav"))
    assert after.attribute("age").missing
    assert after.attribute("job").labels == before.attribute("job").labels
    assert after.column("age").as_written


@pytest.mark.parametrize(("seed", "is_told"), [(20260101, True), (2**60 + 7, False)])
def test_a_seed_that_can_be_guessed_is_told(tmp_path, seed, is_told):
    step = {"method": "rank-swapping", "attributes": ["age"], "p": 20}
    found = released(people(tmp_path), tmp_path, step, seed=seed)
    assert any("guessed" in note for note in found.notes) is is_told


def test_the_order_and_the_first_step_have_randomness_of_their_own(tmp_path):
    found = released(people(tmp_path), tmp_path, {"method": "mdav", "attributes": ["wage"], "k": 3}, seed=3)
    order = pq.read_table(found.internal / "order.parquet")["source"].to_numpy()
    first = np.random.SeedSequence(3).spawn(1)[0]
    for bits in (np.random.PCG64, np.random.PCG64DXSM):
        assert list(order) != list(np.random.Generator(bits(first)).permutation(60) + 1)


@pytest.mark.parametrize(
    ("step", "is_told"),
    [
        ({"method": "differential-privacy-noise", "bounds": {"wage": [0, 2000]}, "epsilon": 1.0}, False),
        ({"method": "uncorrelated-noise", "attributes": ["wage"]}, True),
    ],
)
def test_losses_are_not_told_outside_where_a_budget_of_privacy_is_spent(tmp_path, step, is_told):
    released(people(tmp_path), tmp_path, step)
    assert ("Information loss" in (tmp_path / "out" / "report.html").read_text()) is is_told
    assert "Information loss" in (tmp_path / "out.internal" / "report.html").read_text()


@pytest.mark.parametrize(
    "step",
    [
        {"method": "intervals", "attributes": ["wage"], "width": 100},
        {"method": "k-anonymity", "attributes": ["wage"], "k": 2},
        {"method": "k-anonymity", "attributes": ["wage", "job"], "k": 3, "by": "local-recoding"},
        {"method": "top-bottom-coding", "attributes": ["wage"], "top": 1200},
    ],
)
def test_a_value_that_was_changed_does_not_survive_in_its_spelling(tmp_path, step):
    found = tc.mask(people(tmp_path), {"seed": 5, "step": [step]})
    tc.release_to(tmp_path / "out", found, UNGATED)
    before = {line.split(";")[4] for line in (tmp_path / "people.csv").read_text().splitlines()[1:]}
    after = [line.split(";")[2] for line in (tmp_path / "out" / "data.csv").read_text().splitlines()[1:]]
    held = [row["wage"] for batch in found.masked.released.relation.batches() for row in batch.to_pylist()]
    assert sorted("" if value is None else str(value).replace(".", ",") for value in held) == sorted(
        value.removesuffix("0") if value in before else value for value in after
    )


def test_a_recipe_that_is_handed_out_tells_no_folder(tmp_path):
    from tacita.recipes.recipe import Judgement, Recipe, RecipeStep
    from tacita.release.kinds.masked.kind import _published

    step = RecipeStep("pram", {"attribute": "area", "file": "/house/secret/matrix.csv"})
    found = _published(Recipe((step,), seed=3, judgement=Judgement(known=("area",), accept=0.1)))
    assert found.steps[0].parameters["file"] == "matrix.csv"
    assert found.judgement == Judgement()


def test_a_file_that_is_not_what_was_attacked_is_not_released(tmp_path, monkeypatch):
    from dataclasses import replace

    import numpy as np

    from tacita.engines.records import microdata_of, records_of
    from tacita.release.records import data_file

    wrote = data_file.write

    def other(microdata, *more):
        records = records_of(microdata)
        moved = records.with_columns({"W": records.numbers("W").with_values(records.numbers("W").values + 1)})
        return wrote(microdata_of(moved, microdata, np.arange(len(records)), ["W"]), *more)

    data = tc.sample("figure-1")
    data = replace(
        data, microdata=replace(data.microdata, source=replace(data.microdata.source, name="f.csv", format="CSV"))
    )
    found = tc.mask(data, {"step": [{"method": "rounding", "attributes": ["W"], "base": 10}]})
    monkeypatch.setattr(data_file, "write", other)
    with pytest.raises(tc.TacitaError, match="the numbers of 'W' are not those that were attacked"):
        tc.release_to(tmp_path / "out", found, UNGATED)
    assert list(tmp_path.iterdir()) == []


def test_without_a_limit_nothing_is_released_from_python_either(tmp_path):
    found = tc.mask(people(tmp_path), {"step": [{"method": "mdav", "attributes": ["wage"], "k": 3}]})
    with pytest.raises(tc.TacitaError, match="no limit"):
        tc.release_to(tmp_path / "out", found)
    assert not (tmp_path / "out").exists()


def test_records_that_are_unique_on_what_no_step_changes_stop_a_release(tmp_path):
    """The one pilot is found by everybody who knows the occupations, whatever becomes of wages and ages."""
    step = {"method": "rank-swapping", "attributes": ["age", "wage"], "p": 30}
    found = tc.mask(people(tmp_path), {"seed": 1, "step": [step], "attack": {"accept": 1.0}})
    assert found.evaluation.untouched.attributes == ("job",)
    assert found.evaluation.untouched.unique == 1
    with pytest.raises(tc.TacitaError, match="1 record is unique on job"):
        tc.release_to(tmp_path / "out", found)
    limits = {"accept": 1.0, "accept_unique": 0.02}
    found = tc.mask(people(tmp_path), {"seed": 1, "step": [step], "attack": limits})
    tc.release_to(tmp_path / "out", found)


def test_a_step_that_changes_next_to_nothing_leaves_an_attribute_as_it_was(tmp_path):
    steps = [
        {"method": "correlated-noise", "attributes": ["age"], "alpha": 2.0},
        {"method": "top-bottom-coding", "attributes": ["wage"], "top": 1400},
    ]
    found = tc.mask(people(tmp_path), {"seed": 1, "step": steps, "attack": {"accept": 1.0}}).evaluation.untouched
    assert found.attributes == ("job", "wage")
    assert found.unique == 58  # wages are all different, and two are above the bound


def test_a_recipe_that_calls_a_quasi_identifier_unknown_is_told_who_is_unique_on_it(tmp_path):
    step = {"method": "mdav", "attributes": ["wage"], "k": 3}
    found = tc.mask(people(tmp_path), {"seed": 1, "step": [step], "attack": {"known": ["wage"]}})
    assert any("unique on job, age" in note for note in found.evaluation.notes)


def test_what_nobody_decided_on_may_be_known(tmp_path):
    data = people(tmp_path)
    text = DICTIONARY.replace('[attributes.born]\ncategory = "non-identifying"\n', "[attributes.born]\n")
    (tmp_path / "people.dictionary.toml").write_text(text)
    found = tc.mask(tc.read(tmp_path / "people.csv"), {"step": [{"method": "mdav", "attributes": ["wage"], "k": 3}]})
    assert "born" in found.evaluation.untouched.attributes
    assert any("nobody decided on born" in note for note in found.evaluation.notes)
    before = tc.mask(data, {"step": [{"method": "mdav", "attributes": ["wage"], "k": 3}]})
    assert "born" not in before.evaluation.untouched.attributes
