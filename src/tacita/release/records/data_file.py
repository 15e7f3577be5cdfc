"""The data file of a release and its dictionary: which ending it gets, how it is written, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.engines.plans.terms import as_text
from tacita.files.contract import ReadOptions, WriteOptions, types_named
from tacita.files.formats import FORMATS
from tacita.files.layout import character
from tacita.files.write import Written, write
from tacita.model import dictionary_file
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, silent
from tacita.release.kind import Workplace
from tacita.release.manifest import sha256

DATA, DICTIONARY, REPORT, ORDER = "data", "data.dictionary.toml", "report.html", "order.parquet"
DEFAULT = ".parquet"
_NEAREST = {".xls": ".xlsx", ".xlsb": ".xlsx", ".xlsm": ".xlsx", ".ods": ".xlsx"}
_PSEUDONYM = "^[0-9a-f]{32}$"


def released_ending(source: Source) -> tuple[str, tuple[str, ...]]:
    """Return the ending of the released file, that of the source if it can be written, and what to say about it.

    >>> released_ending(Source("survey/firms.CSV.gz", "CSV"))
    ('.csv.gz', ())
    >>> released_ending(Source("firms.sas7bdat", "SAS"))[0]
    '.parquet'
    """
    name = source.name.lower()
    endings = [(e, f) for f in FORMATS if f.name == source.format for e in f.endings if name.endswith(e)]
    if endings:
        ending, known = max(endings, key=lambda pair: len(pair[0]))
        if known.writable:
            return ending, ()
        if ending in _NEAREST:
            return _NEAREST[ending], (f"{ending} can be read, not written: the data are released as .xlsx",)
    if source.format == "Parquet":
        return DEFAULT, ("several Parquet files became one",)
    return DEFAULT, (f"the source ({source.format}) is no file that can be written: the data are released as Parquet",)


def write_data(
    folder: Workplace, microdata: Microdata, file: str, *, escape_formulas: bool, progress: Progress = silent
) -> Written:
    """Write the data file; return what the format could not hold, and the dictionary under the names of the file."""
    options = WriteOptions(progress=progress, escape_formulas=escape_formulas)
    return write(microdata, folder.path / file, options, folder.settings)


def write_dictionary(folder: Workplace, written: Written) -> None:
    """Write the dictionary beside the data."""
    folder.text(DICTIONARY, dictionary_file.dumps(written.dictionary))


def reading(released: Microdata) -> dict[str, Any]:
    """Return how the data file is read back: types, and how text is laid out."""
    details = dict(released.source.details) if released.source.format in {"CSV", "TSV"} else {}
    layout = {name: sign for name, sign in details.items() if name in {"decimal", "thousands"}}
    if "delimiter" in details:
        layout["delimiter"] = character(details["delimiter"]) or ","
    return {"types": {c.name: _type_read_back(c, released) for c in released.columns}, **layout}


def _type_read_back(column: Column, released: Microdata) -> str:
    """Return the type of a column in a text file; one with cells that no such type holds is read as text."""
    from tacita.model.missing_codes import MISSING_MARKERS

    if not column.as_written:
        return column.type.value
    codes = released.attribute(column.name).missing
    odd = any(code not in MISSING_MARKERS and not _is_number(code) for code in codes)
    return column.type.value if column.type.is_numeric and not odd else ColumnType.TEXT.value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return ".." in text
    return True


def reading_options(
    public: Mapping[str, Any], progress: Progress = silent, only: frozenset[str] | None = None
) -> ReadOptions:
    """Return how the data file is read: types as the manifest says, for text files only.

    Where `only` some attributes matter, the others are left out: a wide file costs as much as it has columns.
    """
    layout = public.get("reading", {})
    if not str(public["data"]).endswith((".csv", ".txt", ".tsv", ".tab", ".gz")):
        return ReadOptions(progress=progress)
    return ReadOptions(
        delimiter=layout.get("delimiter"),
        quote='"',
        encoding="utf-8",
        decimal=layout.get("decimal"),
        thousands=layout.get("thousands"),
        types=types_named(layout.get("types", {})),
        only=only,
        progress=progress,
    )


def identifier_faults(microdata: Microdata, full: Mapping[str, Any]) -> list[str]:
    """Return which identifiers of the source are columns of the release."""
    pseudonymised = [name for name in full.get("pseudonymised", ()) if name in microdata.dictionary.names]
    named = [*full.get("identifiers", ()), *(a.name for a in microdata.dictionary.of(Category.IDENTIFIER))]
    present = [n for n in dict.fromkeys(named) if n in microdata.dictionary.names and n not in pseudonymised]
    faults = [f"the identifier '{name}' is a column of the release" for name in present]
    relation = microdata.relation
    for name in pseudonymised:
        value = as_text(relation.physical([name])[0])
        other = exp.Not(this=exp.RegexpLike(this=value, expression=exp.Literal.string(_PSEUDONYM)))
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(relation.source()).where(other)
        if relation.engine.run(plan)[0]["n"]:
            faults.append(f"'{name}' holds something else than pseudonyms")
    return faults


def source_facts(original: Microdata) -> dict[str, Any]:
    """Return what is remembered of the source: its name, its format and its hash."""
    path = Path(original.source.name)
    facts = {"name": original.source.name, "format": original.source.format, "columns": len(original.columns)}
    return facts | ({"sha256": sha256(path), "bytes": path.stat().st_size} if path.is_file() else {})


def under_names(microdata: Microdata, names: tuple[str, ...]) -> Microdata:
    """Return the microdata under the names that the format allowed."""
    if tuple(column.name for column in microdata.columns) == names:
        return microdata
    columns = [replace(column, name=name) for column, name in zip(microdata.relation.columns, names, strict=True)]
    attributes = tuple(a.with_(name=n) for a, n in zip(microdata.dictionary, names, strict=True))
    dictionary = replace(microdata.dictionary, attributes=attributes)
    return replace(microdata, relation=microdata.relation.renamed(columns), dictionary=dictionary)
