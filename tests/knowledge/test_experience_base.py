"""The shipped experience base is consistent, rich enough, and gives way to what a person confirmed."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from importlib import resources
from pathlib import Path

import pytest

from tacita.errors import InputError
from tacita.knowledge.experience_base import LANGUAGES, ExperienceBase, with_confirmed
from tacita.model.attribute import Category, Kind
from tacita.model.names import normalised

FILES = sorted(resources.files("tacita.knowledge").joinpath("experience").iterdir(), key=lambda f: f.name)
CONCEPTS = [c for file in FILES for c in tomllib.loads(file.read_text(encoding="utf-8"))["concept"]]


def test_every_concept_is_complete() -> None:
    for concept in CONCEPTS:
        Category(concept["category"])
        Kind(concept["kind"])
        assert concept["why"]
        assert any(concept.get(language) for language in LANGUAGES)
        assert not set(concept) - {"id", "category", "kind", "why", *LANGUAGES}, concept["id"]
    ids = [concept["id"] for concept in CONCEPTS]
    assert len(ids) == len(set(ids))


def test_no_name_has_two_categories() -> None:
    categories = defaultdict(set)
    for concept in CONCEPTS:
        for language in LANGUAGES:
            for name in concept.get(language, ()):
                categories[normalised(name)].add(concept["category"])
    assert {name: found for name, found in categories.items() if len(found) > 1} == {}


def test_it_speaks_five_languages() -> None:
    names = {language: {n for c in CONCEPTS for n in c.get(language, ())} for language in LANGUAGES}
    assert all(len(found) > 300 for found in names.values()), {k: len(v) for k, v in names.items()}


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("sex", "quasi-identifier"),
        ("sesso", "quasi-identifier"),
        ("Geschlecht", "quasi-identifier"),
        ("fecha de nacimiento", "quasi-identifier"),
        ("code postal", "quasi-identifier"),
        ("codice fiscale", "identifier"),
        ("IBAN", "identifier"),
        ("E-Mail", "identifier"),
        ("diagnosi", "sensitive"),
        ("Einkommen", "sensitive"),
        ("revenu", "sensitive"),
        ("sampling_weight", "weight"),
        ("peso", "weight"),
        ("hhid", "cluster-key"),
    ],
)
def test_well_known_names(name: str, category: str) -> None:
    assert ExperienceBase.load()[normalised(name)].category.value == category


def test_what_a_person_confirmed_wins(tmp_path: Path) -> None:
    file = tmp_path / "experience.toml"
    file.write_text(with_confirmed("", {"Sex": Category.SENSITIVE}))
    file.write_text(with_confirmed(file.read_text(), {"Shoe size": Category.QUASI_IDENTIFIER}))
    base = ExperienceBase.load(file)
    assert base["sex"].category is Category.SENSITIVE
    assert base["sex"].confirmed
    assert base["shoe size"].category is Category.QUASI_IDENTIFIER
    assert file.read_text() == (
        "# Categories of attributes that were confirmed here: names only, never values.\n"
        '\n[names]\nsex = "sensitive"\n"shoe size" = "quasi-identifier"\n'
    )


@pytest.mark.parametrize("text", ['[names]\nsex = "sensitiv', '[names]\nsex = "zzz"\n'])
def test_a_damaged_file_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "experience.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        ExperienceBase.load(file)
    assert str(file) in str(caught.value)


def test_facts_for_the_reasoner() -> None:
    assert 'ExpBase("sex", "quasi-identifier").' in map(str, ExperienceBase.load().facts())
