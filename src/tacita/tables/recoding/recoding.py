"""One merge after the other, until few sensitive cells are left."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tacita.errors import UsageError
from tacita.model.table import Table
from tacita.progress import Progress, Step, silent
from tacita.tables.recoding.proposals import RecodingProposal, propose_recodings
from tacita.tables.recoding.recoded import recoded
from tacita.tables.sensitivity.finding import SensitivityRule


@dataclass(frozen=True, slots=True)
class Recoding:
    """The merges that were made, in order, and the table after them."""

    steps: tuple[RecodingProposal, ...]
    table: Table

    @property
    def sensitive(self) -> tuple[int, ...]:
        """The number of sensitive cells before the first step, and after each."""
        return tuple(
            [self.steps[0].before.sensitive, *(step.after.sensitive for step in self.steps)] if self.steps else []
        )


def recode(
    table: Table,
    rules: Sequence[SensitivityRule],
    *,
    ordered: Collection[str] = (),
    sensitive: int = 0,
    at_least: Mapping[str, int] | None = None,
    steps: int = 100,
    progress: Progress = silent,
) -> Recoding:
    """Return the table after the best merges, one at a time, until at most `sensitive` cells are sensitive.

    It is greedy: each step is the best proposal for the table that the earlier ones made, and it stops where no single
    merge removes a sensitive cell, or after `steps`. `at_least` says how many leaves a dimension must keep. It is a
    suggestion: which categories may be merged is a question of what they mean.
    """
    if sensitive < 0 or steps < 0:
        raise UsageError("a negative number of cells or steps", where="recoding", do="give numbers from 0 upwards")
    made: list[RecodingProposal] = []
    while len(made) < steps and (not made or made[-1].after.sensitive > sensitive):
        found = propose_recodings(table, rules, ordered=ordered, at_least=at_least)
        if not found or found[0].before.sensitive <= sensitive:
            break
        made.append(found[0])
        table = recoded(table, found[0].merge)
        before = made[0].before.sensitive
        progress(Step("merging categories", before - found[0].after.sensitive, before - sensitive))
    return Recoding(tuple(made), table)
