"""External predicates: ``#risk(I, R)`` becomes its input, its output, and whatever computes one from the other.

``B, #risk(I, R) -> H`` reads ``B, riskOutput(I, R) -> H``, and ``B -> riskInput(I)`` is added: the input says for which
I the risk is wanted. A rule module derives the output from it; so does a function of the caller's. An external
predicate in a head states a plain fact that its module waits for.
"""

from __future__ import annotations

import contextlib
import datetime
import inspect
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tacita.errors import did_you_mean
from tacita.rules.logic.binding import scheduled
from tacita.rules.logic.dependencies import head_predicates, predicates
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Annotation, Clause, Program, Rule
from tacita.rules.logic.terms import Atom, Blank, Item, Negation, Variable, aggregates, variables, walk
from tacita.rules.logic.types import ANY, BOOLEAN, DATE, INTEGER, NUMBER, TEXT, TIMESTAMP, Type

COMPUTED = "computed"
"""The annotation of the rule that stands for a function of the caller's."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A function that answers for many inputs at once: takes a list of tuples, gives whole facts."""

    function: Callable[[Sequence[tuple[Any, ...]]], Sequence[tuple[Any, ...]]]
    inputs: int
    gives: tuple[type, ...] = ()
    """The Python types of the other arguments; without them a value of any type may come."""


Functions: TypeAlias = Mapping[str, Callable[..., Any] | Batch]
"""Functions behind external predicates. One that is not a `Batch` takes the input arguments of one fact and returns the
rest: a value, a tuple, or None if there is no such fact."""


def inputs_of(function: Callable[..., Any] | Batch) -> int:
    """Return how many of the arguments of its predicate a function takes."""
    if isinstance(function, Batch):
        return function.inputs
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = inspect.signature(function).parameters.values()
    return sum(1 for p in taken if p.kind in kinds and p.default is inspect.Parameter.empty)


def outputs_of(function: Callable[..., Any] | Batch, number: int) -> tuple[Type, ...]:
    """Return the types of what a function gives, by its annotations; ``any`` where it has none."""
    given: tuple[Any, ...]
    if isinstance(function, Batch):
        given = function.gives
    else:
        hints: Any = None
        with contextlib.suppress(Exception):  # annotations that cannot be read say nothing
            hints = typing.get_type_hints(function).get("return")
        options = [o for o in typing.get_args(hints) if o is not type(None)]
        if typing.get_origin(hints) in {typing.Union, types.UnionType} and len(options) == 1:
            hints = options[0]
        given = typing.get_args(hints) if typing.get_origin(hints) is tuple else (hints,)
    output_types = [_TYPES.get(one, ANY) for one in given]
    return tuple(output_types) if len(output_types) == number else (ANY,) * number


_TYPES: dict[Any, Type] = {
    bool: BOOLEAN,
    int: INTEGER,
    float: NUMBER,
    str: TEXT,
    datetime.date: DATE,
    datetime.datetime: TIMESTAMP,
}


def resolved(program: Program, modules: Mapping[str, str], functions: Functions, faults: list[Fault]) -> Program:
    """Return the program without external predicates; what cannot be resolved is a fault."""
    resolver = _Resolver(program, modules, functions, faults)
    clauses: list[Clause] = []
    for clause in program.clauses:
        clauses += resolver.clause(clause) if isinstance(clause, Rule) else [clause]
    return replace(program, clauses=tuple(clauses + resolver.added))


class _Resolver:
    def __init__(self, program: Program, modules: Mapping[str, str], functions: Functions, faults: list[Fault]) -> None:
        self._known = set(predicates(program))
        self._derived = {p for rule in program.rules for p in head_predicates(rule)} | {
            f.atom.predicate for f in program.facts
        }
        self._inputs = {
            atom.predicate: len(atom.arguments)
            for rule in program.rules
            for atom in rule.body
            if isinstance(atom, Atom) and not atom.is_external
        }
        self._modules, self._functions, self._faults = modules, functions, faults
        self.added: list[Clause] = []
        self._questions: list[Rule] = []
        self._computed: set[str] = set()

    def clause(self, rule: Rule) -> list[Clause]:
        head = tuple(self._head(item) if isinstance(item, Atom) else item for item in rule.head)
        body: list[Item] = []
        wanted: list[tuple[Atom, Atom, Sequence[Item]]] = []
        for item in rule.body:
            if isinstance(item, Atom) and item.is_external:
                read, questions = self._external(item)
                body.append(read)
                wanted += [(item, atom, ()) for atom in questions]
            elif isinstance(item, Negation):
                inside: list[Item] = []
                for part in item.items:
                    if isinstance(part, Atom) and part.is_external:
                        read, questions = self._external(part)
                        inside.append(read)
                        wanted += [(part, atom, inside) for atom in questions]
                    else:
                        inside.append(part)
                body.append(replace(item, items=tuple(inside)))
            else:
                body.append(item)
        asking = []
        for external, atom, beside in wanted:
            new = self._asking(rule, [*body, *beside], external, atom)
            if all((new.body, new.head) != (old.body, old.head) for old in self._questions):
                self._questions.append(new)
                asking.append(new)
        return [*asking, replace(rule, body=tuple(body), head=head)]

    def _head(self, atom: Atom) -> Atom:
        if not atom.is_external:
            return atom
        if atom.predicate not in self._modules and atom.predicate not in self._known:
            return self._unknown(atom)
        return replace(atom, is_external=False)

    def _external(self, atom: Atom) -> tuple[Atom, list[Atom]]:
        """Return what is read instead of an external atom, and the inputs that are asked for."""
        name, plain = atom.predicate, replace(atom, is_external=False)
        output, input_ = f"{name}Output", f"{name}Input"
        if name in self._functions:
            number = inputs_of(self._functions[name])
            self._compute(name, number, len(atom.arguments), atom)
            return replace(plain, predicate=output), [
                replace(plain, predicate=input_, arguments=atom.arguments[:number])
            ]
        if name in self._modules and output in self._derived:
            number = self._inputs.get(input_, len(atom.arguments) - 1)
            return replace(plain, predicate=output), [
                replace(plain, predicate=input_, arguments=atom.arguments[:number])
            ]
        if name not in self._derived and name not in self._known:
            return self._unknown(atom), []
        return plain, []

    def _unknown(self, atom: Atom) -> Atom:
        """Note that nothing is bound to an atom, and leave it as it is: it is no predicate that rules could define."""
        near = did_you_mean(atom.predicate, {*self._modules, *self._functions, *self._derived})
        self._faults.append(
            Fault(
                "R702",
                f"nothing is bound to #{atom.predicate}{near}",
                atom.origin,
                f'bind a module with @bind_module("{atom.predicate}", "..."), use one that derives {atom.predicate}, '
                "or give a function",
            )
        )
        return atom

    def _compute(self, name: str, inputs: int, arity: int, atom: Atom) -> None:
        """Add the rule that stands for a function: from the input, the output."""
        if name in self._computed:
            return
        self._computed.add(name)
        taken = tuple(Variable(f"X{i}", atom.origin) for i in range(arity))
        self.added.append(
            Rule(
                (Atom(f"{name}Input", taken[:inputs], origin=atom.origin),),
                (Atom(f"{name}Output", taken, origin=atom.origin),),
                taken[inputs:],
                annotations=(Annotation(COMPUTED, origin=atom.origin),),
                label=f"#{name}",
                origin=atom.origin,
            )
        )

    def _asking(self, rule: Rule, body: Sequence[Item], external: Atom, atom: Atom) -> Rule:
        """Return the rule that asks for an output: the body without what needs an output, or an aggregate."""
        outputs = {f"{name}Output" for name in (*self._modules, *self._functions)}
        rest = [
            item
            for item in body
            if not aggregates(item) and not any(isinstance(n, Atom) and n.predicate in outputs for n in walk(item))
        ]
        rest, bound = _usable(rest)
        needed = {v.name for v in variables(atom)}
        if external.predicate in self._functions:
            own = f"{external.predicate}Output", external.arguments
            for item in body:  # one function may be asked about what another one gives
                if needed <= bound:
                    break
                if isinstance(item, Atom) and item.predicate in outputs and (item.predicate, item.arguments) != own:
                    rest, bound = _usable([*rest, item])
            atom = self._given(external, atom, bound)
        return Rule(tuple(_relevant(rest, needed)), (atom,), label=rule.label, origin=rule.origin, module=rule.module)

    def _given(self, external: Atom, atom: Atom, bound: Collection[str]) -> Atom:
        """Return what a function is asked, and note every part of it that has no value: a function needs them all."""
        name, arguments = external.predicate, []
        for number, argument in enumerate(atom.arguments, 1):
            missing = [v for v in variables(argument) if v.name not in bound]
            if isinstance(argument, Blank):
                message = f"the function behind #{name} needs a value for its argument {number}, not _"
                self._faults.append(Fault("R305", message, argument.origin, "write a variable that an atom binds"))
            elif missing:
                message = f"{missing[0].name} has no value when the function behind #{name} is asked"
                do = f"bind {missing[0].name} by an atom that is not negated, or by {missing[0].name} = ..."
                self._faults.append(Fault("R301", message, missing[0].origin, do))
            arguments.append(Variable(f"_{number}", argument.origin) if isinstance(argument, Blank) else argument)
        return replace(atom, arguments=tuple(arguments))


def _usable(items: Sequence[Item]) -> tuple[list[Item], frozenset[str]]:
    """Return the items that can be used without the others, and the variables that have a value then."""
    kept = list(items)
    while True:
        schedule = scheduled(kept)
        stuck = [u.item for u in schedule.unbound]
        if not stuck:
            return kept, schedule.bound
        kept = [item for item in kept if item not in stuck]


def _relevant(items: Sequence[Item], needed: set[str]) -> list[Item]:
    """Return the atoms that bind what is needed, and everything that hangs together with them."""
    kept: list[Item] = []
    names = set(needed)
    grown = True
    while grown:
        grown = False
        for item in items:
            if item not in kept and names & {v.name for v in variables(item)}:
                kept.append(item)
                names |= {v.name for v in variables(item)}
                grown = True
    return [item for item in items if item in kept]
