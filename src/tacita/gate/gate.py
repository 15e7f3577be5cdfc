"""The gate: decides on records one after the other, by what was released before.

A gate is in memory. `tacita.gate.memory` records what it decides, and rebuilds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.gate.answers import DecidedBatch, GateAnswer, GateReason, GateVerdict, HoldFigures, Row
from tacita.gate.cell_codes import CellCodes, Codes, Refused
from tacita.gate.picture.evidence import evidence_of, usual_concentration
from tacita.gate.picture.fixed_point import UNIT, Growth
from tacita.gate.policy.policy import GatePolicy
from tacita.gate.rules.judge import ALLOWED, Judge
from tacita.gate.rules.making import judge_of
from tacita.ledger.increments import KEY_SEPARATOR

_LEAST_STEP = 10
"""Held records are not looked at again before so many more records were released."""


class HeldRecord:
    """A record that waits."""

    __slots__ = ("codes", "number", "row")

    def __init__(self, number: int, row: Row, codes: Codes) -> None:
        self.number = number
        self.row = row
        self.codes = codes


class Gate:
    """Decides on records by a policy. Its state changes with every record that it releases.

    Records are tuples of text cells in the order of `attributes`; an empty cell is a missing one.

    *Held records* are looked at again when the number of released records has grown by the share that the policy says,
    whatever the number of times somebody asks for them: who could have held records judged at any moment could pick the
    moments that suit the most unusual target.
    """

    def __init__(self, policy: GatePolicy) -> None:
        self.policy = policy
        growth = Growth()
        self.judges: tuple[Judge, ...] = tuple(judge_of(one, growth) for one in policy.dependencies)
        self.attributes: tuple[str, ...] = tuple(dict.fromkeys((*policy.key, *policy.attributes)))
        """The attributes of a record that the gate looks at."""
        self._key = tuple(self.attributes.index(name) for name in policy.key)
        self.cells = CellCodes(policy, self.attributes, self.judges)
        self.released: dict[str, Codes] = {}
        """Targets and values of released records by key."""
        self.held_records: dict[str, HeldRecord] = {}
        """Records that wait, by key, in the order in which they came."""
        self.number = 0
        """How many records were offered."""
        self.refusals = 0
        self.next_look = _LEAST_STEP
        """The number of released records that observers have seen at which held ones are looked at again."""

    def offer(self, rows: Iterable[Row | None]) -> DecidedBatch:
        """Decide on records in their order, and on held ones when the picture has changed enough.

        None stands for a record that could not be read.
        """
        batch = DecidedBatch(self.number + 1)
        released, waiting, read = self.released, self.held_records, self.cells.codes
        leave, leave_key, leave_row = batch.numbers.append, batch.keys.append, batch.rows.append
        # With one dependency, the usual case, a record is judged and counted at once.
        admit = self.judges[0].admit if len(self.judges) == 1 else None
        single = self._key[0] if len(self._key) == 1 else None
        picture = self.judges[0].picture
        place, number, next_look = 0, self.number, self.next_look
        for number, row in enumerate(rows, self.number + 1):
            if row is None:
                self.refusals += 1
                batch.others.append((GateAnswer(number, "", GateVerdict.REFUSE, GateReason.UNREADABLE), ()))
                continue
            key = self.key_of(row) if single is None else row[single]
            codes = read(row)
            if key in released or key in waiting or not key or isinstance(codes, Refused):
                self.number = number
                self._decide_known(key, row, codes, batch)
                continue
            if admit is not None:
                rule = admit(codes[0], codes[1])
            else:
                place, rule = self._admit(codes)
            if rule != ALLOWED:
                self.number = number
                self._hold(key, row, codes, place, rule, batch)
                continue
            released[key] = codes
            leave(number)
            leave_key(key)
            leave_row(row)
            if picture.total >= next_look:
                self._look_again(batch)
                next_look = self.next_look
        self.number = number
        return batch

    def copy(self) -> Gate:
        """Return a gate in the same state, to try things on."""
        other = Gate(self.policy)
        growth = self.judges[0].picture.growth
        other.judges = tuple(
            judge_of(one, growth, judge.picture.counts, judge.start.is_accurate)
            for one, judge in zip(self.policy.dependencies, self.judges, strict=True)
        )
        other.cells.take_judges(other.judges)
        for place in range(len(other.judges)):
            other.cells.take_targets(place, self.cells.targets(place))
        other.released = self.released.copy()
        other.held_records = {key: HeldRecord(one.number, one.row, one.codes) for key, one in self.held_records.items()}
        other.number, other.refusals, other.next_look = self.number, self.refusals, self.next_look
        return other

    def key_of(self, row: Sequence[str]) -> str:
        """Return the key of a record; empty if a part of it is missing, or might be taken for two parts."""
        parts = [row[place] for place in self._key]
        if not all(parts) or (len(parts) > 1 and any(KEY_SEPARATOR in part for part in parts)):
            return ""
        return KEY_SEPARATOR.join(parts)

    def _decide_known(self, key: str, row: Row, codes: Codes | Refused, batch: DecidedBatch) -> None:
        """Decide on a record that cannot be judged, or was decided on before."""
        number = self.number
        if not key:
            answer = GateAnswer(number, key, GateVerdict.REFUSE, GateReason.NO_KEY)
        elif isinstance(codes, Refused):
            answer = GateAnswer(number, key, GateVerdict.REFUSE, codes.reason, codes.dependency, codes.target)
        elif key in self.released:
            is_same = self.released[key] == codes
            answer = (
                GateAnswer(number, key, GateVerdict.RELEASE, GateReason.AGAIN)
                if is_same
                else GateAnswer(number, key, GateVerdict.REFUSE, GateReason.CHANGED)
            )
        elif self.held_records[key].codes == codes:
            if self.held_records[key].row != row:
                self.held_records[key].row = row
                batch.replaced.append((number, key, row))
            answer = GateAnswer(number, key, GateVerdict.HOLD, GateReason.STILL_HELD)
        else:
            # A held record that was corrected is another one.
            del self.held_records[key]
            self._decide_corrected(key, row, codes, batch)
            return
        self.refusals += answer.verdict is GateVerdict.REFUSE
        batch.others.append((answer, row))

    def _decide_corrected(self, key: str, row: Row, codes: Codes, batch: DecidedBatch) -> None:
        place, rule = self._admit(codes)
        if rule != ALLOWED:
            self._hold(key, row, codes, place, rule, batch)
            return
        self.released[key] = codes
        batch.leave(self.number, key, row)

    def _admit(self, codes: Codes) -> tuple[int, int]:
        """Count a record if all dependencies allow it; return which dependency and rule hold it otherwise."""
        judges = self.judges
        for place, judge in enumerate(judges):
            rule = judge.verdict(codes[2 * place], codes[2 * place + 1])
            if rule != ALLOWED:
                return place, rule
        for place, judge in enumerate(judges):
            judge.release(codes[2 * place], codes[2 * place + 1])
        return 0, ALLOWED

    def _hold(self, key: str, row: Row, codes: Codes, place: int, rule: int, batch: DecidedBatch) -> None:
        target, value = codes[2 * place], codes[2 * place + 1]
        self.held_records[key] = HeldRecord(self.number, row, codes)
        name = self.judges[place].rules[rule].name
        figures = self.figures(place, target, value, rule)
        answer = GateAnswer(self.number, key, GateVerdict.HOLD, name, place, target, value, False, figures)
        batch.others.append((answer, row))

    def _look_again(self, batch: DecidedBatch) -> None:
        """Judge every held record once, in the order in which they came."""
        for key, record in list(self.held_records.items()):
            if self._admit(record.codes)[1] == ALLOWED:
                del self.held_records[key]
                self.released[key] = record.codes
                batch.leave(record.number, key, record.row)
                batch.late.add(record.number)
        self.next_look = self.look_after(self.judges[0].picture.total)

    def look_after(self, released: int) -> int:
        """Return the number of released records at which held ones are looked at next."""
        return released + max(_LEAST_STEP, int(released * self.policy.retry))

    def figures(self, place: int, target: int, value: int, rule: int) -> HoldFigures:
        """Return what would be seen with one more record of a target and a value."""
        judge, dependency = self.judges[place], self.policy.dependencies[place]
        picture = judge.picture
        counts = picture.counts[target].copy()
        counts[value] += 1
        size = picture.sizes[target] + 1
        excess = picture.excess_with(target, value)
        concentration = dependency.parameters.concentration or usual_concentration(len(counts))
        return HoldFigures(
            size,
            counts[value],
            float(picture.baseline[value]),
            excess // size / UNIT,
            picture.distance(target),
            excess / (picture.total + 1) / UNIT,
            evidence_of(counts, picture.baseline, concentration),
            judge.rules[rule].limit(target),
        )
