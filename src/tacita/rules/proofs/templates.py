"""The sentences of a program: ``@model`` for facts, ``@explain`` for rules, and what fills the gaps in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tacita.rules.logic.checks.names import gaps
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import Atom, Constant, Node, Parameter, Term, children, variables
from tacita.rules.passes.parameters import defaults
from tacita.rules.proofs.tree import GroundFact, PredicateModel
from tacita.rules.proofs.words import plain
from tacita.rules.reasoner.program import Prepared, column_names
from tacita.rules.syntax import parse, text_of


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence about a rule's match, and the term behind each of its gaps."""

    sentence: str
    terms: Mapping[str, Term]
    fixed: Mapping[str, str]
    """Gaps that parameters fill: the same in every match."""

    def name(self, gap: str) -> str:
        """Return the name under which the value of a gap is kept with a match."""
        return f"·says {gap}"

    def filled(self, values: Mapping[str, Any]) -> str:
        """Return the sentence of a match."""

        def fill(gap: str) -> str:
            if gap in self.fixed:
                return self.fixed[gap]
            return plain(values[self.name(gap)]) if self.name(gap) in values else f"[{gap}]"

        return with_gaps_filled(self.sentence, fill)


def with_gaps_filled(sentence: str, fill: Callable[[str], str]) -> str:
    """Return a sentence with every ``[gap]`` replaced.

    >>> with_gaps_filled("the value [VSet[A]] of [A]", lambda gap: gap.lower())
    'the value vset[a] of a'
    """
    rest, done = sentence, ""
    for gap in gaps(sentence):
        before, _, rest = rest.partition(f"[{gap}]")
        done += before + fill(gap)
    return done + rest


def models(program: Program) -> dict[str, PredicateModel]:
    """Return the sentences of predicates."""
    by_predicate: dict[str, PredicateModel] = {}
    for annotation in program.directives("model"):
        predicate, sentence = annotation.text(0), annotation.text(2)
        if predicate is not None and sentence is not None:
            by_predicate.setdefault(predicate, PredicateModel(column_names(annotation), sentence))
    return by_predicate


def sentence_of(fact: GroundFact, known: Mapping[str, PredicateModel]) -> str | None:
    """Return a fact in the words of its ``@model``; None if it has none."""
    model = known.get(fact.predicate)
    if model is None or len(model.names) != len(fact.values):
        return None
    values = dict(zip(model.names, fact.values, strict=True))
    return with_gaps_filled(model.sentence, lambda gap: plain(values[gap]) if gap in values else f"[{gap}]")


class Templates:
    """The ``@explain`` sentences of a program by rule."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._found: dict[int, Template | None] = {}
        self._sources: dict[str, Program] = {}

    def of(self, rule: Rule) -> Template | None:
        """Return the sentence of a rule."""
        if id(rule) not in self._found:
            sentence = self._sentence(rule)
            self._found[id(rule)] = None if sentence is None else self._template(rule, sentence)
        return self._found[id(rule)]

    def _sentence(self, rule: Rule) -> str | None:
        own = rule.annotation("explain")
        if own is not None and own.text(0) is not None:
            return own.text(0)
        for annotation in self._prepared.program.directives("explain"):
            target = (annotation.text(0) or "").strip()
            module, _, label = target.rpartition(" ")
            near = module == rule.module if module else annotation.origin.source == rule.origin.source
            if near and rule.label is not None and label in {f"[{rule.label}]", rule.label}:
                return annotation.text(1)
        heads = {item.predicate for item in rule.head if isinstance(item, Atom)}
        apart = (a for a in self._prepared.program.directives("explain") if a.text(0) in heads)
        return next((a.text(1) for a in apart if not list(gaps(a.text(1) or ""))), None)

    def _template(self, rule: Rule, sentence: str) -> Template:
        known = {v.name for v in variables(*rule.body, *(i for i in rule.head if isinstance(i, Atom)))}
        terms: dict[str, Term] = {}
        fixed: dict[str, str] = {}
        parameters: dict[str, Term] | None = None
        for gap in gaps(sentence):
            term = _term(gap)
            if term is not None and variables(term) and all(v.name in known for v in variables(term)):
                terms[gap] = term
                continue
            parameters = self._parameters(rule) if parameters is None else parameters
            value = parameters.get(gap.strip().removeprefix("$"))
            if value is not None:
                fixed[gap] = plain(value.value) if isinstance(value, Constant) else text_of(value)
        return Template(sentence, terms, fixed)

    def _parameters(self, rule: Rule) -> dict[str, Term]:
        """Return what the parameters of a rule were: read off by laying the rule beside its source."""
        source = rule.origin.source
        if source not in self._sources:
            self._sources[source] = parse(self._prepared.linked.texts.get(source, ""), source).program
        program = self._sources[source]
        values = {**defaults(self._prepared.program), **defaults(program)}
        ready = [r for r in self._prepared.program.rules if r.origin.source == source]
        for written_rule in sorted(program.rules, key=lambda r: r.origin == rule.origin):
            for clause in ready:
                if clause.origin == written_rule.origin:
                    by_origin: dict[Any, Node] = {item.origin: item for item in (*clause.body, *clause.head)}
                    for item in (*written_rule.body, *written_rule.head):
                        if item.origin in by_origin:
                            values |= _replaced(item, by_origin[item.origin])
        return values


def _replaced(written_node: Node, run_node: Node) -> dict[str, Term]:
    """Return what stands where the source has a parameter."""
    replaced: dict[str, Term] = {}
    waiting: list[tuple[Node, Node]] = [(written_node, run_node)]
    while waiting:
        before, after = waiting.pop()
        if isinstance(before, Parameter):
            replaced[before.name] = after  # type: ignore[assignment]  # a parameter stands for a term
        elif type(before) is type(after):
            waiting += zip(children(before), children(after), strict=False)
    return replaced


def _term(gap: str) -> Term | None:
    parsed = parse(f"gap({gap}) -> false.")
    if parsed.faults or not parsed.program.rules:
        return None
    item = parsed.program.rules[0].body[0]
    return item.arguments[0] if isinstance(item, Atom) and len(item.arguments) == 1 else None
