"""Recoding an attribute like the one that it tells: the recipe once more, with the attribute in the same step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import TacitaError
from tacita.recipes.carry_out import MaskedMicrodata, carry_out
from tacita.recipes.recipe import Recipe
from tacita.release.kinds.masked.tuples import released_tuples
from tacita.release.records.compared import ComparedRecords
from tacita.release.records.compared_columns import ComparedColumn
from tacita.release.records.tuples import Tuples

Compare = Callable[[MaskedMicrodata, Tuples, NDArray[np.int64]], ComparedRecords]


class RecodedAlike:
    """Carries out the recipe with one attribute more, and compares the result with the original records."""

    def __init__(self, masked: MaskedMicrodata, compare: Compare, *, shuffle: bool) -> None:
        self._masked, self._compare, self._shuffle = masked, compare, shuffle

    def __call__(self, target: str, name: str) -> tuple[Sequence[ComparedColumn], str] | None:
        """Return the columns that change, and what to write into the recipe; None if no step can treat both."""
        number, recipe = self._with(target, name)
        if recipe is None or name not in self._masked.original.dictionary.names:
            return None
        engine = self._masked.original.relation.engine
        first = engine.new_table()
        try:
            again = carry_out(self._masked.original, recipe)
            if again.origin is None or self._masked.origin is None:
                return None
            if not np.array_equal(again.origin, self._masked.origin):
                return None
            assert recipe.seed is not None
            tuples = released_tuples(again, recipe.seed, shuffle=self._shuffle)
            records = self._compare(again, tuples, again.origin)
        except TacitaError:
            return None
        finally:
            engine.forget_between(first, engine.new_table())
        method = recipe.steps[number - 1].method
        return [records.column(one) for one in (target, name)], f"add {name} to step {number} ({method}) of the recipe"

    def _with(self, target: str, name: str) -> tuple[int, Recipe | None]:
        """Return the recipe in which an attribute is treated by the last step that treats the target."""
        recipe = self._masked.recipe
        for number in range(len(recipe.steps), 0, -1):
            step = recipe.steps[number - 1]
            attributes = list(step.parameters.get("attributes") or ())
            if target in attributes and name not in attributes:
                more = replace(step, parameters={**step.parameters, "attributes": [*attributes, name]})
                steps = (*recipe.steps[: number - 1], more, *recipe.steps[number:])
                return number, recipe.with_(steps=steps)
        return 0, None
