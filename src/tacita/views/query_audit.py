"""The forms of what an auditor sees of a queryable database: questions, what could be inferred, budgets. Internal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.errors import counted
from tacita.model.figures import share
from tacita.views.queries import amounts_text, label_text
from tacita.views.terminal import add, columns, lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from tacita.queries.audit.inferred import InferredSum
    from tacita.queries.auditing import QueryAudit
    from tacita.queries.inferring import AnalystAccount, InferredBound, InferredSoFar, WidthsTold
    from tacita.queries.state import RecordedAnswer


_MOST_GROUPS = 8
"""Groups that a line of reasons names."""


class QueryAuditView(View["QueryAudit"]):
    """The forms of what an auditor sees."""

    def title(self, result: QueryAudit) -> str:
        """Return what the page is about."""
        return f"{result.database}: audit"

    def as_dict(self, result: QueryAudit) -> dict[str, Any]:
        """Return questions with reasons, what follows from answers so far, and budgets."""
        return {
            "database": result.database,
            "records": result.records,
            "cells": result.cells,
            "answers": result.mode,
            "guarantee": result.guarantee,
            "released": result.released,
            "refused": result.refused,
            "independent": [
                {
                    "measure": measure or None,
                    "sums": sums,
                    "classes": classes,
                    "share": sums / max(result.records, 1),
                }
                for measure, sums, classes in result.independent
            ],
            "most_sums": result.most_sums,
            "inferred": [_inferred_fields(one) for one in result.inferred],
            "widths": _width_fields(result.widths),
            "analysts": [_account_fields(one) for one in result.analysts],
            "most_refusals": result.most_refusals,
            "spent": dict(result.spent),
            "caps": dict(result.caps),
            "analyst_caps": dict(result.analyst_caps),
            "questions": [_question_fields(result, one, q) for q, one in enumerate(result.questions, 1)],
            "notes": list(result.notes),
        }

    def as_text(self, result: QueryAudit) -> RenderableType:
        """Return what follows, what analysts did, and a line for each question, with the reasons of refusals."""
        from rich.console import Group

        head = [
            f"{result.database}: {result.released:,} answered, {result.refused:,} refused, of "
            f"{counted(result.records, 'record')} in {counted(result.cells, 'cell')}. {result.guarantee}",
            *_ranks(result),
            *_widths(result.widths),
            *([f"spent: {_spent(result)}"] if result.caps else []),
            "",
        ]
        inferred = [part for one in result.inferred for part in _inferred_parts(one)]
        table = columns("q", "entry", "analyst", "decision", "question and reason", right=("q", "entry"))
        for q, one in enumerate(result.questions, 1):
            add(table, str(q), str(one.sequence), one.analyst, one.decision, one.text)
            for objection in one.objections:
                where = _groups(result.refused_groups(one, objection["groups"]))
                add(table, "", "", "", "", f"  {objection['rule']}{where}: {objection['sentence']}")
        accounts = [_accounts(result), *lines([""])] if result.analysts else []
        return Group(*lines(head), *inferred, *accounts, table, *notes(result.notes))


def _spent(result: QueryAudit) -> str:
    return f"{amounts_text(result.spent) or 'nothing'} of {amounts_text(result.caps)}"


def _ranks(result: QueryAudit) -> list[str]:
    limit = f", and the policy allows {result.most_sums:,}" if result.most_sums is not None else ""
    return [
        f"{measure or 'counts'}: {counted(sums, 'independent sum')}, "
        f"{share(sums / max(result.records, 1))} of the records{limit}; questions tell "
        f"{classes:,} groups of records apart"
        for measure, sums, classes in result.independent
    ]


def _widths(widths: WidthsTold | None) -> list[str]:
    if widths is None:
        return []
    people = f"{counted(widths.insiders, 'insider')} cannot compute the values of others, {widths.insiders + 1} can"
    if widths.least is None or widths.median is None or widths.largest is None:
        return [f"intervals: none; {people}"]
    spread = f"{share(widths.least)} to {share(widths.largest)} wide, {share(widths.median)} in the middle"
    return [f"intervals: {widths.intervals:,}, {spread}; {people}"]


def _inferred_parts(inferred: InferredSoFar) -> list[RenderableType]:
    """Return tables of what follows from answers without having been asked for."""
    whose = f"to {inferred.analyst}" if inferred.analyst else "to all analysts together"
    parts: list[RenderableType] = list(lines([f"What follows from the answers {whose}:"]))
    if inferred.sums:
        table = columns(
            "sum of", "people", "records", "of which records", "follows by", "rules", right=("people", "records")
        )
        for one in inferred.sums:
            add(
                table,
                sum_name(one),
                f"{one.contributors:,}",
                f"{one.records:,}",
                one.selection or "(no short description)",
                formula(one),
                _verdict(one),
            )
        more = inferred.count - len(inferred.sums)
        parts += [table, *(lines([f"and {counted(more, 'sum')} of more people"]) if more > 0 else ())]
    else:
        parts += lines(["no sum that was not asked for"])
    if inferred.bounds:
        table = columns("sum of", "people", "records", "between", "width", right=("people", "records", "width"))
        for bound in inferred.bounds:
            ends = f"{bound.lower} and {bound.upper}"
            name = bound.measure or "counts"
            add(table, name, f"{bound.contributors:,}", f"{bound.records:,}", ends, share(bound.share))
        parts += [*lines([""]), table]
    return [*parts, *notes(inferred.notes), *lines([""])]


def _accounts(result: QueryAudit) -> RenderableType:
    numbers = ("questions", "answered", "refused", "telling refusals")
    table = columns("analyst", *numbers, *(["spent"] if result.caps else []), right=numbers)
    for one in result.analysts:
        limit = f" of {result.most_refusals:,}" if result.most_refusals is not None else ""
        cells = [one.analyst, f"{one.questions:,}", f"{one.answered:,}", f"{one.refused:,}", f"{one.telling:,}{limit}"]
        spent = f"{amounts_text(one.spent) or 'nothing'} of {amounts_text(result.analyst_caps)}"
        add(table, *cells, *([spent] if result.caps else []))
    return table


def sum_name(one: InferredSum) -> str:
    """Return what is summed."""
    return (one.measure or "counts") + (" squared" if one.power > 1 else "")


def formula(one: InferredSum) -> str:
    """Return the answers with their factors as people write them."""
    from tacita.queries.audit.explanation import formula_of

    return formula_of(one.multipliers) if one.multipliers else "many answers"


def _verdict(one: InferredSum) -> str:
    return "; ".join(one.broken) or "obeyed"


def _inferred_fields(one: InferredSoFar) -> dict[str, Any]:
    return {
        "analyst": one.analyst or None,
        "sums": [_sum_fields(item) for item in one.sums],
        "count": one.count,
        "bounds": [_bound_fields(item) for item in one.bounds],
        "notes": list(one.notes),
    }


def _sum_fields(one: InferredSum) -> dict[str, Any]:
    return {
        "measure": one.measure or None,
        "power": one.power,
        "contributors": one.contributors,
        "records": one.records,
        "multipliers": [{"q": q, "factor": factor} for q, factor in one.multipliers],
        "selection": one.selection or None,
        "formula": formula(one),
        "holds": not one.broken,
        "broken": list(one.broken),
    }


def _bound_fields(one: InferredBound) -> dict[str, Any]:
    return {
        "measure": one.measure or None,
        "contributors": one.contributors,
        "records": one.records,
        "lower": one.lower,
        "upper": one.upper,
        "share": one.share,
    }


def _width_fields(one: WidthsTold | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "intervals": one.intervals,
        "least": one.least,
        "median": one.median,
        "largest": one.largest,
        "insiders": one.insiders,
    }


def _account_fields(one: AnalystAccount) -> dict[str, Any]:
    return {
        "analyst": one.analyst,
        "questions": one.questions,
        "answered": one.answered,
        "refused": one.refused,
        "telling_refusals": one.telling,
        "spent": dict(one.spent),
    }


def _question_fields(result: QueryAudit, one: RecordedAnswer, q: int) -> dict[str, Any]:
    return {
        "q": q,
        "entry": one.sequence,
        "time": one.time,
        "analyst": one.analyst,
        "number": one.number,
        "decision": one.decision,
        "question": one.text,
        "objections": [
            {**objection, "labels": [list(labels) for labels in result.refused_groups(one, objection["groups"])]}
            for objection in one.objections
        ],
    }


def _groups(groups: Sequence[Sequence[str | None]]) -> str:
    """Return which groups of a question a reason is about, by their labels; nothing if there is one group."""
    words = [", ".join(label_text(label) for label in labels) for labels in groups]
    return f" ({'; '.join(words[:_MOST_GROUPS])}{', and more' * (len(words) > _MOST_GROUPS)})" if words else ""
