"""Random conditions in the language, in many spellings."""

from __future__ import annotations

from hypothesis import strategies as st

CUTS = ("18", "30", "45", "62.5")
NUMBERS = {"18": ("18", "18.0", "1.8e1"), "30": ("30", "3e1", "30.00"), "45": ("45", "045"), "62.5": ("62.5", "625E-1")}
SEXES = ("'f'", "'m'", "'men''s'", "'not said'")
YEARS = ("2018", "2019", "2020.0", "'2021'", "2022")
COMPARED = ("<", "<=", ">", ">=", "=", "<>", "!=")
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>", "!=": "!="}


def _listed(values: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=4).map(lambda some: "(" + ", ".join(some) + ")")


def _comparison(name: str, operator: str, value: str, flipped: bool) -> str:
    return f"{value} {FLIPPED[operator]} {name}" if flipped else f"{name} {operator} {value}"


_AGES = st.builds(
    _comparison,
    st.sampled_from(["age", "AGE", '"age"', "e.age"]),
    st.sampled_from(["<", ">="]),
    st.sampled_from(CUTS).flatmap(lambda cut: st.sampled_from(NUMBERS[cut])),
    st.booleans(),
)
_LABELS = st.builds(
    _comparison, st.just("sex"), st.sampled_from(["=", "<>", "!="]), st.sampled_from(SEXES), st.booleans()
)
_NUMBERS = st.builds(
    _comparison,
    st.just("year"),
    st.sampled_from(COMPARED[:4]),
    st.sampled_from(["2019", "2020.5", "-1"]),
    st.booleans(),
)
_YEARS = st.builds(
    _comparison, st.just("year"), st.sampled_from(COMPARED[4:]), st.sampled_from(YEARS[:3]), st.booleans()
)
_LISTS = st.one_of(
    st.builds("sex {} {}".format, st.sampled_from(["IN", "NOT IN"]), _listed(SEXES)),
    st.builds("year {} {}".format, st.sampled_from(["in", "not in"]), _listed(YEARS)),
    st.builds('f."size class" {} {}'.format, st.sampled_from(["IN", "NOT IN"]), _listed(("'large'", "'small'"))),
)
_RANGES = st.builds(
    "year {} {} AND {}".format,
    st.sampled_from(["BETWEEN", "NOT BETWEEN"]),
    st.sampled_from(["2019", "2020.5"]),
    st.sampled_from(["2018", "2021", "2022"]),
)
_NULLS = st.builds(
    "{} {}".format,
    st.sampled_from(["age", "sex", "year", '"size class"', "grade"]),
    st.sampled_from(["IS NULL", "IS NOT NULL"]),
)
_REGRESSORS = st.sampled_from(["grade = 2.5", "grade > 1", "grade IN (1, 10.0)"])
LEAVES = st.one_of(
    _AGES, _LABELS, _NUMBERS, _YEARS, _LISTS, _RANGES, _NULLS, _REGRESSORS, st.sampled_from(["TRUE", "FALSE"])
)


def _put_together(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("NOT ({})".format, inner),
        st.builds("NOT {}".format, LEAVES),
        st.builds("({}) AND ({})".format, inner, inner),
        st.builds("({}) OR ({})".format, inner, inner),
        st.builds("{} AND {} OR {}".format, LEAVES, LEAVES, LEAVES),
        st.builds("{} OR NOT {} AND {}".format, LEAVES, LEAVES, LEAVES),
    )


CONDITIONS = st.recursive(LEAVES, _put_together, max_leaves=8)
FROM = "FROM emp AS e LEFT JOIN firms f USING (firm)"
