"""The forms of what is done with releases: written, verified, explained. Paths and counts, and no value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tacita.errors import counted, printable
from tacita.model.figures import figure
from tacita.views import view_of
from tacita.views.outcome import claim_dict
from tacita.views.terminal import lines
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.tree import Tree

    from tacita.api.releases import ExplainedRecord
    from tacita.api.releasing import ReleaseAttempt
    from tacita.release.kind import LedgerReceipt, Released, Verification
    from tacita.release.kinds.masked.check import MaskedVerification
    from tacita.release.kinds.microdata.claim import ClaimVerification
    from tacita.release.kinds.microdata.explain import Branch, ChangedRecords, ChangeExplanation
    from tacita.release.kinds.tables.cells import CellDecisions
    from tacita.release.kinds.tables.check import TableVerification
    from tacita.tables.protect.protected import Protected

_NO_PROOF = "  no internal folder: files are compared with the manifest of the release alone"
_SHOWN = 20
_ADD_OUT = "; add --out FOLDER to release it."


class ReleasedView(View["Released"]):
    """The forms of a release of microdata."""

    def title(self, result: Released) -> str:
        """Return where it is."""
        return f"The release {result.folder.name}"

    def as_dict(self, result: Released) -> dict[str, Any]:
        """Return where it is, and what has to be said about it."""
        places = {"folder": result.folder, "internal": result.internal, "data": result.data}
        return places | {"notes": list(result.notes), "ledger": receipt_dict(result.receipt)}

    def as_text(self, result: Released) -> RenderableType:
        """Return what was written, and what a person may want to do next."""
        notes = (f"Note: {note}" for note in result.notes)
        return _group([*notes, *self._written(result), *receipt_lines(result.receipt)])

    def _written(self, result: Any) -> list[str]:
        folder = result.folder
        return [
            f"Released to {folder}: {result.data.name}, its dictionary, a report and a manifest.",
            f"The internal folder is {result.internal}.",
            f"Ask why with 'tacita explain {folder} --row N', check with 'tacita verify {folder}'.",
        ]


class ReleasedRecordsView(ReleasedView):
    """The forms of a release of masked microdata."""

    def _written(self, result: Any) -> list[str]:
        return [
            f"Released to {result.folder}: {', '.join(result.files)} and a report.",
            f"The internal folder, with the seed, is {result.internal}.",
        ]


class ReleasedTablesView(ReleasedView):
    """The forms of a release of tables."""

    def as_dict(self, result: Released) -> dict[str, Any]:
        """Return where it is, and its files."""
        places = {"folder": result.folder, "internal": result.internal, "files": list(result.files)}
        return places | {"ledger": receipt_dict(result.receipt)}

    def _written(self, result: Any) -> list[str]:
        return [
            f"Released to {result.folder}: {', '.join(result.files)}, a page and a manifest.",
            f"The internal folder is {result.internal}.",
        ]


class ReleaseAttemptView(View["ReleaseAttempt"]):
    """The forms of what was made of data together with its release, or why there is none."""

    def title(self, result: ReleaseAttempt) -> str:
        """Return what the page is about."""
        return view_of(type(result.result)).title(result.result)

    def as_dict(self, result: ReleaseAttempt) -> dict[str, Any]:
        """Return the result, and the places of the release."""
        released, kind = result.release, type(result.result).__name__
        if kind == "Masking":
            return result.result.to_dict(released=released)
        fields = result.result.to_dict()
        if released is None and kind != "Protected":
            return fields
        return fields | {"release": None if released is None else released.to_dict()}

    def as_text(self, result: ReleaseAttempt) -> RenderableType:
        """Return the result, where the release is or why there is none, and what may be done next."""
        from rich.console import Group

        released, kind = result.release, type(result.result).__name__
        if kind == "Masking":
            return result.result.to_terminal(released=released, is_refused=result.is_refused)
        said = [] if released is not None else ["Nothing was written" + (_ADD_OUT if result.passed else ".")]
        written = [] if released is None else [released.to_terminal()]
        tables = cast("Protected", result.result).tables if kind == "Protected" else ()
        if released is not None and any(table.withheld.any() for table in tables):
            said.append(f"Ask why with 'tacita table explain {released.folder} --cell DIMENSION=CODE,...'.")
        return Group(result.result.to_terminal(), *lines([""]), *written, *lines(said))


class VerificationView(View[Any]):
    """The forms of a check of any release; those of a kind add its figures."""

    question = "{} is what it says"

    def title(self, result: Verification) -> str:
        """Return what was checked."""
        return f"Whether {self.question.format(result.folder.name)}"

    def as_dict(self, result: Any) -> dict[str, Any]:
        """Return the verdict and the faults."""
        ledger = result.ledger or None
        return {"holds": result.holds, "verdict": result.verdict, "faults": list(result.faults), "ledger": ledger}

    def as_text(self, result: Any) -> RenderableType:
        """Return the verdict first, then the faults and the figures."""
        said = [result.verdict, "", *(f"  fault: {fault}" for fault in result.faults), *self._figures(result)]
        said += [f"  ledger: {result.ledger}"] if result.ledger else []
        return _group([*said, *([] if result.with_proof else [_NO_PROOF]), *self._next(result)])

    def _figures(self, result: Any) -> list[str]:
        return []

    def _next(self, result: Any) -> list[str]:
        return []


class ClaimVerificationView(VerificationView):
    """The forms of a check of a release against its claim."""

    question = "the claim of {} holds"

    def as_dict(self, result: ClaimVerification) -> dict[str, Any]:
        """Return the verdict, the claim, and the figures that were measured anew."""
        return {
            **super().as_dict(result),
            "checked": not result.unchecked and result.unsafe is not None,
            "checked_in_part": list(result.checked_in_part),
            "with_internal_folder": result.with_proof,
            "derivable_allowed": result.is_derivable,
            "claim": claim_dict(result.claim),
            "records": result.records,
            "unsafe": result.unsafe,
            "unsafe_strict": result.unsafe_strict,
            "largest_risk": result.largest_risk,
        }

    def _figures(self, result: ClaimVerification) -> list[str]:
        said = []
        for measure, given in result.claim.measures:
            parameters = ", ".join(f"{name} {value}" for name, value in given.items())
            said.append(f"  measure: {measure}{f' ({parameters})' if parameters else ''}")
        said += [f"  the intruder knows: {', '.join(result.claim.known)}"]
        if result.unsafe is not None and result.largest_risk is not None:
            said += [f"  records: {result.records:,}", f"  unsafe: {result.unsafe:,}"]
            said += [f"  largest risk: {figure(result.largest_risk)}"]
        if result.unsafe_strict is not None:
            said.append(f"  below k in the strict sense: {result.unsafe_strict:,}")
        return said


class TableVerificationView(VerificationView):
    """The forms of a check of released tables."""

    question = "{} is what was audited"

    def as_dict(self, result: TableVerification) -> dict[str, Any]:
        """Return the verdict and the faults."""
        return {**super().as_dict(result), "with_internal_folder": result.with_proof, "tables": result.tables}

    def _figures(self, result: TableVerification) -> list[str]:
        return [f"  tables: {result.tables:,}", f"  withheld figures: {result.withheld:,}"]

    def _next(self, result: TableVerification) -> list[str]:
        return [f"  to attack them again: tacita table audit SPEC.toml --pattern {result.folder}"]


class MaskedVerificationView(VerificationView):
    """The forms of a check of released masked microdata."""

    question = "{} is what was attacked"

    def as_dict(self, result: MaskedVerification) -> dict[str, Any]:
        """Return the verdict, the faults, and what was allowed on release."""
        return {
            **super().as_dict(result),
            "with_internal_folder": result.with_proof,
            "released_against": list(result.against),
            "ungated": result.is_ungated,
            "derivable_allowed": result.is_derivable,
        }

    def _figures(self, result: MaskedVerification) -> list[str]:
        said = [f"  released although: {reason}" for reason in result.against]
        return said + (["  released without a limit of risk (--ungated)"] if result.is_ungated else [])


class ChangeExplanationView(View["ChangeExplanation"]):
    """The forms of why a record was changed: sentences that rest on each other."""

    def title(self, result: ChangeExplanation) -> str:
        """Return which record it is about."""
        source = f", record {result.source_row:,} of the source" if result.source_row != result.row else ""
        return f"Record {result.row:,} of the release{source}"

    def as_dict(self, result: ChangeExplanation) -> dict[str, Any]:
        """Return the sentences, alone and as a tree, and the decisions behind them."""
        return {
            "row": result.row,
            "source_row": result.source_row,
            "attribute": result.attribute,
            "sentences": result.sentences,
            "tree": [_branch_dict(branch) for branch in result.branches],
            "decisions": [decision.to_dict() for decision in result.decisions],
        }

    def as_text(self, result: ChangeExplanation) -> RenderableType:
        """Return the sentences as a tree."""
        from rich.console import Group

        return Group(*lines([self.title(result)]), *(_tree(branch) for branch in result.branches))


class ExplainedRecordView(View["ExplainedRecord"]):
    """The forms of a record that was changed, with the chain of facts that links it to others."""

    def title(self, result: ExplainedRecord) -> str:
        """Return which record."""
        return f"Record {result.explanation.row:,}"

    def as_dict(self, result: ExplainedRecord) -> dict[str, Any]:
        """Return the sentences and the tree, and the chain if there is one."""
        chain = {} if result.chain is None else {"chain": result.chain.as_json()}
        return result.explanation.to_dict() | chain

    def as_text(self, result: ExplainedRecord) -> RenderableType:
        """Return the tree, and below it the chain."""
        from rich.console import Group
        from rich.text import Text

        if result.chain is None:
            return result.explanation.to_terminal()
        said = lines(["", *result.chain.as_sentences().splitlines(), ""])
        return Group(result.explanation.to_terminal(), *said, Text(result.chain.as_text()))


class ChangedRecordsView(View["ChangedRecords"]):
    """The forms of which records were changed, so that somebody can ask about one."""

    def as_dict(self, result: ChangedRecords) -> dict[str, Any]:
        """Return all of them, by their number in the release."""
        return {
            "records": [
                {"row": row, "source_row": source, "attributes": names} for row, source, names in result.records
            ]
        }

    def as_text(self, result: ChangedRecords) -> RenderableType:
        """Return the first of them."""
        rest = len(result.records) - _SHOWN
        said = [f"{counted(len(result.records), 'record')} changed; ask about one with --row N"]
        said += [f"  row {row:,}: {', '.join(names)}" for row, _, names in result.records[:_SHOWN]]
        return _group([*said, *([f"  and {rest:,} more (--json names them all)"] if rest > 0 else [])])


class CellDecisionsView(View["CellDecisions"]):
    """The forms of what happened to cells of released tables."""

    def as_dict(self, result: CellDecisions) -> dict[str, Any]:
        """Return what happened to each cell; no value."""
        return {
            "cells": [
                {
                    "table": cell.table,
                    "cell": dict(cell.codes),
                    "status": cell.status,
                    "sentences": list(cell.sentences),
                    "protects": cell.protects or None,
                    "known_to_within": cell.known_to_within,
                    "reach": None if cell.reach is None else {"below": cell.reach[0], "above": cell.reach[1]},
                    "helped_by": list(cell.helped_by),
                }
                for cell in result.cells
            ]
        }

    def as_text(self, result: CellDecisions) -> RenderableType:
        """Return the first of them in sentences."""
        rest = len(result.cells) - _SHOWN
        said = [sentence for cell in result.cells[:_SHOWN] for sentence in cell.sentences]
        return _group([*said, *([f"And {counted(rest, 'cell')} more; --json names them all."] if rest > 0 else [])])


def receipt_dict(receipt: LedgerReceipt | None) -> dict[str, Any] | None:
    """Return where the ledger has a release; None if there is no ledger."""
    if receipt is None:
        return None
    return {
        "name": receipt.name,
        "id": receipt.id,
        "settings": receipt.settings,
        "entry": receipt.sequence,
        "hash": receipt.hash,
        "recipient": receipt.recipient,
        "source": receipt.subject,
        "judged": receipt.verdict.is_judged,
        "passed": receipt.verdict.passed,
        "allowed": receipt.verdict.is_allowed,
        "compared": receipt.verdict.compared,
        "reasons": list(receipt.verdict.reasons),
        "checkpoint": receipt.checkpoint,
        "notes": list(receipt.verdict.notes),
    }


def receipt_lines(receipt: LedgerReceipt | None) -> list[str]:
    """Return what a person must know about the ledger."""
    if receipt is None:
        return ["No ledger: nothing was compared with earlier releases."]
    compared = f"compared with {counted(receipt.verdict.compared, 'earlier entry')}"
    judged = compared if receipt.verdict.is_judged else "not compared with earlier releases"
    recipient = receipt.recipient or "the public"
    recorded = f"Recorded as entry {receipt.sequence} of the ledger '{receipt.name}', for {recipient}; {judged}."
    allowed = [f"Allowed by --allow-joint: {reason}." for reason in receipt.verdict.reasons]
    notes = [f"Note: {note}" for note in receipt.verdict.notes]
    return [*notes, *(allowed if receipt.verdict.is_allowed else []), recorded]


def _group(said: list[str]) -> RenderableType:
    from rich.console import Group

    return Group(*lines(said))


def _branch_dict(branch: Branch) -> dict[str, Any]:
    return {"text": branch.text, "because": [_branch_dict(below) for below in branch.below]}


def _tree(branch: Branch) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(printable(branch.text)))
    for below in branch.below:
        tree.add(_tree(below))
    return tree
