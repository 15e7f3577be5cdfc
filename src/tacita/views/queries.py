"""The forms of queryable databases: what was opened, answers and histories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted, listed
from tacita.views.terminal import add, columns, lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.queries.answer import Figure, QueryAnswer
    from tacita.queries.auditing import QueryHistory
    from tacita.queries.database import QuotedPrice
    from tacita.queries.describing import DatabaseDescription
    from tacita.queries.opening import OpenedDatabase

MISSING = "(missing)"
"""How the code of missing values is shown."""
_REFUSED = "-"


class OpenedDatabaseView(View["OpenedDatabase"]):
    """The forms of a data set that was opened for questions."""

    def title(self, result: OpenedDatabase) -> str:
        """Return what the page is about."""
        return f"{result.name}: opened for questions"

    def as_dict(self, result: OpenedDatabase) -> dict[str, Any]:
        """Return sizes, never a value."""
        return {
            "name": result.name,
            "folder": result.folder,
            "records": result.records,
            "cells": result.cells,
            "most_cells": result.most_cells,
            "small_cells": result.small_cells,
            "attributes": [{"attribute": name, "codes": codes} for name, codes in result.attributes],
            "measures": list(result.measures),
            "answers": result.answers,
            "notes": list(result.notes),
        }

    def as_text(self, result: OpenedDatabase) -> RenderableType:
        """Return the sizes and what to do next."""
        from rich.console import Group

        table = columns("attribute", "codes", right=("codes",))
        for name, codes in result.attributes:
            add(table, name, f"{codes:,}")
        sentences = [
            f"{result.name}: {counted(result.records, 'record')} in {counted(result.cells, 'cell')} "
            f"({result.most_cells:,} are allowed); {result.small_cells:,} of them are smaller than a question may be",
            f"measures: {listed(result.measures, 99) or 'none, only counts'}; answers: {result.answers}",
        ]
        ask = f'Ask with: tacita query ask {result.folder} "SELECT COUNT(*) FROM {result.name}" --analyst NAME'
        inside = f"The folder {result.folder} holds values of single records: it stays inside."
        return Group(*lines([*sentences, ""]), table, *lines(["", inside, ask]), *notes(result.notes))


class QueryAnswerView(View["QueryAnswer"]):
    """The forms of an answer, as the analyst gets it."""

    def title(self, result: QueryAnswer) -> str:
        """Return what the page is about."""
        return f"{result.database}: an answer"

    def as_dict(self, result: QueryAnswer) -> dict[str, Any]:
        """Return figures as decimal text, so that none is rounded on the way."""
        return {
            "database": result.database,
            "number": result.number,
            "question": result.question,
            "status": result.status,
            "sentence": result.sentence,
            "groups": list(result.groups),
            "names": list(result.names),
            "rows": [
                {"group": list(row.group), "figures": [figure_fields(figure) for figure in row.figures]}
                for row in result.rows
            ],
            "guarantee": result.guarantee,
            "cost": dict(result.cost),
            "left": dict(result.left),
            "repeated": result.is_repeated,
        }

    def as_text(self, result: QueryAnswer) -> RenderableType:
        """Return a table of figures, and what holds of them."""
        from rich.console import Group

        if result.status == "refused":
            return Group(*lines([result.sentence]))
        table = columns(*result.groups, *result.names, right=result.names)
        for row in result.rows:
            add(table, *(label or MISSING for label in row.group), *(figure_text(figure) for figure in row.figures))
        said = [result.sentence]
        if result.is_repeated:
            said.append("The same was answered before: these are the same figures, and nothing is paid.")
        if result.cost and not result.is_repeated:
            said.append("paid: " + amounts_text(result.cost) + "; left: " + amounts_text(result.left))
        return Group(table, *lines(["", *said]))


class QueryHistoryView(View["QueryHistory"]):
    """The forms of what was asked."""

    def title(self, result: QueryHistory) -> str:
        """Return what the page is about."""
        return f"{result.database}: what was asked"

    def as_dict(self, result: QueryHistory) -> dict[str, Any]:
        """Return all answers, oldest first."""
        view = QueryAnswerView()
        return {
            "database": result.database,
            "analyst": result.analyst,
            "left": dict(result.left),
            "answers": [{"analyst": analyst, **view.as_dict(answer)} for analyst, answer in result.answers],
        }

    def as_text(self, result: QueryHistory) -> RenderableType:
        """Return a line for each question."""
        from rich.console import Group

        table = columns("analyst", "number", "status", "question", right=("number",))
        for analyst, answer in result.answers:
            add(table, analyst, str(answer.number), answer.status, answer.question)
        left = [f"left: {amounts_text(result.left)}"] if result.left else []
        return Group(*lines([f"{result.database}: {counted(len(result.answers), 'question')}", *left, ""]), table)


class DatabaseDescriptionView(View["DatabaseDescription"]):
    """The forms of what analysts may know of a database."""

    def title(self, result: DatabaseDescription) -> str:
        """Return what the page is about."""
        return f"{result.name}: what may be asked"

    def as_dict(self, result: DatabaseDescription) -> dict[str, Any]:
        """Return the words of questions."""
        return {
            "name": result.name,
            "answers": result.answers,
            "guarantee": result.guarantee,
            "filters": [{"attribute": name, "labels": list(labels)} for name, labels in result.filters],
            "regressors": [{"attribute": name, "labels": list(labels)} for name, labels in result.regressors],
            "measures": [
                {
                    "attribute": one.name,
                    "lower": str(one.lower),
                    "upper": str(one.upper),
                    "decimals": one.decimals,
                    "statistics": [str(statistic) for statistic in one.statistics],
                }
                for one in result.measures
            ],
            "joins": [{"name": one.name, "key": one.key} for one in result.joins],
            "budget": dict(result.budget),
        }

    def as_text(self, result: DatabaseDescription) -> RenderableType:
        """Return two tables: what may be filtered by, and what may be asked of measures."""
        from rich.console import Group

        filters = columns("filter", "labels")
        for name, labels in (*result.filters, *result.regressors):
            add(filters, name, listed([label or MISSING for label in labels], 12))
        measures = columns("measure", "bounds", "statistics")
        for one in result.measures:
            add(measures, one.name, f"{one.lower} to {one.upper}", listed(one.statistics, 12))
        return Group(*lines([f"{result.name}: {result.guarantee}", ""]), filters, *lines([""]), measures)


class QuotedPriceView(View["QuotedPrice"]):
    """The forms of a price."""

    def title(self, result: QuotedPrice) -> str:
        """Return what the page is about."""
        return "What a question would cost"

    def as_dict(self, result: QuotedPrice) -> dict[str, Any]:
        """Return cost, budget and errors."""
        return {
            "question": result.question,
            "names": list(result.names),
            "cost": dict(result.spent),
            "left": dict(result.left),
            "errors": list(result.errors),
            "repeated": result.is_repeated,
        }

    def as_text(self, result: QuotedPrice) -> RenderableType:
        """Return it in sentences."""
        from rich.console import Group

        cost = amounts_text(result.spent) or "nothing"
        said = [f"This would cost {cost}." + (f" Left: {amounts_text(result.left)}." if result.left else "")]
        if result.is_repeated:
            said.append("The same was answered before: asking again gives the same figures.")
        said += [
            f"{name}: within {error} with a probability of 95 %"
            for name, error in zip(result.names, result.errors, strict=False)
            if error is not None
        ]
        return Group(*lines(said))


def figure_fields(figure: Figure) -> dict[str, Any]:
    """Return a figure for JSON."""
    return {
        "status": str(figure.status),
        "value": figure.value,
        "lower": figure.lower,
        "upper": figure.upper,
        "error": figure.error,
    }


def figure_text(figure: Figure) -> str:
    """Return a figure for a table."""
    if not figure.is_answered:
        return _REFUSED
    if figure.lower is not None and figure.upper is not None:
        return f"{figure.lower} to {figure.upper}"
    return f"{figure.value} ± {figure.error}" if figure.error is not None else figure.value or ""


def amounts_text(amounts: Any) -> str:
    """Return amounts with their currencies."""
    return ", ".join(f"{amount} {currency}" for currency, amount in amounts.items())
