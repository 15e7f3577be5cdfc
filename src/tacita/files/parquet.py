"""Parquet: a file, several files, a partitioned folder. Scanned where they are, never loaded whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.engines.protocol import Engine, Relation
from tacita.errors import InputError, faults_text
from tacita.files.contract import Loaded, ReadOptions, WriteOptions
from tacita.files.streaming import schema_of
from tacita.files.told import as_told
from tacita.model.attribute import Attribute
from tacita.model.microdata import Reading
from tacita.progress import Step

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.model.microdata import Microdata


def read(source: Path, options: ReadOptions, engine: Engine) -> Loaded:
    """Read a Parquet file, or a folder of them (``year=2024/part-0.parquet``: ``year`` becomes a column)."""
    return read_files(parts(source), options, engine)


def parts(source: Path) -> list[Path]:
    """Return the Parquet files of a path in a stable order."""
    if not source.is_dir():
        return [source]
    files = sorted(p for p in source.rglob("*") if p.suffix in {".parquet", ".pq"} and p.is_file())
    files = [p for p in files if not any(part.startswith((".", "_")) for part in p.relative_to(source).parts)]
    if not files:
        raise InputError(
            "is a folder without Parquet files",
            where=str(source),
            do="give a file, or a folder of Parquet files",
        )
    return files


def read_files(files: Sequence[Path], options: ReadOptions, engine: Engine) -> Loaded:
    """Read Parquet files of the same columns as one relation."""
    _check_same_columns(files)
    partitioned = any("=" in part for file in files for part in file.parts[:-1])
    relation = engine.scan_parquet(files, partitioned=partitioned)
    names = _names(files[0], relation)
    relation = relation.renamed([replace(c, name=name) for c, name in zip(relation.columns, names, strict=True)])
    from_file = tuple(Reading(c.name, c.type, "as the file says") for c in relation.columns)
    relation, readings = as_told(relation, from_file, options, str(files[0]))
    details = (("files", f"{len(files):,}"),) if len(files) > 1 else ()
    return Loaded(relation, tuple(Attribute(c.name) for c in relation.columns), readings, details)


def _check_same_columns(files: Sequence[Path]) -> None:
    """Raise if a part has other columns, or other types, than the first: the engine would drop or mix them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    first: dict[str, str] = {}
    faults = []
    for file in files:
        try:
            schema = pq.read_schema(file)
        except (pa.ArrowException, OSError):
            continue  # not a Parquet file: the engine says so
        families = {name: _family(schema.field(i).type) for i, name in enumerate(schema.names)}
        if not families:
            raise InputError("the file has no columns", where=str(file), do="check how the file was made")
        first = first or families
        faults += [f"{file.name} has no column '{name}'" for name in first if name not in families]
        faults += [
            f"{files[0].name} has no column '{name}', but {file.name} has" for name in families if name not in first
        ]
        faults += [
            f"column '{name}' is {kind} in {file.name}, but {first[name]} in {files[0].name}"
            for name, kind in families.items()
            if first.get(name, kind) != kind
        ]
    if faults:
        more = [f"and {len(faults) - 6} more"] if len(faults) > 6 else []
        raise InputError(
            faults_text([*faults[:6], *more]), where=str(files[0].parent), do="give parts of the same columns and types"
        )


def _family(type_: pa.DataType) -> str:
    """Return what a type is to a person: parts may differ in width, not in meaning."""
    import pyarrow as pa

    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    families = {
        "a whole number": pa.types.is_integer,
        "a number": lambda t: pa.types.is_floating(t) or pa.types.is_decimal(t),
        "text": lambda t: pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_null(t),
    }
    return next((name for name, test in families.items() if test(type_)), str(type_))


def _names(file: Path, relation: Relation) -> list[str]:
    """Return the names as the file has them: an engine may rename columns that differ only in case."""
    import pyarrow.parquet as pq

    own = list(pq.read_schema(file).names)
    return [*own, *(column.name for column in relation.columns[len(own) :])]


def write(microdata: Microdata, path: Path, options: WriteOptions, *, ending: str) -> tuple[str, ...]:
    """Write one Parquet file."""
    del ending
    import pyarrow.parquet as pq

    total, done, writer = microdata.relation.count(), 0, None
    try:
        for batch in microdata.relation.batches():
            writer = writer or pq.ParquetWriter(path, batch.schema, compression="zstd")
            writer.write_batch(batch)
            done += batch.num_rows
            options.progress(Step("writing", done, total))
        # Also without a row the file has its columns.
        writer = writer or pq.ParquetWriter(path, schema_of(microdata), compression="zstd")
    finally:
        if writer is not None:
            writer.close()
    return lost_spellings(microdata)


def lost_spellings(microdata: Microdata) -> tuple[str, ...]:
    """Return what a format without user-defined missings cannot hold, in a sentence."""
    lost = [c.name for c in microdata.columns if c.as_written and microdata.attribute(c.name).missing]
    if not lost:
        return ()
    return (
        f"user-defined missing codes of {', '.join(lost)} became plain missing values; this format has no such codes",
    )
