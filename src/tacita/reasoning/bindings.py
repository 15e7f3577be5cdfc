"""Where facts are read from or written to: ``Own=own.csv`` on the command line, ``@bind`` in a program.

``@bind("Own", "own.csv")``, ``@bind("Own", "sqlite:shares.db", "own")``, ``@bind("Own", "book.xlsx", "Sheet 2")`` and
the longer ``@bind("Own", "csv", "folder", "own.csv")`` are understood, with options of the reader behind them:
``header = false``, ``delimiter = ";"``. Paths start from the folder of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tacita.errors import RuleError, did_you_mean
from tacita.files.database.url import sqlite_path, without_secrets
from tacita.files.formats import FORMATS, is_database
from tacita.rules.logic.program import Annotation, Program
from tacita.rules.logic.terms import Constant, ListOf, Term

_OPTIONS = ("delimiter", "quote", "encoding", "decimal", "thousands", "header", "dates", "missing", "sheet", "table")
_KINDS = {"csv", "tsv", "parquet", "arrow", "excel", "stata", "spss", "sas", "sqlite", "postgresql", "mysql", "mariadb"}
_KINDS |= {"postgres", "database", "file"} | {f.name.casefold() for f in FORMATS}


@dataclass(frozen=True, slots=True)
class FactSource:
    """A file or a table of a database, and what to tell its reader."""

    source: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    header: bool | None = None
    """Whether the first line of a text file names the columns; None: find out."""

    @property
    def is_database(self) -> bool:
        """Whether it is a database URL."""
        return is_database(self.source)

    @classmethod
    def parse(cls, text: str) -> FactSource:
        """Return the place that a text means: a path or URL, behind it ``#part`` and ``:no-header``.

        >>> FactSource.parse("own.csv:no-header").header, FactSource.parse("book.xlsx#Sheet 2").options["sheet"]
        (False, 'Sheet 2')
        """
        header: bool | None = None
        for word, said in ((":no-header", False), (":header", True)):
            if text.endswith(word):
                text, header = text.removesuffix(word), said
        source, hash_, part = text.rpartition("#")
        if hash_ and source and part and not Path(text).exists():
            return cls(source, {"table" if is_database(source) else "sheet": part}, header)
        return cls(text, {}, header)

    def within(self, folder: Path) -> FactSource:
        """Return the place with a path that starts from a folder."""
        if self.source.lower().startswith("sqlite:"):
            return replace(self, source=f"sqlite:{folder / sqlite_path(self.source)}")
        if self.is_database or "://" in self.source:
            return self
        return replace(self, source=str(folder / self.source))


def shown(source: str) -> str:
    """Return a path or URL as a message may show it."""
    return without_secrets(source) if is_database(source) else source


def bound(program: Program, folder: Path) -> Iterator[tuple[str, FactSource, Annotation]]:
    """Yield what the ``@bind`` annotations of a program say."""
    for annotation in program.directives("bind"):
        predicate = annotation.text(0)
        if predicate is not None:
            yield predicate, _place(annotation).within(folder), annotation


def _place(annotation: Annotation) -> FactSource:
    parts = [text for i in range(1, len(annotation.arguments)) if (text := annotation.text(i)) is not None]
    if len(parts) < len(annotation.arguments) - 1 or not 1 <= len(parts) <= 3:
        raise _wrong(annotation, "names no file or table", 'write @bind("Own", "own.csv")')
    if len(parts) > 1 and parts[0].casefold() in _KINDS:
        return _with_options(_of_kind(parts), annotation)
    if len(parts) == 3:
        kinds = ", ".join(sorted({"csv", "parquet", "excel", "sqlite", "postgresql", "mysql"}))
        near = did_you_mean(parts[0], _KINDS)
        raise _wrong(annotation, f"knows no kind of source '{parts[0]}'{near}", f"use one of: {kinds}")
    return _with_options(_joined(parts[0], parts[1] if len(parts) > 1 else None), annotation)


def _of_kind(parts: list[str]) -> FactSource:
    """Return the place of ``"csv", "folder", "own.csv"``, or of a database: ``"postgresql", "URL", "table"``."""
    kind, where = parts[0].casefold(), parts[1]
    if is_database(where):
        return _joined(where, parts[2] if len(parts) > 2 else None)
    if kind == "sqlite":
        return _joined(f"sqlite:{where}", parts[2] if len(parts) > 2 else None)
    return FactSource(str(Path(where) / parts[2]) if len(parts) > 2 else where)


def _joined(source: str, part: str | None) -> FactSource:
    if part is None:
        return FactSource.parse(source)
    return FactSource(source, {"table" if is_database(source) else "sheet": part})


def _with_options(place: FactSource, annotation: Annotation) -> FactSource:
    options, header = dict(place.options), place.header
    for name, term in annotation.named:
        value = _value(term)
        if name not in (*_OPTIONS, "query"):
            message = f"has no option '{name}'{did_you_mean(name, (*_OPTIONS, 'query'))}"
            raise _wrong(annotation, message, f"use: {', '.join((*_OPTIONS, 'query'))}")
        if name == "header":
            if not isinstance(value, bool):
                raise _wrong(annotation, "has a header that is neither true nor false", "write header = false")
            header = value
        elif name == "missing":
            options[name] = tuple(map(str, value)) if isinstance(value, list) else (str(value),)
        elif isinstance(value, str):
            options[name] = value
        else:
            raise _wrong(annotation, f"has an option {name} that is no text", f'write {name} = "..."')
    return replace(place, options=options, header=header)


def _value(term: Term) -> Any:
    if isinstance(term, ListOf):
        return [item.value for item in term.items if isinstance(item, Constant)]
    return term.value if isinstance(term, Constant) else None


def _wrong(annotation: Annotation, problem: str, do: str) -> RuleError:
    return RuleError(f"@bind {problem}", where=str(annotation.origin), do=do)
