"""Where data sets come from: files, databases, objects in memory, generators, the samples of the papers.

>>> sample("figure-1").rows
20
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tacita.api.dataset import Dataset
from tacita.engines.context import Context
from tacita.engines.protocol import Engine
from tacita.errors import UsageError
from tacita.files.contract import ReadKeywords, ReadOptions, types_named
from tacita.files.read import read as read_microdata
from tacita.model.microdata import Microdata, Source
from tacita.model.roles import Roles
from tacita.options import option, part
from tacita.progress import Progress, silent
from tacita.settings import Settings

__all__ = ["DataRequest", "ReadOptions", "context_of", "from_generated", "generate", "read", "sample"]

if TYPE_CHECKING:
    from tacita.generators.stream import Generated


@dataclass(frozen=True, slots=True)
class DataRequest:
    """What is asked for when data are read: how, with which roles of attributes, and on which machine.

    Its fields are the options of every command that reads data.
    """

    reading: ReadOptions = part(ReadOptions)
    dictionary: Path | None = option(None, panel="Roles", help="Dictionary file; by default the one beside the data.")
    roles: Roles = part(Roles)
    settings: Settings = part(Settings, Settings.from_environment)

    @property
    def content(self) -> str:
        """What decides which values are read, and as what: the same words mean the same data of a source."""
        return repr((self.reading, self.dictionary, self.roles))

    def read(
        self, source: str, progress: Progress = silent, *, use_dictionary: bool = True, only_given_roles: bool = False
    ) -> Dataset:
        """Read a source; with `only_given_roles` no other attribute than those named is a quasi-identifier."""
        options = replace(self.reading, progress=progress)
        data = read(source, options, dictionary=self.dictionary, use_dictionary=use_dictionary, settings=self.settings)
        return data.with_roles(self.roles, only=only_given_roles) if self.roles else data


def read(
    source: object,
    options: ReadOptions | None = None,
    *,
    name: str | None = None,
    dictionary: str | Path | None = None,
    use_dictionary: bool = True,
    engine: Engine | None = None,
    context: Context | None = None,
    settings: Settings | None = None,
    **keywords: Unpack[ReadKeywords],
) -> Dataset:
    """Read a file, a folder, a pattern, a database URL, or a pandas, polars or pyarrow object.

    A dictionary beside the file (``firms.dictionary.toml``) is picked up, unless `use_dictionary` says no. What the
    reader should not have to find out is given by keywords: ``tc.read("firms.csv", delimiter=";", types={"zip":
    "text"})``. `context` says what it runs on; by default that is the context that the process shares, or one with
    the `engine` or the `settings` that are given.
    """
    given = Path(dictionary) if dictionary else None
    changes: dict[str, Any] = dict(keywords)
    if "types" in keywords:
        changes["types"] = types_named(keywords["types"])
    options = replace(options or ReadOptions(), **changes)
    if settings is not None and context is None:
        context = Context(settings, engine=engine, progress=options.progress)
        engine = None
    context = context_of(engine, context)
    if options.progress is silent:
        options = replace(options, progress=context.progress)
    microdata = read_microdata(
        source, context.engine, options, name=name, dictionary=given, use_dictionary=use_dictionary
    )
    return Dataset(microdata, context)


def context_of(engine: Engine | None = None, context: Context | None = None) -> Context:
    """Return the context that was given, one around the engine that was given, or the one that the process shares."""
    if context is not None and engine is not None:
        raise UsageError("an engine is given beside a context", do="give it to the context: Context(engine=...)")
    return context or (Context.of(engine) if engine is not None else Context.shared())


def from_generated(
    generated: Generated,
    *,
    with_dictionary: bool = True,
    engine: Engine | None = None,
    context: Context | None = None,
) -> Dataset:
    """Return generated microdata as a data set."""
    context = context_of(engine, context)
    relation = context.engine.adopt(generated.batches(), generated.schema)
    dictionary = generated.dictionary
    if not with_dictionary:
        dictionary = dictionary.mapped(lambda a: a.with_(category=None, kind=None, order=()))
    source = Source(generated.name, "generated")
    return Dataset(Microdata(relation, dictionary, source, dictionary_is_given=with_dictionary), context)


def generate(name: str, *, seed: int = 0, rows: int | None = None) -> Dataset:
    """Generate one of the shipped kinds of microdata, with its true dictionary.

    >>> generate("R1A4W", seed=7).rows
    1000
    """
    from tacita.generators import catalogue

    return from_generated(catalogue.generate(name, seed=seed, rows=rows))


def sample(name: str) -> Dataset:
    """Return one of the small data sets of the papers: figure-1, figure-5, patients, patients-4-anonymous."""
    return generate(name)
