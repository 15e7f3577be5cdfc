"""Why a fact holds, and why another does not: proofs rebuilt on demand from the rounds in which facts came in.

Nothing is recorded while rules run but the round of each fact. A proof looks for a rule and facts of earlier rounds
that give the fact again, so it cannot go round in a circle. `tree` is what a proof is made of; `finding` looks for its
steps, `showing` shows it; `templates` and `words` say it.
"""

from tacita.rules.proofs.tree import GroundFact, Proof
from tacita.rules.proofs.why import why, why_not, why_violated
from tacita.rules.proofs.why_not import WhyNot

__all__ = ["GroundFact", "Proof", "WhyNot", "why", "why_not", "why_violated"]
