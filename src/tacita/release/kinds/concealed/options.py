"""What may be chosen about the release of a file with concealed cells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tacita.errors import UsageError
from tacita.forms import choose
from tacita.options import option
from tacita.release.options import FolderOptions

_PANEL = "The release"


class HideAs(StrEnum):
    """What a hidden cell becomes."""

    TOKEN = "token"
    """An empty cell, and a token from which whoever has the key gets the value back."""
    NULL = "null"
    """An empty cell, and an entry in a list that says that it is hidden and not missing."""
    EMPTY = "empty"
    """An empty cell, as a missing value has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcealedOptions(FolderOptions):
    """How a file with concealed cells is released."""

    hide_as: HideAs = option(
        HideAs.TOKEN,
        panel=_PANEL,
        help="token: encrypted, so that a key gives the value back; null: empty and listed as hidden; empty.",
    )
    key: Path | None = option(
        None, panel=_PANEL, key=None, help="File with the master key of the tokens ('tacita keys make' makes one)."
    )
    in_cells: bool = option(False, "--in-cells", panel=_PANEL, help="Write tokens into the cells, not beside the file.")
    fresh: bool = option(
        False, "--fresh", panel=_PANEL, help="Make tokens that differ from those of the same cells in other releases."
    )
    derive_keys: bool = option(
        False,
        "--derive-keys",
        panel=_PANEL,
        help="Derive the keys of persons from the master key: no key store, and nobody can be erased.",
    )
    keys_of: Path | None = option(
        None, panel=_PANEL, key=None, help="An earlier release of the same data whose keys are used again."
    )
    shuffle: bool = option(
        True, "--no-shuffle", panel=_PANEL, help="Keep the order of the records, which may tell who is who."
    )
    escape_formulas: bool = option(
        False,
        "--escape-formulas",
        panel=_PANEL,
        help="Put an apostrophe before CSV cells that a spreadsheet would run.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "hide_as", choose(self.hide_as, HideAs, "form of hidden cells"))
        for name in ("key", "keys_of"):
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else Path(given))
        if self.hide_as is HideAs.TOKEN and self.key is None:
            raise UsageError(
                "tokens need a master key",
                do="make one with 'tacita keys make FILE' and add --key FILE, or hide cells with --hide-as null",
            )
        given = {
            "--key": self.key is not None,
            "--in-cells": self.in_cells,
            "--fresh": self.fresh,
            "--derive-keys": self.derive_keys,
            "--keys-of": self.keys_of is not None,
        }
        if self.hide_as is not HideAs.TOKEN and (extra := [name for name, is_given in given.items() if is_given]):
            raise UsageError(f"{', '.join(extra)} is for tokens", do="leave it out, or use --hide-as token")
        if self.derive_keys and self.keys_of is not None:
            raise UsageError("--keys-of names a key store, and --derive-keys does without", do="give one of them")
