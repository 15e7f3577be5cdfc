"""A program made ready to run: linked, checked, typed, in strata."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacita.progress import Progress, silent
from tacita.rules.logic.checks import all_faults
from tacita.rules.logic.dependencies import Edge, components, edges, predicates, version_rules, versioned
from tacita.rules.logic.faults import Fault, Severity, refuse
from tacita.rules.logic.program import Annotation, Program, Rule
from tacita.rules.logic.terms import Atom, Comparison, Constant, Denial, ListOf, Term, Variable, walk
from tacita.rules.logic.types import SCALARS, Type
from tacita.rules.passes.externals import COMPUTED, Functions, outputs_of
from tacita.rules.passes.modules import Finder, Linked, link
from tacita.rules.passes.parameters import term_of
from tacita.rules.syntax import parse

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.versions import Watching
    from tacita.rules.reasoner.similar import Similarity


@dataclass(slots=True)
class Prepared:
    """What a run needs to know of a program."""

    linked: Linked
    warnings: tuple[Fault, ...] = ()
    versioned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version_rules: tuple[Rule, ...] = ()
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The positions of the keys of versioned predicates that some rule makes new versions of."""
    written: tuple[Rule, ...] = ()
    """The version rules as somebody wrote them, before they were unfolded over a dictionary."""

    @property
    def program(self) -> Program:
        """The linked program."""
        return self.linked.program


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop a run that does not end by itself."""

    rounds: int = 10_000
    facts: int = 200_000_000
    nulls: int = 5_000_000


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningOptions:
    """What is plugged into a program, and how long and before whom it may run."""

    parameters: Mapping[str, Any] | None = None
    functions: Functions | None = None
    """What computes external predicates."""
    similarity: Similarity | None = None
    """When texts are alike, for ``~``; the program may choose one by its name."""
    find: Finder | None = None
    """Where modules are looked for."""
    known_modules: Collection[str] = ()
    """The names that are suggested for one that is not there."""
    source: str = "program"
    """What messages call the program."""
    budget: Budget = field(default_factory=Budget)
    progress: Progress = silent
    watching: Watching | None = None


def prepare(text: str | Program, options: ReasoningOptions, known: Collection[str] = ()) -> Prepared:
    """Read, link and check a program; raise one error with all its faults.

    `known` are the predicates whose facts come from elsewhere.
    """
    texts: dict[str, str] = {}
    if isinstance(text, str):
        parsed = parse(text, options.source)
        texts[options.source] = text
        program, unread = parsed.program, parsed.faults
    else:
        program, unread = text, ()
    given = {name: term_of(value) for name, value in (options.parameters or {}).items()}
    linked = link(program, options.find, given, options.functions, options.known_modules)
    texts.update(linked.texts)
    linked.texts = texts
    before = (*unread, *linked.faults)
    faults = all_faults(linked.program, before, texts, known)
    refuse(faults, texts)
    warnings = tuple(f for f in faults if f.severity is Severity.WARNING and f not in before)
    names, rules = versioned(linked.program), version_rules(linked.program)
    keys, wrong = version_keys(linked.program, names, rules)
    refuse(wrong, texts)
    return Prepared(linked, warnings, names, rules, keys, rules)


def arities(program: Program) -> dict[str, int]:
    """Return the number of arguments of every predicate."""
    by_predicate: dict[str, int] = {}
    for rule in program.rules:
        for item in (*rule.body, *rule.head):
            for node in walk(item):
                if isinstance(node, Atom):
                    by_predicate.setdefault(node.predicate, len(node.arguments))
    for fact in program.facts:
        by_predicate.setdefault(fact.atom.predicate, len(fact.atom.arguments))
    for annotation in program.directives("input", "output"):
        names = column_names(annotation)
        if names and annotation.text(0):
            by_predicate.setdefault(annotation.text(0) or "", len(names))
    return by_predicate


def column_names(annotation: Annotation) -> tuple[str, ...]:
    """Return the names that @input, @output or @model gives the arguments, without their types."""
    if len(annotation.arguments) < 2 or not isinstance(annotation.arguments[1], ListOf):
        return ()
    return tuple(
        item.value.rpartition(":")[0] or item.value
        if isinstance(item, Constant) and isinstance(item.value, str) and _typed(item.value)
        else str(item.value)
        for item in annotation.arguments[1].items
        if isinstance(item, Constant)
    )


def column_types(annotation: Annotation) -> tuple[Type | None, ...]:
    """Return the types that @input declares as ``name:type``."""
    if len(annotation.arguments) < 2 or not isinstance(annotation.arguments[1], ListOf):
        return ()
    return tuple(
        SCALARS.get(item.value.rpartition(":")[2])
        if isinstance(item, Constant) and isinstance(item.value, str)
        else None
        for item in annotation.arguments[1].items
    )


def _typed(name: str) -> bool:
    return ":" in name and name.rpartition(":")[2] in SCALARS


def argument_names(program: Program) -> dict[str, tuple[str, ...]]:
    """Return what people call the arguments of predicates."""
    by_predicate: dict[str, tuple[str, ...]] = {}
    for annotation in program.directives("output", "input", "model"):
        names, predicate = column_names(annotation), annotation.text(0)
        if predicate is not None and names:
            by_predicate[predicate] = names
    return by_predicate


def strata(
    program: Program, version: Mapping[str, Any], nullable: Collection[tuple[str, int]] = ()
) -> tuple[tuple[tuple[str, ...], ...], tuple[Edge, ...]]:
    """Return the predicates in the order in which they can be completed, and what depends on what.

    `nullable` are the positions where the data have unknown values, which equality rules may change.
    """
    links = edges(program, version, nullable)
    return components(predicates(program), links), links


def is_equality(rule: Rule) -> bool:
    """Whether a rule says that two things are the same."""
    return any(isinstance(item, Comparison) for item in rule.head)


def is_denial(rule: Rule) -> bool:
    """Whether a rule says what must never be."""
    return any(isinstance(item, Denial) for item in rule.head)


def computed_types(rule: Rule, functions: Functions) -> tuple[Type, ...] | None:
    """Return the types that a caller's function gives, if the rule stands for one."""
    if rule.annotation(COMPUTED) is None or rule.label is None:
        return None
    return outputs_of(functions[rule.label.removeprefix("#")], len(rule.exists))


def text_option(annotation: Annotation | None, name: str, default: str) -> str:
    """Return a named text argument."""
    value: Term | None = annotation.option(name) if annotation is not None else None
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else default


# -- versions ----------------------------------------------------------------------------------------------------------


def version_keys(
    program: Program, names: Mapping[str, Sequence[str]], rules: Sequence[Rule]
) -> tuple[dict[str, tuple[int, ...]], list[Fault]]:
    """Return the positions of the keys of predicates that version rules change, and what is wrong with these rules."""
    keys: dict[str, tuple[int, ...]] = {}
    faults = [_further_heads(rule) for rule in rules if len(rule.head) > 1]
    declared = {annotation.text(0): annotation for annotation in program.directives("versioned")}
    for predicate, key in names.items():
        atoms = [a for rule in rules for a in rule.head if isinstance(a, Atom) and a.predicate == predicate]
        if not atoms:
            continue  # nothing ever changes it
        places = _declared_places(program, predicate, key) or _written_places(atoms, key)
        if places:
            keys[predicate] = places
            continue
        shown = ", ".join(key) or "nothing"
        message = f"the key of {predicate} is {shown}: no columns of these names, and no variables at one place each"
        do = f'name its columns with @model("{predicate}", [...], "..."), or call them alike in the heads of its rules'
        faults.append(Fault("R711", message, declared[predicate].origin, do))
    return keys, faults


def _further_heads(rule: Rule) -> Fault:
    message = f"rule {rule.name} makes new versions, and concludes something else as well"
    do = "give what else it concludes a rule of its own: it is derived in every epoch, a version only once"
    return Fault("R712", message, rule.origin, do)


def _declared_places(program: Program, predicate: str, key: Sequence[str]) -> tuple[int, ...]:
    """Return where the columns of a predicate have the names of its key."""
    for annotation in program.directives("model", "input", "output"):
        columns = column_names(annotation) if annotation.text(0) == predicate else ()
        if key and set(key) <= set(columns):
            return tuple(columns.index(name) for name in key)
    return ()


def _written_places(atoms: Sequence[Atom], key: Sequence[str]) -> tuple[int, ...]:
    """Return where the heads of version rules have variables with the names of a key, if they agree."""
    places: list[int] = []
    for name in key:
        used = [{i for i, a in enumerate(x.arguments) if isinstance(a, Variable) and a.name == name} for x in atoms]
        common = set.intersection(*(some for some in used if some)) if any(used) else set()
        if not common:
            return ()
        places.append(min(common))
    return tuple(places)
