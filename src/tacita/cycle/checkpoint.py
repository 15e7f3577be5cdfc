"""Where a cycle was when it was killed: the decisions of finished passes, kept until the outcome is there.

A checkpoint holds decisions, no values, in the private state folder. It is found again only by the same source, the
same plan and the same version; a pass that was not finished is made again, so a resumed cycle has the same outcome.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.cycle.decisions import Decisions
from tacita.errors import OutputError
from tacita.files.atomic import atomic
from tacita.model.decision import Decision
from tacita.settings import Settings
from tacita.version import __version__


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The file of one cycle."""

    path: Path
    settings: Settings

    @classmethod
    def of(cls, source: Path, words: Mapping[str, Any], settings: Settings) -> Checkpoint | None:
        """Return the checkpoint of a cycle over a file; None for what is no single file."""
        if not source.is_file():
            return None
        stat = source.stat()
        known = [__version__, str(source.resolve()), stat.st_size, stat.st_mtime_ns, words]
        name = hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()[:32]
        return cls(settings.state / "cycles" / f"{name}.parquet", settings)

    def load(self) -> list[Decision]:
        """Return the decisions of the passes that were finished; none if there is nothing to go on from."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(Decisions(pq.ParquetFile(self.path).read()))
        except (OSError, pa.ArrowInvalid):
            return []

    def save(self, decisions: Sequence[Decision]) -> None:
        """Keep the decisions of finished passes."""
        import pyarrow.parquet as pq

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise OutputError(
                f"the state of the cycle cannot be kept ({error.strerror})",
                where=str(self.path.parent),
                do="set TACITA_STATE to a folder that you can write to",
            ) from None
        with atomic(self.path, force=True, settings=self.settings) as partial:
            pq.write_table(Decisions.of(decisions).table, partial)

    def forget(self) -> None:
        """Remove the file: the outcome is there."""
        self.path.unlink(missing_ok=True)
