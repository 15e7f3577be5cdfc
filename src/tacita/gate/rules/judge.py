"""Start and rules of one dependency put together: may a record leave, and which rule says no."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacita.gate.picture.picture import Picture
from tacita.gate.rules.rule import GateRule
from tacita.gate.rules.start import Start

ALLOWED = -1


class Judge:
    """Decides on records of one dependency by number of target and value, and keeps the picture up to date."""

    __slots__ = ("_always", "_controlled", "_ends", "_frees", "_notice", "admit", "picture", "rules", "start")

    def __init__(self, picture: Picture, start: Start, rules: Sequence[GateRule]) -> None:
        self.picture = picture
        self.start = start
        self.rules = tuple(rules)
        numbered = list(enumerate(self.rules))
        self._controlled = tuple((number, rule.allows) for number, rule in numbered if rule.needs_start)
        """Rules that wait for the start."""
        self._always = tuple((number, rule.allows) for number, rule in numbered if not rule.needs_start)
        self._frees = start.frees
        self._ends = start.ends if self._controlled else 0
        # Who has no state of its own need not hear of every record.
        self._notice = tuple(rule.released for rule in self.rules if rule.has_state)
        self.admit = self._admission()
        """Return the verdict on a record, and count it if it is allowed."""

    def verdict(self, target: int, value: int) -> int:
        """Return `ALLOWED`, or the number of the first rule that holds the record."""
        return self._verdict(target, value, self.picture.excess_with(target, value))

    def _admission(self) -> Callable[[int, int], int]:
        """Return `admit`.

        Every record goes this way: `Picture.excess_with`, `Picture.put` and the verdict are written out, and what they
        look up is at hand.
        """
        picture = self.picture
        growth, tables, sizes, excesses = picture.growth, picture.counts, picture.sizes, picture.excess
        shares, always, controlled, notice = picture.log_shares, self._always, self._controlled, self._notice
        ends, frees = self._ends, self._frees
        if len(always) == len(controlled) == 1 and len(notice) == 2:  # the default, without loops
            return self._default_admission()

        def admit(target: int, value: int) -> int:
            counts, size = tables[target], sizes[target]
            count = counts[value]
            excess = excesses[target] + growth[count] - growth[size] - shares[value]
            for number, allows in always:
                if not allows(target, value, excess):
                    return number
            if size >= ends or not frees(target, value):
                for number, allows in controlled:
                    if not allows(target, value, excess):
                        return number
            for note in notice:
                note(target, value, excess)
            counts[value] = count + 1
            sizes[target] = size = size + 1
            excesses[target] = excess
            picture.total += 1
            if size >= len(growth):
                growth.reach(size)
            return ALLOWED

        return admit

    def _default_admission(self) -> Callable[[int, int], int]:
        """Return `admit` for one rule that always holds and one that waits for the start."""
        picture = self.picture
        growth, tables, sizes, excesses = picture.growth, picture.counts, picture.sizes, picture.excess
        shares, ends, frees, (note, note_too) = picture.log_shares, self._ends, self._frees, self._notice
        ((always, allows),), ((controlled, allows_then),) = self._always, self._controlled

        def admit(target: int, value: int) -> int:
            size, counts = sizes[target], tables[target]
            count = counts[value]
            excess = excesses[target] + growth[count] - growth[size] - shares[value]
            if not allows(target, value, excess):
                return always
            if (size >= ends or not frees(target, value)) and not allows_then(target, value, excess):
                return controlled
            note(target, value, excess)
            note_too(target, value, excess)
            counts[value], excesses[target] = count + 1, excess
            sizes[target] = size = size + 1
            picture.total += 1
            if size >= len(growth):
                growth.reach(size)
            return ALLOWED

        return admit

    def release(self, target: int, value: int) -> None:
        """Count a record."""
        excess = self.picture.excess_with(target, value)
        for rule in self.rules:
            rule.allows(target, value, excess)  # rules remember what they judged last
        for note in self._notice:
            note(target, value, excess)
        self.picture.put(target, value, excess)

    def add_target(self) -> int:
        """Add a target that has no records; return its number."""
        number = self.picture.add_target()
        for rule in self.rules:
            rule.add_target()
        self.start.add_target()
        return number

    def _verdict(self, target: int, value: int, excess: int) -> int:
        for number, allows in self._always:
            if not allows(target, value, excess):
                return number
        if self._controlled and not self._frees(target, value):
            for number, allows in self._controlled:
                if not allows(target, value, excess):
                    return number
        return ALLOWED
