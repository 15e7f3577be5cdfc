"""What a piece of work runs on, in one value: settings, an engine, and whom progress is reported to.

A door makes a context, hands it over when data are read, and closes it; data sets carry it along. This is the one place
where engines are opened.
"""

from __future__ import annotations

import functools
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal, Self

from tacita.errors import UsageError, did_you_mean
from tacita.progress import Progress, silent
from tacita.settings import Settings

if TYPE_CHECKING:
    from tacita.engines.duckdb import DuckDBEngine
    from tacita.engines.protocol import Engine

EngineName = Literal["duckdb", "spark"]


class Context:
    """Settings, engine and progress of a piece of work. Mutable by nature: close it, or use it in a ``with``.

    An engine is opened when it is first needed and closed with the context. One that is handed over is used as it is,
    and stays open.

    >>> with Context(Settings(threads=1)) as context:
    ...     context.engine.name
    'duckdb'
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        engine: Engine | EngineName | None = None,
        progress: Progress = silent,
    ) -> None:
        self.settings = settings or Settings.from_environment()
        self.progress = progress
        self._name = engine if isinstance(engine, str) else "duckdb"
        if self._name not in {"duckdb", "spark"}:
            known = ["duckdb", "spark"]
            raise UsageError(f"no engine '{self._name}'{did_you_mean(self._name, known)}", do="use duckdb or spark")
        self._engine = None if engine is None or isinstance(engine, str) else engine
        self._embedded: DuckDBEngine | None = None
        self._exit = ExitStack()
        self._lock = threading.Lock()

    @classmethod
    def of(cls, engine: Engine, progress: Progress = silent) -> Self:
        """Return a context around an engine that somebody else has opened and will close."""
        return cls(engine=engine, progress=progress)

    @classmethod
    def shared(cls) -> Context:
        """Return the context that this process shares: the settings are those of the environment."""
        return _shared(Settings.from_environment())

    @property
    def engine(self) -> Engine:
        """The engine that data live in."""
        if self._engine is None and self._name == "duckdb":
            self._engine = self.embedded
        with self._lock:
            if self._engine is None:
                from tacita.engines.spark import SparkEngine

                self._engine = self._exit.enter_context(SparkEngine(self.settings))
        return self._engine

    @property
    def embedded(self) -> DuckDBEngine:
        """The embedded engine, which reads and writes files: `engine` itself, unless that is another one."""
        from tacita.engines.duckdb import DuckDBEngine

        with self._lock:
            if self._embedded is None and isinstance(self._engine, DuckDBEngine):
                self._embedded = self._engine
            if self._embedded is None:
                self._embedded = self._exit.enter_context(DuckDBEngine(self.settings))
            return self._embedded

    def close(self) -> None:
        """Forget everything, on disk too, except in an engine that was handed over."""
        self._exit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Context: {self._engine.name if self._engine else self._name}>"


@functools.cache
def _shared(settings: Settings) -> Context:
    return Context(settings)
