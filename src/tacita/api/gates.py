"""Gates: release records one at a time without letting an observer tell which target is unusual.

>>> from tempfile import TemporaryDirectory
>>> policy = parse_policy('''
... name = "staff"
... key = "person"
... attributes = ["person", "grade", "site"]
... observer = {gathers = "all", holds = "silent", sizes = "unknown"}
... [[dependency]]
... target = "site"
... targets = ["A", "B", "C"]
... x = "grade"
... baseline = {junior = 8, senior = 2}
... start = {records = 10}
... ''')
>>> with open_gate(policy, trial=True) as gate:
...     gate.offer([{"person": 1, "grade": "junior", "site": "A"}, {"person": 2, "grade": "cook", "site": "A"}])
[{'record': 1, 'key': '1', 'decision': 'release', ...}, {'record': 2, 'key': '2', 'decision': 'refuse', ...}]
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self, TextIO

import numpy as np

from tacita.api.gate_options import (
    EVERY,
    STREAM,
    GateOptions,
    IncomingOptions,
    PlanOptions,
    RecordReading,
)
from tacita.attacks.observer.observation import Observation
from tacita.attacks.observer.observers import name_targets
from tacita.errors import UsageError, counted
from tacita.files.atomic import check_target, write_text
from tacita.gate.answers import DecidedBatch, GateAnswer, Row
from tacita.gate.explanation import explained
from tacita.gate.gate import Gate
from tacita.gate.incoming.stream import RecordStream
from tacita.gate.outcome import GateRun, RunTally, run_notes, stated_rules
from tacita.gate.planning.plan import ReleasePlan, plan_release
from tacita.gate.policy.cells import cells_of
from tacita.gate.policy.policy import GatePolicy, HoldVisibility
from tacita.gate.policy.policy_file import parse_policy, read_policy
from tacita.gate.watching import GateHistory, GateWatch, history_of, watched
from tacita.interruption import stop_on_interrupt
from tacita.ledger.increments import KEY_SEPARATOR
from tacita.progress import Progress, Step, silent
from tacita.release.kinds.increment.opened import OpenGate
from tacita.release.kinds.increment.watched import folder_gate

__all__ = [
    "GateOptions",
    "GateRun",
    "GateWatch",
    "IncomingOptions",
    "PlanOptions",
    "RecordReading",
    "ReleaseGate",
    "ReleasePlan",
    "answers_file",
    "follow_gate",
    "gate_records",
    "open_gate",
    "parse_policy",
    "plan_records",
    "read_policy",
    "watch_gate",
    "write_report",
]
_TICK = 0.1
_PLANNED = 10_000
"""Records of a plan that are read at once."""
Policy = GatePolicy | str | Path


class ReleaseGate:
    """An open gate for Python: offer records, get answers. Use it in a ``with`` statement."""

    def __init__(self, opened: OpenGate) -> None:
        self._opened = opened
        self._tally = RunTally(opened.policy)
        self.is_cut_off = False
        self.notes: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        self._opened.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.__exit__()

    def offer(self, records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Decide on records; return an answer for each, and for held ones that leave now.

        They are recorded and handed out when this returns. An answer names target and value: it is for the steward.
        """
        names = self._opened.gate.attributes
        return self.offer_rows([cells_of(record, names) for record in records])

    def offer_rows(self, rows: Sequence[Row | None]) -> list[dict[str, Any]]:
        """Do the same for records as text cells in the order of `attributes`."""
        width = len(self.attributes)
        if any(row is not None and len(row) != width for row in rows):
            raise UsageError(
                f"a record does not have {counted(width, 'cell')}",
                do=f"give {', '.join(self.attributes)} of each record",
            )
        return [self.answer(answer) for answer in self.decide(rows).answers()]

    def decide(self, rows: Iterable[Row | None]) -> DecidedBatch:
        """Decide on records, and make no answers."""
        batch = self._opened.offer(rows)
        self._tally.add(batch)
        return batch

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the gate looks at, in their order."""
        return self._opened.gate.attributes

    def answer(self, answer: GateAnswer) -> dict[str, Any]:
        """Return an answer as plain values; if observers may learn of holds, without its reasons."""
        policy, gate = self._opened.policy, self._opened.gate
        fields: dict[str, Any] = {"record": answer.number, "key": _key(answer.key), "decision": str(answer.verdict)}
        if policy.observer.holds is HoldVisibility.VISIBLE:
            return fields
        targets = [gate.cells.targets(place) for place in range(len(gate.judges))]
        fields |= {"reason": str(answer.reason), "late": answer.is_late, "dependency": None, "target": None}
        fields |= {"value": None}
        if answer.dependency >= 0:
            dependency = policy.dependencies[answer.dependency]
            fields["dependency"] = dependency.name
            fields["target"] = targets[answer.dependency][answer.target] if answer.target >= 0 else None
            fields["value"] = dependency.values.labels[answer.value] if answer.value >= 0 else None
        return fields | {"why": explained(answer, policy, targets)}

    def result(self) -> GateRun:
        """Return what was decided since the gate was opened."""
        opened, tally = self._opened, self._tally
        gate, policy = opened.gate, opened.policy
        targets = [gate.cells.targets(place) for place in range(len(gate.judges))]
        named = [
            (one.name, observer, target)
            for one, pairs in zip(policy.dependencies, _named(gate), strict=True)
            for observer, target in pairs
        ]
        return GateRun(
            policy.name,
            tally.offered,
            tally.released,
            tally.late,
            tally.again,
            len(gate.held_records),
            tally.refused,
            gate.judges[0].picture.total,
            gate.next_look,
            tally.held_groups(gate),
            tally.refusals(targets),
            stated_rules(policy),
            tuple(named),
            (*opened.notes, *run_notes(policy), *self.notes),
            opened.folder,
            self.is_cut_off,
            opened.is_trial,
        )

    def watch(self) -> GateWatch:
        """Return what is seen of each target."""
        opened = self._opened
        history = GateHistory((), ()) if opened.ledger is None else _history(opened)
        return watched(opened.gate, history, _named(opened.gate), opened.recipient)

    def keep_report(self) -> None:
        """Write the internal report, if there is a folder."""
        self._opened.keep(lambda: self.watch().to_html())


def open_gate(
    policy: Policy,
    out: Path | str | None = None,
    *,
    internal: Path | None = None,
    recipient: str | None = None,
    wait: float | None = 0.0,
    trial: bool = False,
) -> ReleaseGate:
    """Return a gate to be used in a ``with`` statement; `policy` is a policy or its file."""
    given = policy if isinstance(policy, GatePolicy) else read_policy(policy)
    folder = None if out is None else Path(out)
    return ReleaseGate(OpenGate(given, folder, internal=internal, recipient=recipient, wait=wait, is_trial=trial))


def gate_records(
    source: str,
    options: GateOptions | None = None,
    incoming: IncomingOptions | None = None,
    *,
    answers: Callable[[dict[str, Any]], None] | None = None,
    progress: Progress = silent,
) -> GateRun:
    """Offer the records of a source to a gate; `answers` gets an answer for each as soon as it is recorded.

    The source is a file, a folder, a database, or ``-`` for standard input. What could be read before a fault, or
    before somebody stopped it, is decided on, recorded and handed out.
    """
    options, incoming = options or GateOptions(), incoming or IncomingOptions()
    incoming.check(source)
    gate = open_gate(
        options.policy,
        options.out,
        internal=options.internal,
        recipient=options.recipient,
        wait=options.wait,
        trial=options.trial,
    )
    with gate, stop_on_interrupt() as stopped:
        stream = RecordStream(0, gate.attributes) if source == STREAM else None
        batches = (
            incoming.source(source).batches(gate.attributes, incoming.batch, stopped)
            if stream is None
            else stream.batches(incoming.batch, stopped)
        )
        offered = 0
        for rows in batches:
            batch = gate.decide(rows)
            if answers is not None:
                for answer in batch.answers():
                    answers(gate.answer(answer))
            offered += len(rows)
            progress(Step("deciding", offered))
            if stopped():
                gate.notes = (
                    f"stopped after {counted(offered, 'record')}: offer the source again to decide on the rest",
                )
                break
        gate.is_cut_off = stream is not None and stream.is_cut_off
        gate.keep_report()
        return gate.result()


def plan_records(
    source: str,
    options: PlanOptions | None = None,
    incoming: RecordReading | None = None,
    *,
    order: Path | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> ReleasePlan:
    """Return which records of a source could leave, and in which order; nothing is recorded or handed out.

    `order` is a file to write: the records of the source in the order of the plan, those that cannot leave last.
    """
    options, incoming = options or PlanOptions(), incoming or RecordReading()
    if isinstance(options, GateOptions) or isinstance(incoming, IncomingOptions):
        raise UsageError("a plan waits for nothing and records nothing", do="give PlanOptions and RecordReading")
    if source == STREAM:
        raise UsageError("a plan is for records that are there", do="name a file, a folder or a database")
    if force and order is None:
        raise UsageError("--force has no effect: no file is written", do="add --order FILE.csv")
    incoming.check(source)
    if order is not None:
        check_target(order, force=force)
    with _present(options) as opened:
        gate = opened.gate
        rows = [
            row
            for batch in incoming.source(source).batches(gate.attributes, _PLANNED)
            for row in batch
            if row is not None
        ]
        plan = plan_release(gate, rows, progress)
        if order is not None:
            planned = [number - 1 for number in plan.order]
            rest = sorted(set(range(len(rows))) - set(planned))
            lines = _csv([gate.attributes, *(rows[number] for number in [*planned, *rest])])
            write_text(order, lines, force=force)
    return plan


def watch_gate(place: Path | str, *, recipient: str | None = None) -> GateWatch:
    """Return what is seen of each target of a gate: `place` is its folder, or the file of its policy."""
    place = Path(place)
    with ExitStack() as stack:
        if place.is_dir():
            if recipient is not None:
                raise UsageError("the folder of a gate says who receives its records", do="leave out --recipient")
            opened = stack.enter_context(folder_gate(place))
        else:
            options = PlanOptions(policy=place, recipient=recipient)
            opened = stack.enter_context(_present(options))
            if opened.ledger is None:
                raise UsageError(
                    "no ledger is configured here, so nothing is known of this gate",
                    do="name its folder, or go where its ledger is configured",
                )
        return watched(opened.gate, _history(opened), _named(opened.gate), opened.recipient)


def follow_gate(place: Path | str, *, recipient: str | None = None, every: float = EVERY) -> Iterator[GateWatch]:
    """Yield the state of a gate again and again, until somebody stops it (Ctrl-C)."""
    with stop_on_interrupt() as stopped:
        while not stopped():
            yield watch_gate(place, recipient=recipient)
            end = time.monotonic() + every
            while time.monotonic() < end and not stopped():
                time.sleep(_TICK)


def write_report(path: Path, result: GateWatch, *, force: bool = False) -> None:
    """Write the page of a gate."""
    write_text(path, result.to_html(), force=force)


@contextmanager
def answers_file(path: Path) -> Iterator[TextIO]:
    """Hand out a new file for answers that only its owner may read; it grows while the gate runs."""
    check_target(path, force=False)
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        yield file


def _present(options: PlanOptions) -> OpenGate:
    """Return a gate as it is now, to look at: nothing is locked, recorded or handed out."""
    policy = read_policy(options.policy)
    is_new = options.out is not None and not options.out.exists()
    return OpenGate(
        policy,
        None if is_new else options.out,
        internal=options.internal,
        recipient=options.recipient,
        is_trial=options.trial,
        read_only=True,
    )


def _history(opened: OpenGate) -> GateHistory:
    ledger = opened.ledger
    if ledger is None:
        return GateHistory((), ())
    total = opened.gate.judges[0].picture.total
    return history_of(ledger, opened.policy, opened.recipient, opened.recipients, total)


def _named(gate: Gate) -> list[list[tuple[str, str]]]:
    """Return whom observers name, for each dependency. They see what was released; if holds are visible, holds too."""
    result = []
    for place, (one, judge) in enumerate(zip(gate.policy.dependencies, gate.judges, strict=True)):
        counts = np.array(judge.picture.counts, dtype=np.int64).reshape(-1, len(one.values.labels))
        if gate.policy.observer.holds is HoldVisibility.VISIBLE:
            for record in gate.held_records.values():
                counts[record.codes[2 * place], record.codes[2 * place + 1]] += 1
        sizes = None if one.sizes is None else np.array(one.sizes)
        seen = Observation(tuple(gate.cells.targets(place)), counts, one.values.baseline, sizes)
        result.append([(naming.observer, naming.target) for naming in name_targets(seen)])
    return result


def _key(key: str) -> str | list[str]:
    parts = key.split(KEY_SEPARATOR)
    return parts if len(parts) > 1 else key


def _csv(rows: Iterable[Sequence[str]]) -> str:
    from tacita.release.kinds.increment.folder import csv_lines

    return csv_lines(rows)
