"""When control begins for a target: the three rules of the paper, alone and combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.gate.picture.fixed_point import UNIT
from tacita.gate.picture.picture import Picture

NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class StartOptions:
    """By what control begins; at least one of the first three is given.

    *Number of releases* (`records`): so many records of a target leave before control. *Exposure accuracy*
    (`accuracy`): control begins when the exposure is, for the first time, within this share of the exposure of all
    records. *Number of releases for different values* (`fits`): records of a value leave as long as the fitted
    baseline has room for them.
    """

    records: tuple[int, ...] | int | None = None
    """The number of records before control: one for all targets, or one for each."""
    accuracy: float | None = None
    exposures: tuple[float, ...] = ()
    """The exposures of all records, by target, in bits: for `accuracy`."""
    fits: tuple[tuple[int, ...], ...] | None = None
    """Records by target and value of the fitted baseline."""
    is_first: bool = True
    """Whether control begins when the first of these says so; otherwise when all of them do."""

    @property
    def is_given(self) -> bool:
        """Whether there is a rule at all."""
        return self.records is not None or self.accuracy is not None or self.fits is not None


class Start:
    """Says whether a record leaves before control begins. Its state changes with every released record.

    That the exposure was accurate once is remembered: unlike all other state of a gate it depends on the order.
    """

    __slots__ = ("_options", "_picture", "ends", "is_accurate")

    def __init__(self, picture: Picture, options: StartOptions, is_accurate: Sequence[bool] = ()) -> None:
        self._picture = picture
        self._options = options
        self.is_accurate = [*is_accurate, *[False] * (len(picture.sizes) - len(is_accurate))]
        is_decisive = options.is_first or (options.accuracy is None and options.fits is None)
        self.ends = options.records if is_decisive and isinstance(options.records, int) else NEVER
        """The number of records of a target at which control has begun in any case."""

    def frees(self, target: int, value: int) -> bool:
        """Return whether a record may leave without control."""
        options, picture = self._options, self._picture
        if picture.sizes[target] >= self.ends:
            return False
        begun = []
        if options.records is not None:
            records = options.records if isinstance(options.records, int) else options.records[target]
            begun.append(picture.sizes[target] >= records)
        if options.accuracy is not None:
            self._look(target)
            begun.append(self.is_accurate[target])
        if options.fits is not None:
            begun.append(picture.counts[target][value] >= options.fits[target][value])
        return bool(begun) and not (any(begun) if options.is_first else all(begun))

    def add_target(self) -> None:
        """Add a target for which control has not begun."""
        self.is_accurate.append(False)

    def _look(self, target: int) -> None:
        picture, options = self._picture, self._options
        if self.is_accurate[target] or not picture.sizes[target] or options.accuracy is None:
            return
        actual = options.exposures[target]
        exposure = picture.excess[target] / picture.total / UNIT
        self.is_accurate[target] = abs(exposure - actual) <= options.accuracy * actual
