"""CSV, TSV and other delimited text: found layout, checked types, the source's own spelling kept.

UTF-8 goes through the engine's parser. Any other encoding is decoded on the way in by Arrow's parser; nothing is ever
converted on disk.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sqlglot import exp

from tacita.engines.plans.terms import as_text, cell, named
from tacita.engines.protocol import Delimited, Engine, Relation
from tacita.errors import InputError, UsageError, did_you_mean, faults_text
from tacita.files import formulas
from tacita.files.contract import Loaded, ReadOptions, WriteOptions
from tacita.files.layout import Layout, character, find_layout
from tacita.files.typed_columns import typed
from tacita.model.attribute import Attribute
from tacita.model.relation import Column, ColumnType
from tacita.progress import Step

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.model.microdata import Microdata

_TAB_ENDINGS = (".tsv", ".tab", ".tsv.gz")


def read(source: Path, options: ReadOptions, engine: Engine) -> Loaded:
    """Read a delimited text file."""
    tab = "\t" if source.name.lower().endswith(_TAB_ENDINGS) else None
    layout = find_layout(source, options, tab)
    for name in options.types:
        if name not in layout.names:
            raise UsageError(
                f"--as names '{name}', which is no column{did_you_mean(name, layout.names)}",
                do=f"use one of: {', '.join(layout.names[:20])}",
            )
    options.progress(Step(f"reading {source.name}"))
    places = range(len(layout.names))
    kept = [place for place in places if options.only is None or layout.names[place] in options.only] or list(places)
    names, rows = [layout.names[place] for place in kept], layout.rows
    if len(kept) < len(layout.names):
        rows = tuple(tuple(row[place] for place in kept if place < len(row)) for row in rows)
    raw = _load(source, layout, engine, kept)
    named = raw.renamed([Column(name, c.physical, c.type) for name, c in zip(names, raw.columns, strict=True)])
    options.progress(Step("finding what each column is"))
    relation, readings, style = typed(named, rows, options)
    if relation.table != raw.table:
        engine.drop(raw)
    details = layout.details
    if any(c.type.is_numeric for c in relation.columns):
        details += (("decimal", style.decimal),)
        details += (("thousands", style.thousands),) if style.thousands else ()
    left_out = frozenset(layout.names) - frozenset(names)
    return Loaded(relation, tuple(map(Attribute, names)), readings, details, left_out=left_out)


def _load(source: Path, layout: Layout, engine: Engine, kept: Sequence[int]) -> Relation:
    if layout.encoding.replace("_", "-").lower() in {"utf-8", "utf8", "ascii", "utf-8-sig"}:
        places = None if len(kept) == len(layout.names) else tuple(kept)
        shape = Delimited(len(layout.names), layout.delimiter, layout.quote, layout.header, places)
        return engine.load_delimited([source], shape)
    import pyarrow as pa

    schema = pa.schema([(f"c{i}", pa.string()) for i in kept])
    return engine.adopt((batch.select(list(kept)) for batch in _decoded_batches(source, layout)), schema)


def _decoded_batches(source: Path, layout: Layout) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    _check_quotes_close(source, layout)
    faults: list[str] = []

    def unfit(row: arrow_csv.InvalidRow) -> str:
        faults.append(f"row {row.number}: {row.actual_columns} fields where the header has {row.expected_columns}")
        return "skip"

    names = [f"c{i}" for i in range(len(layout.names))]
    try:
        reader = arrow_csv.open_csv(
            source,
            read_options=arrow_csv.ReadOptions(
                encoding=layout.encoding,
                column_names=names,
                skip_rows_after_names=int(layout.header),
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.delimiter,
                quote_char=layout.quote or False,
                double_quote=bool(layout.quote),
                newlines_in_values=True,
                ignore_empty_lines=len(names) > 1,
                invalid_row_handler=unfit,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in names}, null_values=[""], strings_can_be_null=True
            ),
        )
        yield from reader
    except (UnicodeError, pa.ArrowInvalid):
        raise InputError(
            f"is not {layout.encoding} text of one layout",
            where=str(source),
            do="say how it is encoded and laid out with --encoding, --delimiter and --quote",
        ) from None
    if faults:
        raise InputError(
            faults_text([*faults[:6], *([f"and {len(faults) - 6:,} more rows"] if len(faults) > 6 else [])]),
            where=str(source),
            do="mend these lines, or say what separates the fields with --delimiter",
        )


def _check_quotes_close(source: Path, layout: Layout) -> None:
    """Raise if a quote is opened and never closed: the parser for other encodings would swallow the rest in silence."""
    if not layout.quote:
        return
    opened = gzip.open if source.suffix == ".gz" else open
    quotes = 0
    with contextlib.suppress(UnicodeError), opened(source, "rt", encoding=layout.encoding, newline="") as text:
        while chunk := text.read(1 << 20):
            quotes += chunk.count(layout.quote)
        if quotes % 2:
            raise InputError(
                "a quote is opened and not closed",
                where=str(source),
                do="mend the line, or say which quote character is used with --quote (--quote none for none)",
            )


def write(microdata: Microdata, path: Path, options: WriteOptions, *, ending: str) -> tuple[str, ...]:
    """Write delimited UTF-8 text: nulls are empty cells, untouched cells keep the spelling of their source."""
    relation = microdata.relation
    own = dict(microdata.source.details).get("delimiter") if microdata.source.format == "CSV" else None
    delimiter = options.delimiter or ("\t" if ending in _TAB_ENDINGS else character(own) or ",")
    terms = [named(_as_text(column), column.physical) for column in relation.columns]
    relation.engine.write_delimited(
        exp.select(*terms, copy=False).from_(relation.source(), copy=False),
        path,
        delimiter,
        [column.name for column in relation.columns],
        gzip=ending.endswith(".gz"),
    )
    return formulas.formula_notes(formulas.formula_cells(microdata), microdata.dictionary.names)


def write_to_pipe(microdata: Microdata, pipe: TextIO, *, escape_formulas: bool = False) -> tuple[str, ...]:
    """Write comma-separated text to an open pipe, cells spelled as in their source; return what has to be said."""
    microdata = formulas.escaped(microdata) if escape_formulas else microdata
    relation = microdata.relation
    terms = [named(_as_text(column), column.physical) for column in relation.columns]
    plan = exp.select(*terms, copy=False).from_(relation.source(), copy=False)
    writer = csv.writer(pipe, lineterminator="\n")
    writer.writerow([column.name for column in relation.columns])
    for batch in relation.engine.stream(plan, 10_000):
        writer.writerows(zip(*(array.to_pylist() for array in batch.columns), strict=True))
    return formulas.formula_notes(formulas.formula_cells(microdata), microdata.dictionary.names)


def _as_text(column: Column) -> exp.Expr:
    value: exp.Expr = cell(column.physical)
    if column.type is not ColumnType.TEXT:
        value = as_text(value)
    if column.as_written:
        value = exp.func("coalesce", cell(column.as_written), value)
    return value
