"""R702 and R705: external predicates and parameters that nothing stands behind."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.suggestions import Suggestions
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.terms import Parameter, walk


def unresolved(subject: Subject) -> Iterator[Fault]:
    """Find external predicates and parameters that nothing stands behind."""
    bound = {name.removeprefix("#") for a in subject.program.directives("bind_module") if (name := a.text(0))}
    bound |= {name.removeprefix("#") for name in subject.known}
    suggestions = Suggestions(sorted(bound))
    for signature in subject.signatures.values():
        name = signature.predicate.removeprefix("#")
        if signature.predicate.startswith("#") and name not in bound:
            place = (signature.uses or signature.definitions)[0]
            do = f'bind it with @bind_module("{name}", "..."), or give a function of that name when the program is run'
            yield fault("R702", f"nothing stands behind #{name}{suggestions.of(name)}", place.origin, do)
    yield from _parameters(subject)


def _parameters(subject: Subject) -> Iterator[Fault]:
    declared = {name for a in subject.program.directives("param") if (name := a.text(0))}
    suggestions = Suggestions(sorted(declared))
    seen: set[tuple[str, str]] = set()
    facts = (node for fact in subject.program.facts for node in walk(fact.atom))
    for nodes in (*(part for both in subject.nodes for part in both), facts):
        for node in nodes:
            if not isinstance(node, Parameter) or node.name in declared:
                continue
            if (key := (node.origin.source, node.name)) not in seen:
                seen.add(key)
                do = f'give it a default with @param("{node.name}", ...), or a value when the program is run'
                message = f"nothing gives the parameter ${node.name} a value{suggestions.of(node.name)}"
                yield fault("R705", message, node.origin, do)
