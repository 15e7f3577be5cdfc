"""What an analyst wrote, and refusals that say where in it, why, and what is allowed instead."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from tacita.errors import QueryRefused

FORM = "SELECT figures FROM name [LEFT JOIN name USING (key)] [WHERE conditions] [GROUP BY attributes]"


@dataclass(frozen=True, slots=True)
class QuestionText:
    """What an analyst wrote, so that a refusal can say where."""

    text: str

    def refused(self, reason: str, do: str, at: exp.Expr | int | None = None) -> QueryRefused:
        """Return the refusal with the line and the column of a node or of a character."""
        start = at if isinstance(at, int) else None if at is None else _start(at)
        return QueryRefused(reason, where=None if start is None else self.place(start), do=do)

    def place(self, start: int) -> str:
        """Return where a character stands.

        >>> QuestionText("SELECT a" + chr(10) + "FROM b").place(9)
        'line 2, column 1'
        """
        before = self.text[:start].replace("\r\n", "\n").replace("\r", "\n")
        return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"

    def only(self, node: exp.Expr, *parts: str) -> None:
        """Refuse a node that has more parts than are read: nothing that an analyst writes is ignored."""
        for name, value in node.args.items():
            if name not in parts and value not in (None, False, [], ()):
                raise self.refused("this is not part of the language", f"write {FORM}", node)


def _start(node: exp.Expr) -> int | None:
    starts = [place for one in node.walk() if (place := one.meta.get("start")) is not None]
    return min(starts, default=None)
