"""Attributes that nobody decided on: what may name respondents is not released, through whichever door."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as tc
from tacita.api.masking import Masking
from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.recipes.carry_out import carry_out
from tacita.recipes.evaluation import evaluate
from tacita.recipes.ground import ground_for
from tacita.recipes.recipe import Recipe, RecipeStep
from tacita.release.options import MaskedOptions, ReleaseOptions
from tacita.release.writing import write_release
from tacita.risk.identity.k_anonymity import KAnonymity

QUASI = ("area", "sex", "age")
RECIPE = """
seed = 9007199254740993
[[step]]
method = "pram-invariant"
attributes = ["area"]
minimum_diagonal = 0.7
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Forty persons: by name, tax number, an address in an innocent column, a code of the record, and an amount."""
    lines = ["name,tax_number,reply,ref,area,sex,age,income"]
    for i in range(40):
        names = f"Person {i},{9_000_000 + 7919 * i},p{i}@example.org,{(i * 7) % 40:04d}X"
        lines.append(f"{names},{'NS'[i % 2]},{'mf'[i // 2 % 2]},{20 + i % 5},{1000 + 13 * (i % 9)}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def header(folder: Path) -> list[str]:
    return (folder / "data.csv").read_text().splitlines()[0].split(",")


def test_both_doors_of_anonymize_write_the_same_bytes(tacita, people: Path, tmp_path: Path) -> None:
    flags = ["--quasi", ",".join(QUASI), "-k", "3", "--seed", "9007199254740993"]
    assert tacita("anonymize", str(people), *flags, "--out", str(tmp_path / "cli")).returncode == 0
    by_roles = tc.anonymize(tc.read(people).with_roles(quasi=QUASI), k=3)
    by_plan = tc.anonymize(tc.read(people), Plan(KAnonymity(3), known=QUASI))
    written = (tmp_path / "cli" / "data.csv").read_bytes()
    assert header(tmp_path / "cli") == [*QUASI, "income"]
    for name, outcome in (("roles", by_roles), ("plan", by_plan)):
        assert any("tax_number" in note for note in outcome.notes)
        released = tc.release_to(tmp_path / name, outcome, ReleaseOptions(seed=9007199254740993))
        assert released.data.read_bytes() == written


def test_both_doors_of_mask_write_the_same_bytes(tacita, people: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    flags = ["--quasi", ",".join(QUASI), "--recipe", str(recipe), "--ungated"]
    assert tacita("mask", str(people), *flags, "--out", str(tmp_path / "cli")).returncode == 0
    masking = tc.mask(tc.read(people).with_roles(quasi=QUASI), recipe)
    released = tc.release_to(tmp_path / "python", masking, MaskedOptions(ungated=True))
    assert any("tax_number" in note for note in masking.notes)
    assert header(tmp_path / "python") == [*QUASI, "income"]
    assert released.data.read_bytes() == (tmp_path / "cli" / "data.csv").read_bytes()


@pytest.mark.slow
def test_who_puts_a_release_together_alone_is_stopped_too(people: Path, tmp_path: Path) -> None:
    data = tc.read(people).with_roles(quasi=QUASI)
    released = write_release(anonymize(data.microdata, Plan(KAnonymity(3))), tmp_path / "cycle")
    assert header(tmp_path / "cycle") == [*QUASI, "income"]
    assert any("name, tax_number" in note for note in released.notes)
    recipe = Recipe((RecipeStep("pram-invariant", {"attributes": ["area"], "minimum_diagonal": 0.7}),), seed=2**60)
    masked = carry_out(data.microdata, recipe)
    judged = evaluate(masked, ground_for(data.microdata, [masked], recipe.judgement))
    write_release(Masking(masked, judged), tmp_path / "masked", MaskedOptions(ungated=True))
    assert header(tmp_path / "masked") == [*QUASI, "income"]


def test_an_attribute_with_a_category_is_released(tacita, people: Path, tmp_path: Path) -> None:
    # The names end in the number of the record, which tells the age; that is another question.
    kept = ["--sensitive", "name,reply", "--quasi", ",".join(QUASI), "--allow-derivable"]
    assert tacita("anonymize", str(people), *kept, "--out", str(tmp_path / "out")).returncode == 0
    assert header(tmp_path / "out") == ["name", "reply", *QUASI, "income"]


def test_compare_and_explore_treat_identifiers_alike(people: Path) -> None:
    data = tc.read(people).with_roles(quasi=QUASI)
    recipe = {"seed": 1, "step": [{"method": "pram-invariant", "attributes": ["area"], "minimum_diagonal": 0.7}]}
    found = tc.compare(data, [recipe])
    assert any("tax_number" in note for note in found.notes)
    with pytest.raises(tc.TacitaError, match="names respondents"):
        tc.compare(
            data, [{"seed": 1, "step": [{"method": "pram-invariant", "attributes": ["name"], "minimum_diagonal": 0.7}]}]
        )


def test_amounts_that_differ_in_every_record_are_released_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("area,income\n" + "".join(f"{'NS'[i % 2]},{1000.5 + 31.7 * i}\n" for i in range(40)))
    outcome = tc.anonymize(tc.read(path).with_roles(quasi=["area"]), k=3)
    assert any("differ from record to record" in note and "income" in note for note in outcome.notes)
    tc.release_to(tmp_path / "out", outcome)
    assert header(tmp_path / "out") == ["area", "income"]
