"""Reasoning from Python: a program and its data in, conclusions out.

>>> import tacita as tc
>>> conclusions = tc.reason('Own(X, Y, W), W > 0.5 -> Control(X, Y).', {"Own": [("a", "b", 0.6), ("b", "c", 0.4)]})
>>> conclusions["Control"]
[('a', 'b')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tacita.api.dataset import Dataset
from tacita.reasoning import run
from tacita.reasoning.conclusions import ProgramResult


@dataclass(slots=True)
class Conclusions(ProgramResult):
    """What follows from a program and its inputs, with the facts of a predicate as a data set."""

    def dataset(self, predicate: str) -> Dataset:
        """Return the facts of a predicate as a data set: arguments are attributes, labelled nulls missing values."""
        return Dataset(self.microdata(predicate))

    __repr__ = ProgramResult.__repr__


def reason(
    program: str | Path,
    inputs: Mapping[str, Any] | None = None,
    *,
    data: Dataset | str | Path | None = None,
    **options: Any,
) -> Conclusions:
    """Run a program over its inputs until nothing new follows.

    `program` is a file, the text of a program, or the name of one that ships with Tacita. `inputs` are files, database
    URLs, data frames, data sets or lists of tuples, by predicate. `data` is microdata whose dictionary and values the
    program reads as ``MicroDB``, ``Att``, ``Cat`` and ``Val``. `options` are those of
    `reasoning.run.reason`.
    """
    result = run.reason(
        program,
        {predicate: _microdata(given) for predicate, given in (inputs or {}).items()},
        data=_microdata(data),
        **options,
    )
    return Conclusions(*(getattr(result, field.name) for field in fields(ProgramResult)))


def _microdata(given: Any) -> Any:
    return given.microdata if isinstance(given, Dataset) else given
