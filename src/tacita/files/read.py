"""The front door in: a file, a pattern, a folder, a database or an object becomes microdata with its dictionary."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from tacita.engines.plans.weights import faulty_weights
from tacita.engines.protocol import Engine
from tacita.errors import InputError, UsageError, did_you_mean, listed
from tacita.files import parquet
from tacita.files.contract import Loaded, ReadOptions
from tacita.files.declared_missing import with_declared_missing
from tacita.files.formats import DATABASE, FORMATS, check_no_credentials, format_of, is_database
from tacita.files.hierarchies import check_hierarchies_cover, load_hierarchies
from tacita.files.one_spelling import with_one_spelling
from tacita.model import dictionary_file
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source


def read(
    source: object,
    engine: Engine,
    options: ReadOptions | None = None,
    *,
    name: str | None = None,
    dictionary: Path | None = None,
    use_dictionary: bool = True,
) -> Microdata:
    """Return microdata; a dictionary beside the file is picked up (unless told not to), and must fit."""
    options = options or ReadOptions()
    if dictionary is not None and dictionary.suffix != ".toml":
        raise UsageError("the dictionary is not a .toml file", where=str(dictionary), do="give firms.dictionary.toml")
    if isinstance(source, str) and is_database(source):
        module = DATABASE.load()
        loaded = module.read(source, options, engine)
        origin = Source(module.without_secrets(source), DATABASE.name, loaded.details)
        return _microdata(loaded, options, origin, name or options.table or "query", dictionary)
    if isinstance(source, str) and (scheme := re.match(r"(\w[\w+.-]*)://", source)):
        raise UsageError(f"no database of the kind '{scheme[1]}' is known", do="use postgresql, sqlite or mysql")
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        check_no_credentials(str(source))
        beside = dictionary or (dictionary_file.find(path) if use_dictionary else None)
        return _read_path(path, engine, options, name, beside)
    from tacita.files import objects

    loaded = objects.read(source, options, engine)
    return _microdata(
        loaded,
        options,
        Source("an object in memory", type(source).__name__, loaded.details),
        name or "data",
        dictionary,
    )


def _read_path(path: Path, engine: Engine, options: ReadOptions, name: str | None, beside: Path | None) -> Microdata:
    if glob.has_magic(str(path)) and not path.exists():
        loaded, kind = _read_pattern(path, engine, options), "Parquet"
    else:
        _check_readable(path)
        if path.is_dir():
            loaded, kind = parquet.read(path, options, engine), "Parquet"
        else:
            known = format_of(path)
            module: ModuleType = known.load()
            loaded, kind = module.read(path, options, engine), known.name
    where = Source(str(path), kind, loaded.details)
    return _microdata(loaded, options, where, name or _name(path), beside)


def _read_pattern(path: Path, engine: Engine, options: ReadOptions) -> Loaded:
    files = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
    if not files:
        raise InputError("no file matches this pattern", where=str(path), do="check the folder and the pattern")
    others = [file for file in files if file.suffix not in {".parquet", ".pq"}]
    if others:
        raise InputError(
            f"{len(others)} of the {len(files)} files that match are not Parquet",
            where=str(path),
            do="patterns are for Parquet; give other formats one by one",
        )
    return parquet.read_files(files, options, engine)


def _check_readable(path: Path) -> None:
    try:
        path.stat()
    except PermissionError:
        raise InputError("no permission to look there", where=str(path), do="check the rights of the folder") from None
    except (FileNotFoundError, NotADirectoryError):
        near = sorted(p.name for p in path.parent.iterdir() if p.is_file()) if path.parent.is_dir() else []
        raise InputError(
            f"there is no such file{did_you_mean(path.name, near)}", where=str(path), do="check the path"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"is no usable path ({type(error).__name__})", where=str(path)[:100], do="check the path"
        ) from None
    if not os.access(path, os.R_OK):
        raise InputError("no permission to read it", where=str(path), do="check the rights of the file")


def _microdata(loaded: Loaded, options: ReadOptions, source: Source, name: str, beside: Path | None) -> Microdata:
    if options.one_spelling:
        loaded = replace(loaded, relation=with_one_spelling(loaded.relation, options.one_spelling))
    draft = Dictionary(name, loaded.attributes, loaded.description)
    microdata = Microdata(loaded.relation, draft, source, loaded.readings)
    if beside is None:
        return microdata
    given = dictionary_file.load(beside)
    given.check_fits((*draft.names, *loaded.left_out), where=str(beside))
    if loaded.left_out:
        given = replace(given, attributes=tuple(given[name] for name in draft.names))
    # What the file itself carries (labels, missings) stays unless the dictionary says otherwise.
    merged = given.mapped(lambda attribute: _merged(attribute, draft[attribute.name]))
    ordered = Dictionary(
        merged.name,
        tuple(merged[name] for name in draft.names),
        merged.description or draft.description,
        merged.missing_as,
        merged.scenarios,
    )
    hierarchies = load_hierarchies(ordered, loaded.relation, beside.parent)
    # Codes that the file declares itself are missing already; those of the dictionary alone are still values.
    declared = {a.name: a for a in ordered if a.missing and not draft[a.name].missing}
    microdata = replace(microdata, relation=with_declared_missing(loaded.relation, declared))
    microdata = replace(microdata.with_dictionary(ordered), hierarchies=hierarchies)
    check_weight(microdata, where=str(beside))
    check_hierarchies_cover(microdata)
    return microdata


def _merged(given: Attribute, own: Attribute) -> Attribute:
    return given.with_(
        description=given.description or own.description,
        labels=given.labels or own.labels,
        missing=given.missing or own.missing,
        format=given.format or own.format,
    )


def check_weight(microdata: Microdata, where: str) -> None:
    """Raise if the sampling weight is not a finite number above zero in every row."""
    name = microdata.dictionary.weight
    if name is None:
        return
    column = microdata.column(name)
    if not column.type.is_numeric:
        reading = next((r.reason for r in microdata.readings if r.name == name), "text")
        raise InputError(
            f"the weight '{name}' is not a number ({reading})",
            where=where,
            do="correct the values, or choose another weight",
        )
    relation = microdata.relation
    counted, first = faulty_weights(relation, column)
    kinds = relation.engine.run(counted)
    if kinds:
        said = ", ".join(f"{row['n']:,} {row['fault']}" for row in kinds)
        rows = [int(row["row"]) for row in relation.engine.run(first)]
        raise InputError(
            f"the weight '{name}' has unusable values: {said} (first rows: {listed(rows)})",
            where=where,
            do="a weight is a finite number above zero: correct these rows or leave them out",
        )


def _name(path: Path) -> str:
    """Return the name of a microdata DB: the file's, without its ending.

    >>> _name(Path("data/firms.csv.gz"))
    'firms'
    """
    name = path.name or path.resolve().name
    endings = sorted((e for f in FORMATS for e in f.endings if name.lower().endswith(e)), key=len)
    return (name[: -len(endings[-1])] if endings else name) or "data"
