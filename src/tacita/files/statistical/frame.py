"""Rows that pyreadstat can write without pandas or polars: the little of a data frame that it asks for.

pyreadstat takes any data frame of narwhals, looks at each column's type, null count and longest text, and then goes
through the rows once. A `Frame` answers the first from what was measured before and gives the rows as a stream, so
that a file of any size is written in constant memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import narwhals.stable.v2 as nw


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column as pyreadstat looks at it before it writes the first row."""

    name: str
    dtype: Any
    """A type of narwhals: Int32, Float64 or String."""
    longest: int = 0
    """Bytes of the longest text."""
    texts: Iterable[str] = ()
    """All different texts, if they are too long to stand in the rows (strL in Stata)."""

    def null_count(self) -> int:
        """Say that there may be nulls, so that each cell is looked at."""
        return 1

    def drop_nulls(self) -> Self:
        """Return what types are found from."""
        return self

    def is_in(self, _: Sequence[str]) -> int:
        """Return a condition for `filter`."""
        return 0

    def filter(self, _: object) -> Self:
        """Return what types are found from: no tagged missing is among it."""
        return self

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts or ("x" * self.longest,))


class Frame(nw.DataFrame[Any]):
    """A data frame of known columns whose rows are a stream."""

    def __init__(self, columns: Sequence[FrameColumn], rows: Iterable[tuple[Any, ...]], height: int) -> None:
        self._by_name = {column.name: column for column in columns}
        self._rows = rows
        self._height = height
        self.last: tuple[Any, ...] = ()
        """The last row that was handed out."""

    def __repr__(self) -> str:
        return f"Frame({self.columns}, {self._height} rows)"

    @property
    def implementation(self) -> Any:  # type: ignore[override]
        """Say what missing cells look like: None, as in polars."""
        return nw.Implementation.POLARS

    def __native_namespace__(self) -> Any:
        return None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._by_name)

    def iter_columns(self) -> Iterator[Any]:
        """Yield the columns."""
        return iter(self._by_name.values())

    def iter_rows(self, **_: Any) -> Iterator[Any]:
        """Yield the rows, once."""
        for row in self._rows:
            self.last = row
            yield row

    def __getitem__(self, name: Any) -> Any:
        return self._by_name[name]

    def __len__(self) -> int:
        return self._height


class Tags(list[str]):
    """Letters of tagged missings, for a format of which pyreadstat does not know that it has them.

    It checks them by iterating, against a list that it only has for Stata; it finds them in cells by ``in``.
    """

    def __iter__(self) -> Iterator[str]:
        return iter(())
