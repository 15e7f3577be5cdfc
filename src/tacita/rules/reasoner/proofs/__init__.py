"""Why a fact holds, and why another does not: proofs rebuilt on demand from the rounds in which facts came in.

Nothing is recorded while rules run but the round of each fact. A proof looks for a rule and facts of earlier rounds that
give the fact again (`search`, with `instances`, `groups`, `nulls` and `changes` for the kinds of rules), so it cannot go
round in a circle; where equality rules have changed facts since, `loose` looks further. `tree` is what a proof is made
of; `as_text`, `as_sentences`, `as_json`, `as_dot` and `as_svg` show it. `why_not` follows a rule as far as it goes and
says where it stops.
"""

from tacita.rules.reasoner.proofs.tree import GroundFact, Proof
from tacita.rules.reasoner.proofs.why import why, why_not
from tacita.rules.reasoner.proofs.why_not import WhyNot

__all__ = ["GroundFact", "Proof", "WhyNot", "why", "why_not"]
