"""What a user may set about the machine: memory, threads, where to spill, where experience is kept.

One frozen class. Each setting can be given on the command line, in the environment (``TACITA_`` and the name in
capitals) or in Python; the command line wins over the environment. What concerns one job (a seed, a delimiter, a
threshold) is an argument of that job, not a setting.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from tacita.errors import UsageError, did_you_mean
from tacita.options import Typed, option

_MACHINE = "Machine"
_MEMORY = re.compile(r"^\d+(\.\d+)?\s*([KMGT]i?B|%)$", re.IGNORECASE)


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / default) / "tacita"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the machine, checked where they are made.

    >>> Settings(memory="1GB", threads=2).memory
    '1GB'
    """

    memory: str = option(
        "4GB",
        help="most memory the embedded engine may take before it spills, such as 1500MB, 4GB or 50%",
        typed=(Typed("memory", str, "Most memory of the engine, such as 4GB.", panel=_MACHINE),),
    )
    threads: int = option(
        factory=lambda: os.cpu_count() or 1,
        help="number of threads of the embedded engine",
        typed=(Typed("threads", int, "Threads of the engine.", panel=_MACHINE),),
    )
    spill: Path = option(
        factory=lambda: Path(tempfile.gettempdir()),
        help="folder for data that does not fit in memory; emptied at the end of a run",
        typed=(Typed("spill", Path, "Folder for what does not fit in memory.", panel=_MACHINE),),
    )
    experience: Path = option(
        factory=lambda: _folder("XDG_CONFIG_HOME", ".config") / "experience.toml",
        help="file that remembers confirmed categories of attributes (names only, never values)",
        typed=(),
    )
    state: Path = option(
        factory=lambda: _folder("XDG_STATE_HOME", ".local/state"),
        help="folder that remembers unfinished writes, so that the next run can remove what a kill left",
        typed=(),
    )
    ledger: Path | None = option(
        default=None,
        help="settings file of the ledger of an organisation; default: looked for above each release",
        typed=(),
    )

    def __post_init__(self) -> None:
        if not _MEMORY.match(self.memory):
            raise UsageError(f"memory is '{self.memory}'", where="settings", do="write it like 1500MB, 4GB or 50%")
        most = 16 * (os.cpu_count() or 1)
        if not 1 <= self.threads <= most:
            raise UsageError(f"threads is {self.threads}", where="settings", do=f"give 1 to {most}")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **given: Any) -> Self:
        """Return the settings of the environment, with those given (and not None) on top.

        >>> Settings.from_environment({"TACITA_THREADS": "3"}, memory="2GB").threads
        3
        """
        environment = os.environ if environment is None else environment
        known = {f"TACITA_{f.name.upper()}": f.name for f in fields(cls)}
        values: dict[str, Any] = {}
        for variable, name in known.items():
            if text := environment.get(variable):
                values[name] = _parsed(name, text, variable)
        for variable in environment:
            if variable.startswith("TACITA_") and variable not in known and variable not in _OTHER_VARIABLES:
                raise UsageError(
                    f"unknown environment variable {variable}{did_you_mean(variable, known)}",
                    do=f"unset it, or use one of {', '.join(known)}",
                )
        values.update({name: value for name, value in given.items() if value is not None})
        return cls(**values)

    def with_(self, **changes: Any) -> Self:
        """Return these settings with some changed."""
        return replace(self, **changes)


# Read elsewhere: by the command line when a fault is ours, and by tests to find reference data.
_OTHER_VARIABLES = frozenset({"TACITA_DEBUG", "TACITA_SHARED"})


def _parsed(name: str, text: str, variable: str) -> object:
    if name in {"spill", "experience", "state", "ledger"}:
        return Path(text).expanduser()
    if name == "threads":
        if not text.isdecimal():
            raise UsageError(f"{variable} is '{text}'", do="give a whole number")
        return int(text)
    return text
