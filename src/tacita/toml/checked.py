"""Checked access to the tables of a TOML file: a wrong entry becomes a fault with its place, and reading goes on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tacita.errors import did_you_mean, without_credentials
from tacita.toml.faults import Faults, entry_name
from tacita.toml.statements import Keys

_T = TypeVar("_T")

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "a table"),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """One table of the file; each method takes one key and gives its value, or the default after noting a fault."""

    table: dict[str, Any]
    keys: Keys
    faults: Faults
    folder: Path

    @classmethod
    def of(cls, given: object, keys: Keys, faults: Faults, folder: Path, known: Sequence[str]) -> Checked:
        """Return a table of which only some keys are known."""
        if not isinstance(given, dict):
            faults.add(keys, f"{entry_name(keys)} must be a table, not {kind_of(given)}")
            given = {}
        for key in given:
            if key not in known:
                near = did_you_mean(key, known) or f"; known are: {', '.join(known)}"
                inside = f" in [{'.'.join(keys)}]" if keys else ""
                faults.add((*keys, key), f"unknown key '{key}'{inside}{near}")
        return cls(given, keys, faults, folder)

    def below(self, key: str, known: Sequence[str]) -> Checked:
        """Return a table inside this one; an absent one is empty."""
        return Checked.of(self.table.get(key, {}), (*self.keys, key), self.faults, self.folder, known)

    def open(self, key: str) -> Checked:
        """Return a table inside this one whose keys are names of a user."""
        given = self.table.get(key)
        return self.below(key, list(given) if isinstance(given, dict) else ())

    def tables(self, key: str) -> list[tuple[int, dict[str, Any]]]:
        """Return the tables of a list, [[key]], numbered from 1; an absent list is empty."""
        given = self.table.get(key, [])
        if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
            self.fault(key, f"'{key}' is a list of tables: write [[{'.'.join((*self.keys, key))}]]")
            return []
        return list(enumerate(map(dict, given), 1))

    def fault(self, key: str, message: str) -> None:
        """Note a fault of one key."""
        self.faults.add((*self.keys, key), message)

    def text(self, key: str, default: _T, *, among: Iterable[str] = ()) -> str | _T:
        """Return a text, one of a few if they are given."""
        given = self.table.get(key)
        if given is None:
            return default
        if not isinstance(given, str) or not given.strip():
            return self._wrong(key, given, "a text that is not empty", default)
        choice = tuple(among)
        if choice and given not in choice:
            near = did_you_mean(given, choice) or f"; use one of {', '.join(choice)}"
            self.fault(key, f"{self._named(key)} cannot be '{given}'{near}")
            return default
        return given

    def texts(self, key: str, *, single: bool = False) -> tuple[str, ...]:
        """Return a list of texts; where `single` is allowed, one text is a list of one."""
        given = self.table.get(key, [])
        if single and isinstance(given, str):
            given = [given]
        if not isinstance(given, list) or not all(isinstance(item, str) and item for item in given):
            return self._wrong(key, given, "a list of texts", ())
        if len(set(given)) < len(given):
            self.fault(key, f"{self._named(key)} names something twice")
        return tuple(given)

    def whole_numbers(self, key: str) -> tuple[int, ...]:
        """Return a list of whole numbers above zero."""
        given = self.table.get(key, [])
        if not isinstance(given, list) or not all(type(item) is int and item > 0 for item in given):
            return self._wrong(key, given, "a list of whole numbers above zero", ())
        return tuple(given)

    def number(
        self, key: str, default: _T, *, least: float = -math.inf, most: float = math.inf, above: bool = False
    ) -> float | _T:
        """Return a finite number from `least` to `most`; `above`: more than `least`."""
        given = self.table.get(key)
        if given is None:
            return default
        if isinstance(given, bool) or not isinstance(given, int | float):
            return self._wrong(key, given, "a number", default)
        if not math.isfinite(given):
            self.fault(key, f"{self._named(key)} is {given:g}, but must be a finite number")
            return default
        if given < least or given > most or (above and given == least):
            low = f"{'more than' if above else 'at least'} {least:g}" if least > -math.inf else ""
            high = f"at most {most:g}" if most < math.inf else ""
            bounds = " and ".join(filter(None, (low, high)))
            self.fault(key, f"{self._named(key)} is {given:g}, but must be {bounds}")
            return default
        return float(given)

    def whole(self, key: str, default: _T, *, least: int = 0) -> int | _T:
        """Return a whole number."""
        given = self.table.get(key)
        if given is None:
            return default
        if type(given) is not int:
            return self._wrong(key, given, "a whole number", default)
        if given < least:
            self.fault(key, f"{self._named(key)} is {given}, but must be at least {least}")
            return default
        return given

    def truth(self, key: str, default: bool) -> bool:
        """Return true or false."""
        given = self.table.get(key, default)
        return given if isinstance(given, bool) else self._wrong(key, given, "true or false", default)

    def file(self, key: str) -> Path | None:
        """Return the path of a file that is there; a relative one is relative to the folder of the TOML file."""
        given = self.text(key, None)
        return self.path(key, given) if given is not None else None

    def files(self, key: str) -> tuple[Path, ...]:
        """Return paths of files, one or a list of them."""
        return tuple(self.path(key, given) for given in self.texts(key, single=True))

    def path(self, key: str, given: str) -> Path:
        """Return the path of a file, with a fault noted if it is not there."""
        path = self.folder / given
        if not path.is_file():
            near = sorted(sibling.name for sibling in path.parent.iterdir()) if path.parent.is_dir() else []
            shown = without_credentials(given, is_place=True)
            what = "a folder, not a file" if path.is_dir() else "no file that is there"
            self.fault(key, f"{self._named(key)} names {what}: '{shown}'{did_you_mean(path.name, near)}")
        return path

    def _named(self, key: str) -> str:
        return entry_name((*self.keys, key))

    def _wrong(self, key: str, given: object, what: str, default: _T) -> _T:
        self.fault(key, f"{self._named(key)} must be {what}, not {kind_of(given)}")
        return default


def kind_of(value: object) -> str:
    """Return what an entry is, in words; never what it says."""
    return next((word for kind, word in _KINDS if isinstance(value, kind)), "a date or a time")
