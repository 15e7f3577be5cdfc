"""Generated programs, as the parser can read them: terms, items, clauses, and texts with comments anywhere."""

from __future__ import annotations

from hypothesis import strategies as st

from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.program import Annotation, Clause, Directive, Fact, Program, Rule
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Atom,
    Blank,
    Call,
    Case,
    Comparison,
    Condition,
    Constant,
    Denial,
    HeadItem,
    IsNull,
    Item,
    ListOf,
    Member,
    Negation,
    Operation,
    Pack,
    Pair,
    Parameter,
    SetOf,
    Similar,
    Subset,
    Term,
    Unpack,
    Update,
    Variable,
)
from tacita.rules.syntax import text_of
from tacita.rules.syntax.formatting import words
from tacita.rules.syntax.literals import LARGEST_INTEGER, LINE_ENDS
from tacita.rules.syntax.parser import read
from tacita.rules.syntax.words import ANNOTATIONS, KEYWORDS

OPERATORS = ("+", "-", "*", "/", "union", "minus", "intersect")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")

# -- names and values --------------------------------------------------------------------------------------------------

plain_names = st.from_regex(r"[A-Za-zÀ-ÖØ-öø-ÿĀ-ž][\w]{0,8}", fullmatch=True)
odd_names = st.text(st.characters(blacklist_characters=LINE_ENDS, blacklist_categories=("Cs",)), min_size=1, max_size=8)
predicates = plain_names | st.sampled_from(sorted(KEYWORDS | set(AGGREGATES) | set(FUNCTIONS))) | odd_names
labels = st.from_regex(r"\A[A-Za-z0-9_]([A-Za-z0-9_.: -]{0,5}[A-Za-z0-9_])?\Z")
keys = plain_names | st.sampled_from(sorted(KEYWORDS))
texts = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12)
variables = st.from_regex(r"([A-ZÀ-ÖØ-Þ][a-z0-9_]{0,3}|_[A-Za-z0-9_]{1,4})'{0,2}", fullmatch=True).map(Variable)
constants = st.one_of(
    st.booleans(),
    st.integers(-LARGEST_INTEGER, LARGEST_INTEGER),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
).map(Constant)
leaves: st.SearchStrategy[Term] = (
    variables | constants | st.builds(Blank) | plain_names.map(Parameter)  # type: ignore[assignment]
)


def _tuples(parts: st.SearchStrategy[object], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(parts, min_size=least, max_size=most).map(tuple)


# -- terms -------------------------------------------------------------------------------------------------------------


def _conditions(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Condition]:
    return st.one_of(
        st.builds(Comparison, st.sampled_from(COMPARISONS), terms, terms),
        st.builds(Similar, terms, terms),
        st.builds(Member, terms, terms, st.booleans()),
        st.builds(Subset, terms, terms),
        st.builds(IsNull, terms, st.booleans()),
        st.builds(
            lambda name, arguments: Comparison("=", Call(name, arguments), Constant(True)),
            st.sampled_from(sorted(name for name, function in FUNCTIONS.items() if function.gives == "boolean")),
            _tuples(terms),
        ),
    )


def _larger(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(Operation, st.sampled_from(OPERATORS), st.tuples(terms, terms)),
        st.builds(Operation, st.just("-"), st.tuples(terms)),
        st.builds(Call, st.sampled_from(sorted(FUNCTIONS)), _tuples(terms)),
        st.builds(Access, terms, terms),
        st.builds(Update, terms, terms, terms),
        st.builds(Pair, terms, terms),
        st.builds(SetOf, _tuples(terms)),
        st.builds(ListOf, _tuples(terms)),
        st.builds(Case, _tuples(_conditions(terms), 1, 2), terms, terms),
    )


plain_terms = st.recursive(leaves, _larger, max_leaves=8)
"""Terms without aggregates."""

_contributors = _tuples(variables, 1)
aggregates = st.one_of(
    st.builds(Aggregate, st.sampled_from(sorted(AGGREGATES)), plain_terms, st.none() | _contributors),
    st.builds(Aggregate, st.sampled_from(("mcount", "count")), st.none(), st.none() | _contributors),
)
terms = st.recursive(leaves | aggregates, _larger, max_leaves=8)

# -- items -------------------------------------------------------------------------------------------------------------


def _atoms(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Atom]:
    packed = st.builds(Unpack, terms) | st.builds(Pack, variables)
    return st.builds(
        lambda name, arguments, last, is_external: Atom(name, (*arguments, *last), is_external),
        predicates,
        _tuples(terms),
        st.just(()) | st.tuples(packed),
        st.booleans(),
    )


atoms = _atoms(terms)
plain_atoms = _atoms(plain_terms)
conditions = _conditions(terms)
negations = st.recursive(
    _tuples(plain_atoms | _conditions(plain_terms), 1).map(Negation),
    lambda inner: _tuples(inner | plain_atoms, 1).map(Negation),
    max_leaves=3,
)
items: st.SearchStrategy[Item] = st.one_of(atoms, conditions, negations)
bodies = _tuples(items, 1, 4)
heads: st.SearchStrategy[tuple[HeadItem, ...]] = st.one_of(
    _tuples(atoms, 1),
    st.builds(lambda left, right: (Comparison("=", left, right),), terms, terms),
    texts.map(lambda text: (Denial(text),)),
)

# -- clauses -----------------------------------------------------------------------------------------------------------

_atoms_in_annotations = st.builds(Call, predicates | plain_names.map(lambda name: "#" + name), _tuples(leaves)).filter(
    lambda call: not call.function.startswith("#") or call.function[1:].isidentifier()
)
annotations = st.builds(
    Annotation,
    st.sampled_from(sorted(ANNOTATIONS)),
    _tuples(plain_terms | _atoms_in_annotations),
    st.dictionaries(keys, plain_terms, max_size=2).map(lambda named: tuple(named.items())),
)
_some_annotations = st.just(()) | _tuples(annotations, 1, 2)
facts = st.builds(Fact, plain_atoms, _some_annotations, st.none() | labels)
rules = st.builds(Rule, bodies, heads, st.just(()) | _tuples(variables, 1, 2), st.none() | labels, _some_annotations)
directives = st.builds(Directive, _tuples(annotations, 1, 2))
clauses: st.SearchStrategy[Clause] = st.one_of(rules, facts, directives)
programs = _tuples(clauses, 0, 4).map(Program)

# -- texts -------------------------------------------------------------------------------------------------------------

SIGNS = (
    *"()[]{}<>=~+-*/,.:_@#$%'\"!&|;^\\→⇒∃¬≤“”§",
    *(
        "->",
        ":-",
        "<-",
        ":=",
        "=>",
        "!=",
        "<=",
        "&&",
        "//",
        "\n",
        " ",
        "1",
        "1.5",
        "6a",
        ".5",
        '"a"',
        "'a'",
        "X",
        "abc",
    ),
    *("p(", "p(X)", "msum(", "mcount(<X>)", "size(", "@output(", "@a", "#risk(", "$k", "[1]", "or", "thn", "null"),
    *KEYWORDS,
)
soups = st.lists(st.sampled_from(SIGNS) | st.characters(blacklist_categories=("Cs",)), max_size=40).map(
    " ".join
) | st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)
"""Texts that are hardly ever programs."""


@st.composite
def written(draw: st.DrawFn) -> str:
    """A program as a careless author writes it: any direction, blanks, line ends and comments anywhere."""
    text = "\n".join(draw(_clause_text(clause)) for clause in draw(programs).clauses)
    reading = read(text)
    parts: list[str] = []
    for start, end in reading.ends:
        for word in words(reading, start, end):
            # A bracket that begins a line can look like the label of the next clause.
            parts.append(" " if word.text == "[" else draw(_gaps))
            parts.append(word.text)
    return "".join(parts) + draw(st.sampled_from(("", "\n", "  % end", "\n\n\n% the end\n")))


_gaps = st.sampled_from(
    (" ", " ", " ", "  ", "\n", "\n\n\n", "\t", " % why\n", "\n% above\n", "\n  % one\n\n   % two\n")
)


@st.composite
def _clause_text(draw: st.DrawFn, clause: Clause) -> str:
    if not isinstance(clause, Rule):
        return text_of(clause)
    head_of = Rule((), clause.head, clause.exists)
    head = text_of(head_of).removeprefix(" -> ").removesuffix(".")
    opening = "".join(text_of(annotation) + "\n" for annotation in clause.annotations)
    # A label keeps a list at the beginning from being one.
    opening += f"[{clause.label or 'x'}] "
    joint = draw(st.sampled_from((" and ", ", ")))
    body = joint.join(text_of(item) for item in clause.body)
    return opening + draw(
        st.sampled_from((f"{body} -> {head}.", f"{head} :- {body}.", f"{head} <- {body}.", f"if {body} then {head}."))
    )
