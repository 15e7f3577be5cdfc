"""Where in a source text something was written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """A stretch of a source text; lines and columns count from 1, the end is exclusive."""

    source: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source or "made by a pass"

    def to(self, end: Origin) -> Origin:
        """Return the stretch from here to the end of another one."""
        return Origin(self.source, self.line, self.column, end.end_line, end.end_column)


NOWHERE = Origin()
