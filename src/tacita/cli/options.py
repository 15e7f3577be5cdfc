"""Options that several commands share, written once.

`reads_data` gives a command all options about reading and roles and hands it one `Request`.
"""

from __future__ import annotations

import csv
import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tacita.errors import UsageError
from tacita.progress import Progress, silent
from tacita.settings import Settings

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset

_reading = functools.partial(typer.Option, rich_help_panel="Reading")
_role = functools.partial(typer.Option, rich_help_panel="Roles")
_machine = functools.partial(typer.Option, rich_help_panel="Machine")

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


def names_in(given: str | Iterable[str] | None) -> list[str]:
    """Return the names of an option that may be repeated, each time with commas between.

    A name that holds a comma is put in double quotes. A name that is given twice counts once.

    >>> names_in(["Area,Sector", '"City, State"', "Area"])
    ['Area', 'Sector', 'City, State']
    """
    parts = [given] if isinstance(given, str) else given or ()
    names = (name.strip() for part in parts for name in next(csv.reader([part], skipinitialspace=True), []))
    return list(dict.fromkeys(name for name in names if name))


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asked to be read, and how. Each field is an option of every command that reads data."""

    delimiter: Annotated[str | None, _reading(help="What separates fields: , ; | or tab.")] = None
    quote: Annotated[str | None, _reading(help="Quote character, or none.")] = None
    encoding: Annotated[str | None, _reading(help="Encoding of a text file, such as cp1252.")] = None
    decimal: Annotated[str | None, _reading(help="Decimal sign: . or ,")] = None
    thousands: Annotated[str | None, _reading(help="Thousands sign.")] = None
    dates: Annotated[str | None, _reading(help="Order of dates such as 01/02/2024: day-first or month-first.")] = None
    no_header: Annotated[bool, _reading("--no-header", help="The first line is data.")] = False
    missing: Annotated[
        list[str] | None, _reading(help="Spellings of a missing value, with commas between; may be repeated.")
    ] = None
    one_spelling: Annotated[
        list[str] | None,
        _reading(help="Attributes in which spellings that differ in case or blanks are one value; may be repeated."),
    ] = None
    as_: Annotated[
        list[str] | None,
        _reading("--as", help="NAME=TYPE: text, integer, number, date, timestamp or boolean; may be repeated."),
    ] = None
    sheet: Annotated[str | None, _reading(help="Sheet of a workbook, by name or number.")] = None
    table: Annotated[str | None, _reading(help="Table of a database.")] = None
    query: Annotated[str | None, _reading(help="Query of a database.")] = None
    dictionary: Annotated[Path | None, _role(help="Dictionary file; by default the one beside the data.")] = None
    quasi: Annotated[list[str] | None, _role(help="Quasi-identifiers, with commas between; may be repeated.")] = None
    sensitive: Annotated[
        list[str] | None, _role(help="Sensitive attributes, with commas between; may be repeated.")
    ] = None
    identifier: Annotated[list[str] | None, _role(help="Identifiers, with commas between; may be repeated.")] = None
    weight: Annotated[str | None, _role(help="Sampling weight.")] = None
    cluster: Annotated[str | None, _role(help="Household or group key.")] = None
    memory: Annotated[str | None, _machine(help="Most memory of the engine, such as 4GB.")] = None
    threads: Annotated[int | None, _machine(help="Threads of the engine.")] = None
    spill: Annotated[Path | None, _machine(help="Folder for what does not fit in memory.")] = None

    def quasi_identifiers(self) -> list[str] | None:
        """Return the quasi-identifiers that were given, or None."""
        if self.quasi is not None and not names_in(self.quasi):
            raise UsageError("--quasi names no attribute", do="name some, or leave it out to have them proposed")
        return names_in(self.quasi) or None

    def settings(self) -> Settings:
        """Return the settings of the environment with the options on top."""
        return Settings.from_environment(memory=self.memory, threads=self.threads, spill=self.spill)

    def read(
        self, source: str, progress: Progress = silent, *, use_dictionary: bool = True, only_given_roles: bool = False
    ) -> Dataset:
        """Read a source as the options say; with `only_given_roles` no other attribute is a quasi-identifier."""
        from tacita.api.dataset import Dataset
        from tacita.engines.context import Context
        from tacita.files.contract import ReadOptions, types_named
        from tacita.files.read import read

        options = ReadOptions(
            delimiter={"tab": "\t", "\\t": "\t"}.get(self.delimiter or "", self.delimiter),
            quote={"none": "", "double": '"', "single": "'"}.get(self.quote or "?", self.quote),
            encoding=self.encoding,
            decimal=self.decimal,
            thousands=self.thousands,
            header=not self.no_header,
            dates=self.dates,
            missing=tuple(names_in(self.missing)),
            one_spelling=tuple(names_in(self.one_spelling)),
            types=types_named(once((split_pair(pair, "--as") for pair in self.as_ or []), "--as")),
            sheet=self.sheet,
            table=self.table,
            query=self.query,
            progress=progress,
        )
        context = Context(self.settings(), progress=progress)
        microdata = read(source, context.engine, options, dictionary=self.dictionary, use_dictionary=use_dictionary)
        data = Dataset(microdata, context)
        if not any((self.quasi, self.sensitive, self.identifier, self.weight, self.cluster)):
            return data
        return data.with_roles(
            quasi=names_in(self.quasi),
            sensitive=names_in(self.sensitive),
            identifier=names_in(self.identifier),
            weight=self.weight,
            cluster=self.cluster,
            only=only_given_roles,
        )


def split_pair(pair: str, option: str) -> tuple[str, str]:
    """Return the two sides of NAME=VALUE; the name may hold equal signs."""
    name, equals, value = pair.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"{option} '{pair}' is not NAME=VALUE", do=f"write for example {option} Area=...")
    return name.strip(), value.strip()


def bindings(pairs: Iterable[str] | None, option: str) -> dict[str, str]:
    """Return files by predicate, of options such as ``Own=own.csv``; a predicate has one.

    >>> bindings(["Own=own.csv", "Person=people.csv"], "--input")
    {'Own': 'own.csv', 'Person': 'people.csv'}
    """
    from tacita.reasoning.bindings import split_binding

    return once((split_binding(pair, option) for pair in pairs or ()), option)


def once(pairs: Iterable[tuple[str, str]], option: str) -> dict[str, str]:
    """Return what an option that may be repeated says by name; a name that is given twice is refused."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise UsageError(f"{option} names '{name}' twice", do=f"leave one of them out: {option} {name}=...")
        found[name] = value
    return found


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every option of `Request`; the command takes the request as its argument ``request``."""
    hints = get_type_hints(Request, include_extras=True)
    shared = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
        for f in fields(Request)
    ]
    own_hints = get_type_hints(command, include_extras=True)
    own = [
        p.replace(annotation=own_hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, p in inspect.signature(command).parameters.items()
        if name != "request"
    ]

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        request = Request(**{f.name: values.pop(f.name) for f in fields(Request)})
        command(request=request, **values)

    parameters = [*own, *shared]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    del wrapped.__wrapped__
    return wrapped
