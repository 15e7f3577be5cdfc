"""A gate as its folder knows it: policy and ledger come from the internal folder, nobody has to name them."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import InputError
from tacita.gate.policy.policy import GatePolicy
from tacita.gate.policy.policy_payload import policy_of
from tacita.gate.recording import POLICY
from tacita.release.kinds.increment.folder import IncrementFacts
from tacita.release.kinds.increment.ledgers import GateLedger, ledger_of
from tacita.release.kinds.increment.opened import OpenGate
from tacita.release.opening import open_release
from tacita.settings import Settings


def folder_gate(folder: Path, internal: Path | None = None, settings: Settings | None = None) -> OpenGate:
    """Return the gate of a folder as it is now, to look at; use it in a ``with`` statement."""
    opened = open_release(folder, internal)
    facts = IncrementFacts.of_manifest(opened.manifest) if "gate" in opened.manifest else None
    given = None if facts is None else ledger_of(folder, opened.internal, facts.ledger, settings)
    if facts is None or given is None:
        raise InputError(
            "is not a folder of a gate, or its ledger cannot be reached",
            where=str(folder),
            do="name a folder that 'tacita release gate --out' made, where its ledger is configured",
        )
    with given.ledger:
        policy = _last_policy(given, facts)
    return OpenGate(
        policy,
        folder,
        internal=opened.internal,
        recipient=facts.recipient or None,
        read_only=True,
        settings=settings,
    )


def _last_policy(given: GateLedger, facts: IncrementFacts) -> GatePolicy:
    """Return the policy by which the gate decided last."""
    policy = None
    for entry in given.ledger.entries(kinds=(POLICY,), subject=facts.subject, recipients=(facts.recipient,)):
        payload = given.ledger.payload(entry)
        if payload is not None and payload["gate"] == facts.gate:
            policy = policy_of(payload["policy"], payload["text"])
    if policy is None:
        raise InputError("the ledger has no policy of this gate", where=given.ledger.place, do="open the gate first")
    return policy
