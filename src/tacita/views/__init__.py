"""The forms of results: text for the terminal, plain values for JSON, pages and charts as HTML.

A result has one view, in the module that `VIEWS` names: the class `DescriptionView` of ``views/description.py`` gives a
`Description` its forms. `view.py` is what all of them share, `json_values.py` the one way into JSON. Pages are made of
`markup`, `page`, `tables`, `cross_table`, and of charts (`charts`, `lines`, `scatter`), which know nothing of what is
reported. vl-convert is known in this room only.

Rooms below do not import this one: a `Result` finds its view by its name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacita.views.view import View

VIEWS = {
    "AppendedEntry": "ledger",
    "Assessment": "assessment",
    "AttackReport": "attack_report",
    "Audited": "table_results",
    "Built": "table_results",
    "Categorization": "categorization",
    "CellDecisions": "release",
    "ChangeExplanation": "release",
    "ChangedRecords": "release",
    "CheckedProgram": "rules",
    "ClaimVerification": "release",
    "ConcealedRecords": "concealment",
    "ConcealedVerification": "concealment",
    "Concealment": "concealment",
    "ConcealmentExplanation": "concealment",
    "Conversion": "written_files",
    "Curve": "outcome",
    "DatabaseDescription": "queries",
    "Description": "description",
    "Discovery": "discovery",
    "EntryProof": "ledger",
    "Evaluation": "evaluation",
    "ExplainedRecord": "release",
    "FormattedPrograms": "rules",
    "GateRun": "gate",
    "GateWatch": "gate_watch",
    "GeneratedFiles": "written_files",
    "IncrementVerification": "gate",
    "JointJudgement": "judgement",
    "KeyCare": "concealment",
    "LedgerExport": "ledger",
    "LedgerLog": "ledger",
    "LedgerVerification": "ledger",
    "MaskedVerification": "release",
    "Masking": "masking",
    "MeasureList": "catalogues",
    "MethodList": "catalogues",
    "NewCheckpoint": "ledger",
    "NewLedger": "ledger",
    "OpenedDatabase": "queries",
    "Outcome": "outcome",
    "Overview": "rules",
    "ProgramResult": "rules",
    "Proof": "proofs",
    "ProofVerification": "ledger",
    "Protected": "table_results",
    "QueryAnswer": "queries",
    "QueryAudit": "query_audit",
    "QueryHistory": "queries",
    "QuotedPrice": "queries",
    "ReasoningReport": "rules",
    "RecipeComparison": "comparison",
    "ReleaseAttempt": "release",
    "ReleasePlan": "gate",
    "Released": "release",
    "ReleasedConcealment": "concealment",
    "ReleasedRecords": "release",
    "ReleasedTables": "release",
    "Revealed": "concealment",
    "RiskExplanation": "assessment.why",
    "ShownEntry": "ledger",
    "TableAssessment": "table_results",
    "TableExport": "table_files",
    "TableFiles": "table_files",
    "TableImport": "table_files",
    "TableVerification": "release",
    "Verification": "release",
    "WhyNot": "proofs",
}
"""The name of a result, and the module of this room that gives it its forms."""


def view_of(kind: type) -> View[Any]:
    """Return the view of a class of results, or of the class that it is made from."""
    for base in kind.__mro__:
        if base.__name__ in VIEWS:
            module = importlib.import_module(f"tacita.views.{VIEWS[base.__name__]}")
            view: View[Any] = getattr(module, f"{base.__name__}View")()
            return view
    raise LookupError(f"no view is known for {kind.__name__}; views/__init__.py lists them")
