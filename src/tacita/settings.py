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
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from tacita.errors import UsageError, did_you_mean

_MEMORY = re.compile(r"^\d+(\.\d+)?\s*([KMGT]i?B|%)$", re.IGNORECASE)


def _folder(variable: str, default: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / default) / "tacita"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the machine, checked where they are made.

    >>> Settings(memory="1GB", threads=2).memory
    '1GB'
    """

    memory: str = field(
        default="4GB",
        metadata={"doc": "most memory the embedded engine may take before it spills, such as 1500MB, 4GB or 50%"},
    )
    threads: int = field(
        default_factory=lambda: os.cpu_count() or 1,
        metadata={"doc": "number of threads of the embedded engine"},
    )
    spill: Path = field(
        default_factory=lambda: Path(tempfile.gettempdir()),
        metadata={"doc": "folder for data that does not fit in memory; emptied at the end of a run"},
    )
    experience: Path = field(
        default_factory=lambda: _folder("XDG_CONFIG_HOME", ".config") / "experience.toml",
        metadata={"doc": "file that remembers confirmed categories of attributes (names only, never values)"},
    )
    state: Path = field(
        default_factory=lambda: _folder("XDG_STATE_HOME", ".local/state"),
        metadata={"doc": "folder that remembers unfinished writes, so that the next run can remove what a kill left"},
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
    if name in {"spill", "experience", "state"}:
        return Path(text).expanduser()
    if name == "threads":
        if not text.isdecimal():
            raise UsageError(f"{variable} is '{text}'", do="give a whole number")
        return int(text)
    return text
