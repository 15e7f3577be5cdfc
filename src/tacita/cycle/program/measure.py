"""The measure that a cycle written as rules uses, so that it can be asked again: its kernel, or its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.knowledge import programs as shipped
from tacita.knowledge.programs import ProgramText
from tacita.risk.identity.individual_risk import IndividualRisk, RiskEstimate
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.identity.reidentification import Reidentification
from tacita.risk.identity.suda import Suda
from tacita.risk.measure import Measure
from tacita.risk.ruled import OUTPUT, Ruled
from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.terms import Constant, ListOf, SetOf, Term
from tacita.rules.passes.parameters import defaults
from tacita.rules.reasoner.program import Prepared
from tacita.rules.syntax import parse

THRESHOLD = "T"
LINKED_CYCLE = "enhanced_cycle"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a program asks for: where its rules come from, and which parameters they were run with."""

    program: ProgramText
    prepared: Prepared
    given: Mapping[str, Any]
    """The parameters of the caller."""

    def measure(self) -> Measure | None:
        """Return the measure whose risks decide; None if the program measures by rules of its own."""
        sources = self._sources(OUTPUT)
        if len(sources) != 1 or sources[0] == self.program.source or self._parameter(THRESHOLD) is None:
            return None
        source, threshold = sources[0], self.threshold
        module, text = Path(source).stem, self.prepared.linked.texts[source]
        if _is_shipped(module, text):
            return self._kernel(module, threshold)
        names = defaults(parse(text, source).program)
        own = {n: v for n in names if n != "AnonSet" and (v := self._parameter(n, module, text)) is not None}
        folder = Path(source).parent if Path(source).is_file() else self.program.folder
        return Ruled(ProgramText(text, source, folder), own, threshold)

    @property
    def threshold(self) -> float:
        """The highest risk that is accepted: the parameter ``T``, or one half if the program has none."""
        said = self._parameter(THRESHOLD)
        return float(said) if isinstance(said, int | float) else 0.5

    @property
    def is_of_clusters(self) -> bool:
        """Whether risks are those of linked records, as the shipped program has it."""
        texts = self.prepared.linked.texts
        return any(Path(s).stem == LINKED_CYCLE and _is_shipped(LINKED_CYCLE, text) for s, text in texts.items())

    @property
    def word(self) -> str:
        """What linked records are called: the program that relates them."""
        sources = self._sources("rel") or [LINKED_CYCLE]
        return Path(sources[-1]).stem

    @property
    def linking(self) -> str:
        """The program that says who belongs together, as one gives it: the name of a shipped one, or its file."""
        sources = self._sources("rel") or [LINKED_CYCLE]
        name = Path(sources[-1]).stem
        return name if _is_shipped(name, self.prepared.linked.texts.get(sources[-1], "")) else sources[-1]

    def known(self, quasi_identifiers: tuple[str, ...]) -> tuple[str, ...]:
        """Return what the intruder knows."""
        said = self._parameter("AnonSet")
        return tuple(said) if said else quasi_identifiers

    def _kernel(self, module: str, threshold: float) -> Measure | None:
        text = self.prepared.linked.texts[f"{module}{shipped.ENDING}"]
        match module:
            case "k_anonymity":
                return KAnonymity(int(self._parameter("k", module, text)), threshold)
            case "reidentification":
                return Reidentification(threshold)
            case "individual_risk":
                return IndividualRisk(RiskEstimate.RATIO, threshold)
            case "suda":
                k, largest = (int(self._parameter(name, module, text)) for name in ("k", "largest"))
                return Suda(largest=largest, k=k, threshold=threshold)
        return Ruled(ProgramText.of(module), {}, threshold)

    def _sources(self, predicate: str) -> list[str]:
        """Return the sources of the rules that conclude something."""
        rules = self.prepared.program.rules
        return list(dict.fromkeys(r.origin.source for r in rules if predicate in head_predicates(r) and r.origin.line))

    def _parameter(self, name: str, module: str = "", text: str = "") -> Any:
        """Return what a parameter was: as given, as the program says, as the module says."""
        own = defaults(parse(self.program.text, self.program.source).program)
        for known in (f"{module}.{name}", name):
            if known in self.given:
                return self.given[known]
            if known in own:
                return _value(own[known])
        texts = [text] if text else list(self.prepared.linked.texts.values())
        said = (defaults(parse(source, "").program).get(name) for source in texts)
        return next((_value(term) for term in said if term is not None), None)


def _is_shipped(name: str, text: str) -> bool:
    program = shipped.find(name)
    return program is not None and program[0] == text


def _value(term: Term) -> Any:
    if isinstance(term, ListOf | SetOf):
        return [_value(item) for item in term.items]
    return term.value if isinstance(term, Constant) else None
