"""Asking: one thread per database writes what waits at once, and replies leave at steps of time after the request.

The steps hide whether a question was refused early or answered late: what happens within a step looks the same.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tacita.api.querying import Database, QueryAnswer, SentQuestion
from tacita.errors import InternalError, TacitaError
from tacita.service.faults import BUSY, STOPPING, RequestRefused

STEP = 0.04
"""Seconds between two moments at which a reply may leave."""
_MOST_AT_ONCE = 64
_MOST_WAITING = 256

_Waiting = tuple[SentQuestion, "Future[QueryAnswer]"]


class ReplyGrid:
    """The moments at which replies may leave: whole steps after the arrival of a request."""

    def __init__(
        self,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        step: float = STEP,
    ) -> None:
        self.clock = clock
        self._sleep, self._step = sleep, step

    async def wait(self, arrival: float) -> None:
        """Wait for the next moment; if waking up took longer than a step, for the one after it."""
        steps = int((self.clock() - arrival) / self._step) + 1
        await self._sleep(max(0.0, arrival + steps * self._step - self.clock()))


class ServedDatabase:
    """An opened data set with the thread that writes its answers. Start it, and stop it: then what waits is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database(folder)
        self.description = self.database.description().to_dict()
        self._waiting: queue.Queue[_Waiting | None] = queue.Queue()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._write, name="tacita-answers", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return repr(self.database)

    @property
    def name(self) -> str:
        """What stands after FROM."""
        return str(self.description["name"])

    async def ask(self, question: SentQuestion) -> QueryAnswer:
        """Return the answer when it is on the disk. Who goes away before their turn has not asked."""
        if self._is_stopping:
            raise RequestRefused(STOPPING)
        if self._waiting.qsize() >= _MOST_WAITING:
            raise RequestRefused(BUSY)
        answer: Future[QueryAnswer] = Future()
        self._waiting.put((question, answer))
        return await asyncio.wrap_future(answer)

    def stop(self) -> None:
        """Write what waits, take no more, and close the ledger."""
        self._is_stopping = True
        self._waiting.put(None)
        self._thread.join()
        self.database.close()

    def _write(self) -> None:
        while True:
            batch, is_last = self._next_batch()
            batch = [one for one in batch if one[1].set_running_or_notify_cancel()]
            if batch:
                self._answer(batch)
            if is_last:
                return

    def _next_batch(self) -> tuple[list[_Waiting], bool]:
        batch: list[_Waiting] = []
        while len(batch) < _MOST_AT_ONCE:
            try:
                one = self._waiting.get(block=not batch)
            except queue.Empty:
                break
            if one is None:
                return batch, True
            batch.append(one)
        return batch, False

    def _answer(self, batch: list[_Waiting]) -> None:
        try:
            answers = self.database.ask_together([question for question, _ in batch])
        except TacitaError as error:
            _fail(batch, error)
        except Exception as error:  # its text may quote a value: only its kind goes on
            _fail(batch, InternalError(f"a {type(error).__name__} while questions were answered"))
        else:
            for (_, waiting), answer in zip(batch, answers, strict=True):
                if isinstance(answer, TacitaError):
                    waiting.set_exception(answer)
                else:
                    waiting.set_result(answer)


def _fail(batch: list[_Waiting], error: TacitaError) -> None:
    for _, waiting in batch:
        waiting.set_exception(type(error)(error.found, where=error.where) if len(batch) > 1 else error)
