"""Random data, bodies and heads, and programs of layers: each layer over the ones below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hypothesis import strategies as st

Inputs: TypeAlias = dict[str, list[tuple[object, ...]]]
Case: TypeAlias = tuple[str, Inputs]
Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]


# -- data --------------------------------------------------------------------------------------------------------------

SIGNATURES = {"E": "ii", "A": "i", "L": "it", "W": "iin"}
"""The inputs: i an integer from 0 to 5, t a text, n a number of quarters. Texts may be unknown where a case says so."""

TEXTS = ["a", "b", "c", "d'e"]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": st.integers(0, 5),
    "t": st.sampled_from(TEXTS),
    "n": st.integers(0, 8).map(lambda quarters: quarters / 4),
}


@st.composite
def inputs(draw: Draw, nulls: str = "", names: Sequence[str] = tuple(SIGNATURES), most: int = 7) -> Inputs:
    """Inputs of the usual predicates; `nulls` are the types that may be unknown."""
    found: Inputs = {}
    for name in names:
        cells = [st.none() | VALUES[t] if t in nulls else VALUES[t] for t in SIGNATURES[name]]
        least = draw(st.sampled_from([4, 4, 4, 0]))
        found[name] = draw(st.lists(st.tuples(*cells), min_size=least, max_size=most, unique=True))
    return found


def chance(draw: Draw, one_in: int) -> bool:
    """Return true once in so many times; the simplest case is false."""
    return bool(draw(st.integers(0, one_in - 1)) == one_in - 1)


def literal(draw: Draw, type_: str) -> str:
    """Return a constant as text."""
    value = draw(VALUES[type_])
    return f'"{value}"' if type_ == "t" else str(value)


# -- bodies ------------------------------------------------------------------------------------------------------------

POOL = {"i": "XYZ", "t": "ST", "n": "UV", "z": "KM"}
"""Variables by type; z is an existential position: an unknown, or an integer."""


@dataclass
class Body:
    """A body under construction: its items, and its bound variables by type."""

    items: list[str] = field(default_factory=list)
    bound: dict[str, list[str]] = field(default_factory=lambda: {type_: [] for type_ in POOL})

    def of(self, types: str) -> list[str]:
        """Return the bound variables of some types."""
        return [name for type_ in types for name in self.bound[type_]]

    def bind(self, name: str, type_: str) -> None:
        """Note that a variable has a value."""
        if name not in self.bound[type_]:
            self.bound[type_].append(name)


def add_atom(draw: Draw, body: Body, name: str, signature: str) -> None:
    """Add an atom with variables, now and then a constant or a blank."""
    arguments = []
    for type_ in signature:
        kind = draw(st.integers(0, 19))
        if kind >= 18:
            arguments.append("_")
        elif kind == 17 and type_ != "z":
            arguments.append(literal(draw, type_))
        else:
            arguments.append(draw(st.sampled_from(POOL[type_])))
            body.bind(arguments[-1], type_)
    body.items.append(f"{name}({', '.join(arguments)})")


def add_condition(draw: Draw, body: Body) -> None:
    """Add a comparison or a test of membership over bound variables."""
    numbers, texts, unknowns = body.of("in"), body.of("t"), body.of("tz")
    options: list[Callable[[], str]] = []
    if numbers:
        one = draw(st.sampled_from(numbers))
        operator = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="]))
        options.append(lambda: f"{one} {operator} {draw(st.sampled_from([*numbers, literal(draw, 'i'), '1.5']))}")
    if body.of("i"):
        item = draw(st.sampled_from(body.of("i")))
        options.append(lambda: f"{item} {draw(st.sampled_from(['in', 'not in']))} {{1, 2, {literal(draw, 'i')}}}")
    if texts:
        text = draw(st.sampled_from(texts))
        compared = draw(st.sampled_from(["=", "!=", "<", ">="]))
        options += [
            lambda: f"{text} {compared} {draw(st.sampled_from([*texts, literal(draw, 't')]))}",
            lambda: f'{text} {draw(st.sampled_from(["in", "not in"]))} {{"a", {literal(draw, "t")}}}',
        ]
    if unknowns:
        unknown = draw(st.sampled_from(unknowns))
        options.append(lambda: f"{unknown} is {draw(st.sampled_from(['null', 'not null']))}")
    if body.of("z"):
        a, b = draw(st.sampled_from(body.of("z"))), draw(st.sampled_from(body.of("z")))
        options.append(lambda: f"{a} {draw(st.sampled_from(['=', '!=']))} {b}")
    if options:
        body.items.append(draw(st.sampled_from(options))())


def add_assignment(draw: Draw, body: Body) -> None:
    """Add a variable with a computed value, or one that runs through a set."""
    integers, numbers, texts = body.of("i"), body.of("in"), body.of("t")
    options = [("i", f"N in {{1, 3, {literal(draw, 'i')}}}")]
    if integers:
        x, y = draw(st.sampled_from(integers)), draw(st.sampled_from(integers))
        options += [
            ("i", f"N = {x} + {y}"),
            ("i", f"N = {x} * 2 - {y}"),
            ("n", f"N = {x} / {y}"),
            ("i", f"N = mod({x}, 3)"),
            ("i", f"{x} + 1 = N"),
            ("i", f"N = case {x} < {y} then {x} else 0 - {y}"),
            ("i", f"N in {{{x}, {y}, 7}}"),
        ]
    if numbers:
        u, v = draw(st.sampled_from(numbers)), draw(st.sampled_from(numbers))
        options += [("n", f"N = {u} * 0.5 + {v}"), ("n", f"N = case {u} >= 1 and {v} != 2 then {u} else 0.25")]
    if texts:
        s, t = draw(st.sampled_from(texts)), draw(st.sampled_from(texts))
        options += [
            ("t", f"N = {s} + {t}"),
            ("i", f"N = length({s})"),
            ("t", f"N = case {s} = {t} then {s} else upper({t})"),
        ]
    type_, item = draw(st.sampled_from(options))
    body.items.append(item)
    body.bind("N", type_)


def add_negation(draw: Draw, body: Body, known: Mapping[str, str]) -> None:
    """Add a negated atom, or a negated conjunction with a variable of its own."""
    name = draw(st.sampled_from(sorted(known)))
    arguments = []
    for type_ in known[name]:
        own = [*body.of(type_), "_"] if type_ == "z" else [*body.of(type_), "_", literal(draw, type_)]
        arguments.append(draw(st.sampled_from(own)))
    if not chance(draw, 3):
        body.items.append(f"not {name}({', '.join(arguments)})")
        return
    if "i" not in known[name]:
        body.items.append(f"not ({name}({', '.join(arguments)}))")
        return
    arguments[known[name].index("i")] = "Q"
    against = draw(st.sampled_from([*body.of("in"), "2"]))
    operator = draw(st.sampled_from(["<", ">=", "!="]))
    further = draw(st.sampled_from(["", ", A(Q)", ", not A(Q)", ", E(Q, P), P > 1"]))
    body.items.append(f"not ({name}({', '.join(arguments)}){further}, Q {operator} {against})")


def drawn_body(
    draw: Draw, known: Mapping[str, str], lower: Mapping[str, str], *, computes: bool = False, most: int = 3
) -> Body:
    """Return a body over known predicates, with negation of lower ones."""
    body = Body()
    for _ in range(min(most, draw(st.sampled_from([1, 2, 2, 3])))):
        name = draw(st.sampled_from(sorted(known)))
        add_atom(draw, body, name, known[name])
    if computes and chance(draw, 2):
        add_assignment(draw, body)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        add_condition(draw, body)
    if chance(draw, 4):
        add_negation(draw, body, lower)
    return body


def text_of_rule(draw: Draw, body: Body, head: str) -> str:
    """Return a rule in one of the three directions, its items in any order."""
    items = draw(st.permutations(body.items)) if chance(draw, 2) else body.items
    written = ", ".join(items)
    directions = [f"{written} -> {head}.", f"{head} :- {written}.", f"if {' and '.join(items)} then {head}."]
    return str(draw(st.sampled_from(directions)))


# -- programs of layers ------------------------------------------------------------------------------------------------


def drawn_head(draw: Draw, body: Body, name: str) -> tuple[str, str]:
    """Return a head of a new predicate and its signature."""
    typed = [(variable, type_) for type_ in POOL for variable in body.bound[type_]]
    if not typed:
        return f"{name}(1)", "i"
    chosen = draw(st.lists(st.sampled_from(typed), min_size=1, max_size=3))
    return f"{name}({', '.join(variable for variable, _ in chosen)})", "".join(type_ for _, type_ in chosen)


def head_of(draw: Draw, body: Body, name: str, signature: str) -> str:
    """Return a head of a predicate whose signature is known; what the body does not give is a constant."""
    arguments = []
    for type_ in signature:
        have = body.of("iz" if type_ == "z" else type_) or [literal(draw, "i" if type_ == "z" else type_)]
        arguments.append(draw(st.sampled_from(have)))
    return f"{name}({', '.join(arguments)})"


def layer_of_rules(draw: Draw, names: Sequence[str], lower: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return rules of some predicates: each has one over lower layers, then some that may be recursive."""
    rules, here = [], {}
    for name in names:
        body = drawn_body(draw, lower, lower, computes=True)
        head, here[name] = drawn_head(draw, body, name)
        rules.append(text_of_rule(draw, body, head))
    known = {**lower, **here}
    for _ in range(draw(st.integers(0, 3))):
        # No computed values here: a recursion over old values ends.
        body = drawn_body(draw, known, lower)
        heads = draw(st.lists(st.sampled_from(sorted(here)), min_size=1, max_size=2, unique=True))
        rules.append(text_of_rule(draw, body, ", ".join(head_of(draw, body, name, here[name]) for name in heads)))
    return rules, here


def layer_of_aggregates(draw: Draw, name: str, lower: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return one rule that aggregates over lower layers."""
    body = drawn_body(draw, lower, lower, most=2)
    typed = [(variable, type_) for type_ in "itz" for variable in body.bound[type_]]
    group = draw(st.lists(st.sampled_from(typed), max_size=2, unique=True)) if typed else []
    everything = [variable for type_ in POOL for variable in body.bound[type_]]
    by = ""
    if everything and chance(draw, 2):
        by = f"<{', '.join(draw(st.lists(st.sampled_from(everything), min_size=1, max_size=2, unique=True)))}>"
    options = [("i", f"{draw(st.sampled_from(['mcount', 'count']))}({by})")]
    behind = f", {by}" if by else ""
    for type_, numbers in (("i", body.of("i")), ("n", body.of("n"))):
        if numbers:
            value = draw(st.sampled_from([*numbers, f"{numbers[0]} + 1", f"case {numbers[0]} > 1 then 1 else 2"]))
            total = draw(st.sampled_from(["msum", "sum", "mprod", "prod"]))
            extreme = draw(st.sampled_from(["mmin", "mmax", "min", "max"]))
            options += [
                (type_, f"{total}({value}{behind})"),
                (type_, f"{extreme}({value})"),
                ("n", f"avg({value}{behind})"),
            ]
    if body.of("itz"):
        counted = draw(st.sampled_from(body.of("itz")))
        options += [
            ("i", f"mcount({counted})"),
            ("i", f"size({draw(st.sampled_from(['munion', 'collect']))}({counted}))"),
        ]
    type_, aggregate = draw(st.sampled_from(options))
    body.items.append(f"R = {aggregate}")
    if chance(draw, 3):
        body.items.append(f"R {draw(st.sampled_from(['<', '>=', '!=']))} {literal(draw, 'i')}")
    if chance(draw, 4):
        body.items.append(f"mcount({by}) >= 2")
    head = f"{name}({', '.join([*(variable for variable, _ in group), 'R'])})"
    return [text_of_rule(draw, body, head)], {name: "".join(t for _, t in group) + type_}


def layer_of_existentials(draw: Draw, name: str, lower: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return rules that invent something, and perhaps a rule that gives it from an input where it is known."""
    body = drawn_body(draw, lower, lower, most=2)
    typed = [(variable, type_) for type_ in "itz" for variable in body.bound[type_]] or [("1", "i")]
    first, type_ = draw(st.sampled_from(typed))
    second, other = draw(st.sampled_from(typed))
    here = {name: type_ + "z"}
    kind = draw(st.integers(0, 3))
    if kind == 0:
        rules = [text_of_rule(draw, body, f"{name}({first}, B)")]
    elif kind == 1:
        rules = [f"{', '.join(body.items)} -> exists B: {name}({first}, B)."]
    elif kind == 2:
        here[f"{name}b"] = "z" + other
        rules = [f"{', '.join(body.items)} -> exists B: {name}({first}, B), {name}b(B, {second})."]
    else:
        here = {name: type_ + "zz"}
        rules = [f"{', '.join(body.items)} -> exists B, C: {name}({first}, B, C)."]
    if type_ == "i" and kind != 3 and chance(draw, 2):
        rules.append(f"E(X, Y) -> {name}(X, Y).")
    if chance(draw, 3):
        rules.append(rules[0])
    return rules, here


@st.composite
def programs(draw: Draw, kinds: str = "r", nulls: str = "", most: int = 4) -> Case:
    """Programs of layers, each over the ones below: r rules, a an aggregate, e an existential."""
    data = draw(inputs(nulls))
    known, rules = dict(SIGNATURES), []
    for layer in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(kinds))
        if kind == "r":
            names = [f"P{layer}{letter}" for letter in "ab"[: draw(st.integers(1, 2))]]
            new, here = layer_of_rules(draw, names, known)
        elif kind == "a":
            new, here = layer_of_aggregates(draw, f"G{layer}", known)
        else:
            new, here = layer_of_existentials(draw, f"X{layer}", known)
        rules += new
        known |= here
    return "\n".join(rules), data
