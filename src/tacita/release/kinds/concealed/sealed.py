"""Hidden cells as tokens: sealed when a file is released, opened when it is revealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.concealment.concealment import Concealment
from tacita.concealment.keys import (
    CellsToSeal,
    Ciphers,
    DerivedKeys,
    KeyStore,
    MasterKey,
    Tokens,
    make_data_set_id,
    seal,
)
from tacita.concealment.keys.cell_encoding import CellColumn
from tacita.engines.plans.terms import as_text, named
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, counted
from tacita.model.relation import ColumnType
from tacita.progress import Progress, Step, silent
from tacita.release.kinds.concealed.options import ConcealedOptions
from tacita.release.manifest import manifest_in
from tacita.release.opening import internal_folder

if TYPE_CHECKING:
    import pyarrow as pa

KEYS, TOKENS, HIDDEN = "keys.parquet", "tokens.parquet", "hidden.parquet"
RECORDS, SOURCE_DICTIONARY = "records.parquet", "source.dictionary.toml"
RECORD, ATTRIBUTE, TOKEN = "record", "attribute", "token"
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SealingKeys:
    """The keys of a release, and what must be known to use them again."""

    data_set: str
    keys: KeyStore | DerivedKeys
    check: bytes
    """The check value of the master key: it tells whether a key is the right one, and nothing else."""
    widths: Mapping[str, int]
    """The room of a cell of each attribute in the earlier release whose keys are used again."""


def keys_for(concealment: Concealment, options: ConcealedOptions, master: MasterKey) -> SealingKeys:
    """Return the keys of all persons who hide something: new ones, derived ones, or those of an earlier release."""
    hides = np.array([bool(one.hidden) for one in concealment.hidden.groups])[concealment.hidden.of_record]
    names = concealment.persons.names
    persons = sorted({names[person] for person in concealment.persons.of_record[hides].tolist()})
    if options.keys_of is None:
        data_set = make_data_set_id()
        if options.derive_keys:
            return SealingKeys(data_set, DerivedKeys(master, data_set), master.check, {})
        return SealingKeys(data_set, KeyStore.create(persons, master, data_set), master.check, {})
    if not concealment.persons.is_named:
        raise UsageError("keys are used again only where persons have names", do="name the persons with --person NAME")
    return _keys_again(options.keys_of, persons, master)


def _keys_again(release: Path, persons: Sequence[str], master: MasterKey) -> SealingKeys:
    """Return the keys of an earlier release, with new ones for persons who are new."""
    earlier = earlier_keys(release, master)
    store = earlier.keys
    if isinstance(store, DerivedKeys):
        return earlier
    new = [person for person in persons if person not in store]
    if len(new) == len(persons) and len(store):
        raise InputError(
            "no person of this file has a key there: it is a release of other data",
            where=str(release),
            do="name an earlier release of the same data",
        )
    return replace(earlier, keys=store.with_persons(new))


def earlier_keys(release: Path, master: MasterKey) -> SealingKeys:
    """Return the keys of an earlier release; raise if they are not under this master key."""
    internal, sealed = _earlier(release)
    data_set = str(sealed["data_set"])
    widths = {str(name): int(width) for name, width in sealed.get("widths", {}).items()}
    if not sealed.get("derived"):
        return SealingKeys(data_set, KeyStore.read(internal / KEYS, master, data_set), master.check, widths)
    if not master.fits(bytes.fromhex(str(sealed["key_check"]))):
        raise InputError("is not a release under this master key", where=str(release), do="use the key of then")
    return SealingKeys(data_set, DerivedKeys(master, data_set), master.check, widths)


def _earlier(release: Path) -> tuple[Path, Mapping[str, Any]]:
    """Return the internal folder of an earlier release, and what its manifest says of its keys."""
    internal = internal_folder(release)
    sealed = manifest_in(internal).get("sealed")
    if not isinstance(sealed, dict):
        raise InputError("there are no keys of a release", where=str(internal), do="check the path of the release")
    return internal, sealed


def seed_of(release: Path) -> int:
    """Return the seed of an earlier release whose keys are used again."""
    internal, _ = _earlier(release)
    return int(manifest_in(internal)["seed"])


def decoys_of(release: Path) -> frozenset[str]:
    """Return the persons who were decoys in an earlier release: in the next one they have to be decoys again."""
    import pyarrow.compute as pc

    internal, _ = _earlier(release)
    table = parquet_table(internal / RECORDS)
    if not {"person", "decoy"} <= {*table.schema.names}:
        raise InputError("is not a table of records", where=str(internal / RECORDS), do="restore the internal folder")
    return frozenset(table.filter(pc.equal(table.column("decoy"), True)).column("person").to_pylist())


def sealed_cells(
    concealment: Concealment, keys: SealingKeys, places: Places, *, fresh: bool, progress: Progress = silent
) -> tuple[Tokens, ...]:
    """Return the tokens of all hidden cells, by attribute; `places` has the place in the release of each record.

    All cells of an attribute, hidden or not, decide how long its tokens are: their length tells nothing of hidden ones.
    """
    import pyarrow as pa

    persons = pa.array(concealment.persons.names, pa.string()).take(pa.array(concealment.persons.of_record))
    masks = concealment.hidden.masks()
    sealed = []
    ciphers = Ciphers()
    for number, (name, mask) in enumerate(masks.items()):
        progress(Step("encrypting hidden cells", number, len(masks)))
        values, spellings = cells_of(concealment.original.relation, name)
        try:
            width = max(CellColumn.of(values, spellings).width(), keys.widths.get(name, 0))
        except InputError as error:
            raise InputError(f"'{name}' has {error.found}", do=f"read it as text: --as {name}=text") from None
        rows = np.flatnonzero(mask)
        at = pa.array(rows)
        cells = CellsToSeal(name, persons.take(at), pa.array(places[rows]), values.take(at), spellings.take(at))
        sealed.append(seal(cells, keys.keys, fresh=fresh, width=width, ciphers=ciphers))
    return tuple(sealed)


def cells_of(relation: Relation, name: str) -> tuple[pa.Array, pa.Array]:
    """Return the values of an attribute as they are, and how the source spells them where that differs."""
    import pyarrow as pa

    column = relation.column(name)
    value: exp.Expr = exp.column(column.physical)
    value = as_text(value) if column.is_coded or column.type is ColumnType.TEXT else value
    spelling: exp.Expr = exp.column(column.as_written) if column.as_written else exp.Null()
    spelling = exp.Cast(this=spelling, to=exp.DataType(this=exp.DType.TEXT))
    plan = exp.select(named(value, "v"), named(spelling, "w")).from_(relation.source())
    if relation.number:
        plan = plan.order_by(exp.column(relation.number))
    batches = list(relation.engine.stream(plan, 1_000_000))
    if not batches:
        return pa.array([], pa.string()), pa.array([], pa.string())
    table = pa.Table.from_batches(batches)
    values, spellings = (_whole(table.column(place)) for place in range(2))
    return values, spellings.cast(pa.string())


def _whole(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    array = column.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def token_table(sealed: Sequence[Tokens]) -> pa.Table:
    """Return tokens as a table: the number of the record, the attribute, the token; by record."""
    import pyarrow as pa
    import pyarrow.compute as pc

    records = pa.concat_arrays([one.row_ids.cast(pa.int64()) for one in sealed])
    names = pa.array([one.attribute for one in sealed for _ in range(len(one))], pa.string())
    tokens = pa.concat_arrays([one.tokens for one in sealed])
    order = pc.sort_indices(records)  # equal records stay in the order of the attributes
    return pa.table({RECORD: records, ATTRIBUTE: names, TOKEN: tokens}).take(order)


def tokens_in(table: Any, where: str) -> dict[str, Tokens]:
    """Return the tokens of a table by attribute; raise if it is not one of tokens."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if table.schema.names != [RECORD, ATTRIBUTE, TOKEN]:
        raise InputError("is not a table of tokens", where=where, do="restore it from the release")
    by_attribute = {}
    for name in pc.unique(table.column(ATTRIBUTE)).to_pylist():
        part = table.filter(pc.equal(table.column(ATTRIBUTE), name))
        records = _whole(part.column(RECORD)).cast(pa.int64()).cast(pa.string())
        if len(part) != pc.count_distinct(records).as_py():
            raise InputError(
                f"{counted(len(part), 'token')} of '{name}', some of the same record",
                where=where,
                do="restore it from the release",
            )
        by_attribute[str(name)] = Tokens(str(name), records, _whole(part.column(TOKEN)))
    return by_attribute


def parquet_table(path: Path) -> pa.Table:
    """Return a Parquet file of a release; raise if it is missing or damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException):
        raise InputError("is missing or damaged", where=str(path), do="restore it from the release") from None


def hidden_records(table: Any, name: str, where: str) -> list[str]:
    """Return the numbers of the records that hide an attribute, by the list of hidden cells."""
    import pyarrow.compute as pc

    if table.schema.names != [RECORD, ATTRIBUTE]:
        raise InputError("is not a list of hidden cells", where=where, do="restore it from the release")
    return [str(record) for record in table.filter(pc.equal(table.column(ATTRIBUTE), name)).column(RECORD).to_pylist()]
