"""Identifiers on release: dropped, or replaced by pseudonyms that only the holder of a key can make.

A pseudonym is the first half (128 bits) of HMAC-SHA256 of the value under the key, in hexadecimal: the same value has
the same pseudonym in every release under that key, so that files can be linked by those who are given them. Without
the key nobody can try out names; with it everybody can, so that the key is as confidential as the identifiers. It
comes from a file or an environment variable, never from the command line, where other users of the machine see it.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.describe.undecided import doubts, notes_on_doubts
from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.model.secret_key import HOW_TO_MAKE_ONE, weakness
from tacita.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

_DO = f"{HOW_TO_MAKE_ONE}; give it in a file, or in an environment variable"


def identifiers_of(before: Microdata, after: Microdata) -> tuple[str, ...]:
    """Return every attribute that was an identifier before or after records were changed."""
    attributes = [*before.dictionary.of(Category.IDENTIFIER), *after.dictionary.of(Category.IDENTIFIER)]
    return tuple(dict.fromkeys(attribute.name for attribute in attributes))


def with_identifiers(microdata: Microdata, names: Collection[str]) -> Microdata:
    """Return microdata in which these attributes, where it has them, are identifiers."""
    categories = {name: Category.IDENTIFIER for name in names if name in microdata.dictionary.names}
    return microdata.with_dictionary(microdata.dictionary.with_categories(categories))


def undecided_identifiers(
    microdata: Microdata, decided: Collection[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return attributes that nobody decided on and that may name respondents, and notes about them.

    This is the last line of defence: `Dataset.for_release` has made identifiers of them long before, unless somebody
    put the outcome together themselves. `decided` are attributes that have a role without having a category.
    """
    base = ExperienceBase.load(Settings.from_environment().experience)
    dropped = [d for d in doubts(microdata.relation, microdata.dictionary, base, decided) if d.is_dropped]
    return tuple(doubt.attribute for doubt in dropped), tuple(notes_on_doubts(dropped))


def key_from(*, file: Path | None = None, variable: str | None = None) -> bytes:
    """Return the key in a file or in an environment variable; a line end after it does not belong to it."""
    if (file is None) == (variable is None):
        raise UsageError("the key of the pseudonyms is given twice, or not at all", do="give a file or a variable")
    if file is not None:
        try:
            key = file.read_bytes()
        except OSError as error:
            raise InputError(f"the key cannot be read ({error.strerror})", where=str(file), do="check it") from None
    else:
        assert variable is not None
        if variable not in os.environ:
            raise UsageError(f"there is no environment variable {variable}", do="set it to the key")
        key = os.environb[os.fsencode(variable)] if os.supports_bytes_environ else os.environ[variable].encode()
    key = key.rstrip(b"\r\n")
    check_key(key)
    return key


def check_key(key: bytes | None) -> None:
    """Raise if there is no key, or one that can be guessed."""
    if key is None:
        raise UsageError("identifiers are to be replaced by pseudonyms, but there is no key", do=_DO)
    if (why := weakness(key)) is not None:
        raise UsageError(f"the key of the pseudonyms {why}", do=_DO)


def pseudonym(value: str, key: bytes) -> str:
    """Return the pseudonym of a value.

    >>> pseudonym("IT-0042", b"sixteen bytes ..") == pseudonym("IT-0042", b"sixteen bytes ..")
    True
    >>> len(pseudonym("IT-0042", b"sixteen bytes .."))
    32
    """
    return hmac.digest(key, value.encode("utf-8", "surrogatepass"), "sha256")[:16].hex()


def pseudonyms(relation: Relation, name: str, key: bytes) -> Relation:
    """Return the different values of an identifier as text, ``c0``, and the pseudonym of each, ``c1``."""
    import pyarrow as pa

    column = relation.column(name)
    value = as_text(exp.column(column.physical))
    plan = exp.select(exp.alias_(value, "value")).distinct().from_(relation.source())
    plan = plan.where(exp.Not(this=exp.Is(this=exp.column(column.physical), expression=exp.Null())))
    schema = pa.schema([("value", pa.string()), ("pseudonym", pa.string())])
    # A number reads 1.0 in one file and 1 in another: the same person must have the same pseudonym.
    is_number = column.type is ColumnType.NUMBER
    batches = list(_pseudonym_batches(relation.engine.stream(plan, 100_000), schema, key, is_number=is_number))
    return relation.engine.adopt(batches, schema)


def _pseudonym_batches(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, key: bytes, *, is_number: bool
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        values = batch.column(0).to_pylist()
        names = [pseudonym(value.removesuffix(".0") if is_number else value, key) for value in values]
        yield pa.RecordBatch.from_arrays(
            [batch.column(0).cast(pa.string()), pa.array(names, pa.string())], schema=schema
        )
