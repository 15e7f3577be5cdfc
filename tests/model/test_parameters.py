"""How the keys of a recipe become the fields of a method, a measure or an attacker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pytest

from tacita.errors import UsageError
from tacita.parameters import fit


@dataclass(frozen=True)
class _Made:
    k: int
    share: float = 0.5
    attributes: tuple[str, ...] = ()
    way: Literal["up", "down"] = "up"
    limits: Mapping[str, float] = field(default_factory=dict)
    name: str | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if self.k < 2:
            raise UsageError("'k' must be at least 2", do="give a larger k")


def test_values_of_a_recipe_are_fitted_to_the_hints() -> None:
    given = {"k": 3, "share": 1, "attributes": ["a", "b"], "way": "down", "limits": {"a": 2}, "name": "x"}
    found = fit(_Made, "made", given)
    assert found == _Made(3, 1.0, ("a", "b"), "down", {"a": 2.0}, "x")
    assert isinstance(found.share, float)


def test_all_faults_are_told_together() -> None:
    wrong = {"share": "half", "attributes": "a", "way": "left", "limits": [1], "strict": 1, "atributes": []}
    with pytest.raises(UsageError) as fault:
        fit(_Made, "made", wrong, where="recipe.toml")
    text = str(fault.value)
    for part in (
        "7 faults",
        "'share' of 'made' must be a number",
        "'attributes' of 'made' must be a list of texts",
        "must be up or down",
        "must be a table",
        "must be true or false",
        "no parameter 'atributes'; did you mean 'attributes'?",
        "'made' needs 'k'",
        "recipe.toml",
    ):
        assert part in text


@pytest.mark.parametrize("value", [True, 2.5, "3", None])
def test_a_whole_number_is_neither_truth_nor_fraction_nor_text(value: object) -> None:
    with pytest.raises(UsageError, match="'k' of 'made' must be a whole number"):
        fit(_Made, "made", {"k": value})


def test_a_fault_found_by_the_class_itself_says_where() -> None:
    with pytest.raises(UsageError) as fault:
        fit(_Made, "made", {"k": 1}, where="recipe.toml, step 2")
    assert fault.value.where == "recipe.toml, step 2"


def test_what_is_typed_is_taken_more_freely_and_its_faults_are_told_together() -> None:
    assert fit(_Made, "made", {"k": 3, "attributes": "a", "name": 7}, typed=True) == _Made(
        3, attributes=("a",), name="7"
    )
    with pytest.raises(UsageError) as fault:
        fit(_Made, "made", {"k": "many", "way": "dwn", "kk": 1}, typed=True)
    for part in (
        "3 faults",
        "k of made must be a whole number, not 'many'",
        "way of made must be one of its choices, not 'dwn'; did you mean 'down'?",
        "made has no parameter 'kk'",
        "write for example --param k=3; use one of: up, down; use one of: k, share",
    ):
        assert part in str(fault.value)
