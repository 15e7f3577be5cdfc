"""A frozen version: the folder with the cube, the policy and the secrets of an opened data set. It stays inside.

``cells.parquet`` has the codes of each cell, ``records.parquet`` the values by cell, ``policy.toml`` the policy as it
was read, ``secret.key`` what noise and tokens are derived from, ``version.json`` the hashes of all of them and what the
data were. Nothing of it changes after it was made.

A version that follows another has the cells and records of both, and the same secret (``following``). It answers by the
ledger of the first one, also if that lies in the folder of the first one.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.errors import InputError, LedgerError, OutputError
from tacita.files.atomic import force_to_disk
from tacita.files.private_file import private_file, read_private
from tacita.ledger.disclosures import POPULATION_FILE, DisclosedPopulation
from tacita.ledger.sources import sha256_of
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.cube.tables import cells_table, labels_of, read_history, records_table
from tacita.queries.disclosing import disclosed_population, population_table
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.queries.policy.policy_file import parse_query_policy
from tacita.settings import Settings
from tacita.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

VERSION_FILE, POLICY_FILE, KEY_FILE = "version.json", "policy.toml", "secret.key"
_CELLS, _RECORDS = "cells.parquet", "records.parquet"
_FORMAT = 2
"""1 had neither keys of records nor earlier versions; such folders are read as they are."""
_KIND = "tacita queryable version"
_KEY_BYTES = 32
_EXPOSED = "a frozen version keeps its key: if others could read it, open the data set anew, under another name"


@dataclass(frozen=True, slots=True, repr=False)
class SourceFacts:
    """What the data are: the file, its content, and how its persons are known."""

    name: str
    path: str
    """Empty if they come from no file."""
    sha256: str
    person_key: tuple[str, ...] = ()
    persons: tuple[str | None, ...] | None = None
    """The keyed hash of the person of each record, if the settings of the ledger give the source a key."""


@dataclass(frozen=True, slots=True, repr=False)
class FrozenVersion:
    """An opened data set as it lies in its folder."""

    folder: Path
    id: str
    """What tells it from other versions: answers of the ledger name it."""
    cube: Cube = field(repr=False)
    secret: bytes = field(repr=False)
    """The key of noise, of samples and of tokens; never shown, never in the ledger."""
    source_name: str
    source_sha256: str
    source_path: str
    created: str
    ledger_id: str
    """Of the ledger that has its answers."""
    population: DisclosedPopulation | None = None
    """The records behind the cells, for whoever judges answers together with releases."""
    earlier: tuple[str, ...] = ()
    """The ids of the versions that it follows, oldest first."""
    own_ledger: str = ""
    """The file of the ledger where none is configured, from the folder on; empty: the one in the folder."""

    def __repr__(self) -> str:
        return f"<FrozenVersion {self.id[:8]} of '{self.cube.policy.name}'>"

    @property
    def policy(self) -> QueryPolicy:
        """The policy that it was opened with."""
        return self.cube.policy

    def cube_of(self, database: str) -> Cube | None:
        """Return the cube as a version of this data set sees it, by the id of the version; None: it is not one."""
        ids = (*self.earlier, self.id)
        return self.cube.seen_from(ids.index(database) + 1) if database in ids else None

    def source_note(self) -> str | None:
        """Return what has to be said of the source now; None if it is as it was."""
        path = Path(self.source_path)
        if not self.source_sha256 or not path.is_file():
            return None
        if sha256_of(path) == self.source_sha256:
            return None
        return (
            f"'{self.source_name}' changed since it was opened on {self.created[:10]}: answers are of the frozen "
            "version. To answer of the new one, open it as a new version (--after), or as a data set of its own."
        )


@dataclass(frozen=True, slots=True, repr=False)
class VersionOrigin:
    """What a version has from the one before it, or from nowhere: its secret, its ledger, the versions it follows."""

    secret: bytes = field(repr=False)
    ledger_id: str = ""
    earlier: tuple[str, ...] = ()
    own_ledger: Path | None = None

    @classmethod
    def new(cls, ledger_id: str) -> VersionOrigin:
        """Return that of a first version."""
        return cls(secrets.token_bytes(_KEY_BYTES), ledger_id)


def write_version(
    folder: Path,
    cube: Cube,
    source: SourceFacts,
    origin: VersionOrigin,
    settings: Settings | None = None,
) -> FrozenVersion:
    """Write a frozen version to a new folder, whole or not at all."""
    if folder.exists() or folder.is_symlink():
        raise OutputError("exists already", where=str(folder), do="choose another name: a version is never replaced")
    if not folder.parent.is_dir():
        raise OutputError("the folder does not exist", where=str(folder.parent), do="make it first")
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    aside.mkdir(mode=0o700)
    try:
        _parquet(aside / _CELLS, cells_table(cube), settings)
        _parquet(aside / _RECORDS, records_table(cube), settings)
        _bytes(aside / POLICY_FILE, cube.policy.text.encode(), settings)
        _bytes(aside / KEY_FILE, origin.secret, settings)
        _parquet(aside / POPULATION_FILE, population_table(cube, source.persons), settings)
        facts = {
            "kind": _KIND,
            "format": _FORMAT,
            "tacita": __version__,
            "id": secrets.token_hex(16),
            "name": cube.policy.name,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "source": {"name": source.name, "path": source.path, "sha256": source.sha256},
            "population": {"sha256": sha256_of(aside / POPULATION_FILE), "person_key": list(source.person_key)},
            "ledger_id": origin.ledger_id,
            "earlier": list(origin.earlier),
            "own_ledger": "" if origin.own_ledger is None else os.path.relpath(origin.own_ledger, folder.resolve()),
            "policy_folder": str(cube.policy.folder.resolve()),
            "has_units": cube.units is not None,
            "has_keys": cube.history is not None,
            "attributes": [
                {
                    "name": one.name,
                    "labels": list(one.labels),
                    "is_regressor": one.numbers is not None,
                    "labels_of": labels_of(cube, one.name),
                }
                for one in cube.attributes
            ],
            "files": {name: sha256_of(aside / name) for name in (_CELLS, _RECORDS, POLICY_FILE, POPULATION_FILE)},
            "key_check": hashlib.sha256(b"check" + (aside / KEY_FILE).read_bytes()).hexdigest()[:16],
        }
        _bytes(aside / VERSION_FILE, (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode(), settings)
        os.rename(aside, folder)  # noqa: PTH104 - a path that is a folder is renamed, never replaced
        force_to_disk(folder.parent)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        raise OutputError(f"cannot be written ({error.strerror})", where=str(folder), do="free some space") from None
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return read_version(folder)


def read_version(folder: Path) -> FrozenVersion:
    """Return the frozen version in a folder; raise if anything of it was changed."""
    import pyarrow.parquet as pq

    if not (folder / VERSION_FILE).is_file():
        raise InputError("is not an opened data set", where=str(folder), do="open one with 'tacita query open'")
    try:
        facts = json.loads(read_private(folder / VERSION_FILE, "the description of a frozen version", exposed=_EXPOSED))
        is_ours = facts["kind"] == _KIND
        newer = facts["format"] > _FORMAT
    except (ValueError, KeyError, TypeError):
        raise _damaged(folder, "its description cannot be read") from None
    if not is_ours:
        raise InputError("is not an opened data set", where=str(folder), do="name the folder that 'query open' made")
    if newer:
        raise InputError("was opened by a newer Tacita", where=str(folder), do="update Tacita")
    try:
        for name, digest in facts["files"].items():
            if not (folder / name).is_file() or sha256_of(folder / name) != digest:
                raise _damaged(folder, f"{name} was changed")
        key = read_private(folder / KEY_FILE, "the key of noise and tokens", exposed=_EXPOSED)
        if hashlib.sha256(b"check" + key).hexdigest()[:16] != facts["key_check"]:
            raise _damaged(folder, f"{KEY_FILE} is another key")
        text = (folder / POLICY_FILE).read_text(encoding="utf-8")
        policy = parse_query_policy(text, where=str(folder / POLICY_FILE), folder=Path(facts["policy_folder"]))
        if facts["format"] == 1 and policy.answers is AnswerMode.CAMOUFLAGE:
            raise InputError(
                "was opened by a Tacita that drew other vectors: two intervals of one figure would say more than one",
                where=str(folder),
                do="open the data under a new name",
            )
        cells, records = pq.read_table(folder / _CELLS), pq.read_table(folder / _RECORDS)
        cube = _cube(policy, facts, cells, records)
        source = facts["source"]
        return FrozenVersion(
            folder,
            facts["id"],
            cube,
            key,
            source["name"],
            source["sha256"],
            source["path"],
            facts["created"],
            facts["ledger_id"],
            disclosed_population(cube, facts["population"]),
            tuple(facts.get("earlier", ())),
            facts.get("own_ledger", ""),
        )
    except (KeyError, TypeError, ValueError, OSError):
        raise _damaged(folder, "a part of it cannot be read") from None


def _cube(policy: QueryPolicy, facts: Mapping[str, Any], cells: pa.Table, records: pa.Table) -> Cube:
    attributes, codes = [], {}
    for at, one in enumerate(facts["attributes"]):
        labels = tuple(one["labels"])
        numbers = np.asarray([float(label) for label in labels]) if one["is_regressor"] else None
        attributes.append(CubeAttribute(one["name"], labels, numbers))
        codes[one["name"]] = cells.column(f"c{at}").to_numpy()
    n = cells.column("n").to_numpy()
    starts = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    values = {one.name: records.column(f"m{at}").to_numpy() for at, one in enumerate(policy.measures)}
    units = records.column("unit").to_numpy() if facts["has_units"] else None
    if len(records) != starts[-1]:
        raise ValueError
    history = None
    if facts.get("has_keys", False):
        known = [{one["name"]: one["labels_of"][at] for one in facts["attributes"]} for at in range(_versions(facts))]
        history = read_history(policy, codes, known, cells, records)
    return Cube(policy, tuple(attributes), codes, n, starts, values, units, None, history, _versions(facts))


def _versions(facts: Mapping[str, Any]) -> int:
    return len(facts.get("earlier", ())) + 1


def _damaged(folder: Path, why: str) -> LedgerError:
    return LedgerError(
        f"the opened data set was changed: {why}",
        where=str(folder),
        do="restore it from a backup; questions are answered of the frozen version only",
    )


def _bytes(path: Path, content: bytes, settings: Settings | None) -> None:
    with private_file(path, settings=settings) as partial:
        partial.write_bytes(content)


def _parquet(path: Path, table: pa.Table, settings: Settings | None) -> None:
    import pyarrow.parquet as pq

    with private_file(path, settings=settings) as partial:
        pq.write_table(table, partial, compression="zstd")
