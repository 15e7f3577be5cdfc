"""What a format could not hold, as sentences: never silent, and one sentence for all columns alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from tacita.errors import listed
from tacita.files.statistical.packages import Package


@dataclass(slots=True)
class Losses:
    """Losses noted so far, by what they are.

    >>> losses = Losses(Package.SPSS)
    >>> losses.note("{package} has no truth values: {columns} are 1 and 0", "married")
    >>> losses.note("{package} has no truth values: {columns} are 1 and 0", "employed")
    >>> losses.sentences()
    ('SPSS has no truth values: married, employed are 1 and 0',)
    """

    package: Package
    noted: dict[str, list[str]] = field(default_factory=dict)

    def note(self, sentence: str, column: str) -> None:
        """Remember that a column loses something; ``{columns}`` in the sentence stands for all that do."""
        self.noted.setdefault(sentence, []).append(column)

    def sentences(self) -> tuple[str, ...]:
        """Return everything that was lost, in words."""
        return tuple(
            sentence.format(columns=listed(columns), package=self.package.value)
            for sentence, columns in self.noted.items()
        )
