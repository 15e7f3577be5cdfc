"""What is said of a release together with everything that left before: the verdict, its reasons, what would help."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from tacita.errors import counted
from tacita.joint.evidence import OutputLabel
from tacita.ledger.verdict import JointVerdict
from tacita.model.result import Result


class JointStatus(StrEnum):
    """What a judgement comes to."""

    PASSES = "passes"
    REFUSED = "refused"
    UNDECIDED = "undecided"
    """It could not be shown to be safe; it is not released either."""
    NOT_COMPARED = "not compared"
    """Nobody can tell which earlier releases are of the same data: it is in no file, and has no name. It may leave, and
    says so."""


@dataclass(frozen=True, slots=True)
class ArithmeticTerm:
    """A published figure, and the factor with which it enters."""

    factor: str
    """Such as '1', '-1', '1/2'."""
    cell: str
    """The address of the figure."""
    output: OutputLabel
    place: tuple[int, int] = (-1, -1)
    """Table and cell in the output, from 0 on."""
    value: float | None = field(default=None, repr=False)
    """Internal: shown only if figures are asked for."""


@dataclass(frozen=True, slots=True)
class JointReason:
    """Why releases together tell too much. It names outputs, cells and records, and no value."""

    kind: str
    """'exact', 'interval', 'few persons', 'dominated', 'version', 'frequencies', 'sensitive values', 'unknown'."""
    sentence: str
    outputs: tuple[OutputLabel, ...] = ()
    """The chain of releases that are needed."""
    terms: tuple[ArithmeticTerm, ...] = ()
    """How the value follows, if by additions and subtractions alone."""
    steps: tuple[str, ...] = ()
    """How it is bounded otherwise."""
    records: tuple[int, ...] = ()
    """Rows of the source that it is about, the first of them."""
    value: float | None = field(default=None, repr=False)
    """Internal: what follows."""
    is_decided: bool = True
    do: str = ""
    """What helps if it is about something that is missing."""

    @property
    def arithmetic(self) -> str:
        """The terms in a line, without their values.

        >>> march, now = OutputLabel(3, folder="march"), OutputLabel(0)
        >>> terms = (ArithmeticTerm("1", "(a=Total)", march), ArithmeticTerm("-1", "(b=x)", now))
        >>> JointReason("exact", "", terms=terms).arithmetic
        '(a=Total) of entry 3 - (b=x) of this release'
        """
        return self._line(with_values=False)

    @property
    def in_a_line(self) -> str:
        """The sentence with the arithmetic, without a full stop."""
        how = f": it is {self.arithmetic}" if self.terms else ""
        return f"{self.sentence.removesuffix('.')}{how}"

    @property
    def arithmetic_with_figures(self) -> str:
        """The same with the published figures, and what they come to. Internal."""
        return self._line(with_values=True)

    def _line(self, *, with_values: bool) -> str:
        parts = []
        for term in self.terms:
            size = term.factor.removeprefix("-")
            sign = "-" if term.factor.startswith("-") else "+"
            times = "" if size == "1" else f"{size} x "
            value = f" [{term.value:,.10g}]" if with_values and term.value is not None else ""
            parts.append(f"{sign} {times}{term.cell} of {term.output.short}{value}")
        line = " ".join(parts).removeprefix("+ ")
        return f"{line} = {self.value:,.10g}" if with_values and self.value is not None and line else line


@dataclass(frozen=True, slots=True)
class JointRemedy:
    """A change with which the release passes; it was judged again with it."""

    action: str
    option: str = ""
    """How to say it to Tacita, if there is a way."""

    def __str__(self) -> str:
        return f"{self.action}: {self.option}" if self.option else self.action


@dataclass(frozen=True, slots=True, repr=False)
class JointJudgement(Result):
    """A release judged together with all earlier ones that count for its recipient."""

    status: JointStatus
    subject: str
    """The source, as the settings of the ledger name it; empty if they do not."""
    recipient: str
    """Empty: everybody."""
    compared: tuple[OutputLabel, ...]
    """The earlier releases that were judged with it."""
    reasons: tuple[JointReason, ...] = ()
    remedies: tuple[JointRemedy, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be seen, and what was taken for granted."""
    least: int = 0
    """Fewer persons than this must not be told apart."""
    more: int = 0
    """How many further reasons there are that are not listed."""

    @property
    def passes(self) -> bool:
        """Whether it was compared, and nothing speaks against it."""
        return self.status is JointStatus.PASSES

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if self.status is JointStatus.NOT_COMPARED:
            return "Not compared: its data are in no file that could be known again, and have no name."
        if not self.compared:
            return "Nothing was released before that counts for this recipient: there is nothing to judge it with."
        with_them = f"together with {counted(len(self.compared), 'earlier release')}"
        if self.passes:
            return f"Passes: {with_them} it tells nothing that must stay unknown."
        if self.status is JointStatus.UNDECIDED:
            return f"Undecided, so refused: {with_them} it could not be shown to be safe."
        return f"Refused: {with_them} it tells what must stay unknown."

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do: changes with which it passes, and what would let it be judged."""
        return (*map(str, self.remedies), *dict.fromkeys(reason.do for reason in self.reasons if reason.do))

    def _in_short(self) -> str:
        return f"{self.status.value}, {counted(len(self.reasons), 'reason')}"

    def to_verdict(self) -> JointVerdict:
        """Return what the ledger records."""
        outputs = {output.sequence for reason in self.reasons for output in reason.outputs if output.sequence}
        return JointVerdict(
            self.status is not JointStatus.NOT_COMPARED,
            self.passes,
            tuple(reason.in_a_line for reason in self.reasons),
            self.advice,
            tuple(sorted(outputs)),
            len(self.compared),
            notes=tuple(f"{note[:1].upper()}{note[1:]}." for note in self.notes),
        )
