"""What can be asked for: thresholds, similarities, attributes; and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.dependencies.catalogue import SIMILARITIES
from tacita.dependencies.comparison.neighbours import Neighbours
from tacita.dependencies.dependency import Discovery
from tacita.dependencies.discovery.options import DiscoveryOptions, JoinRequest
from tacita.errors import InputError, UsageError
from tacita.options import Given

PEOPLE = {
    "name": ["ann", "anna", "bob", "rob", "carl", "karl"],
    "age": [31, 32, 40, 41, 55, 55],
    "born": [date(1990, 1, 1), date(1990, 1, 2), date(1981, 5, 5), date(1980, 5, 5), None, None],
    "seen": [datetime(2024, 1, 1, hour) for hour in (0, 6, 12, 18, 20, 22)],
    "member": [True, False, True, False, True, True],
    "same": [1, 1, 1, 1, 1, 1],
}


def read(cells: Mapping[str, list[Any]] = PEOPLE) -> tc.Dataset:
    return tc.read(pa.table(dict(cells)), name="people")


def discover(cells: Mapping[str, list[Any]] = PEOPLE, **options: Any) -> Discovery:
    return read(cells).discover_dependencies(DiscoveryOptions(**options))


def lefts(discovery: Discovery, right: str) -> set[tuple[str, ...]]:
    return {one.left for one in discovery.of(right)}


# -- what is alike ----------------------------------------------------------------------------------------------------


def test_types_have_their_own_distances() -> None:
    discovery = discover(within={"name": 1, "age": 1, "born": 400, "seen": 0.25}, leave_out=("member", "same"))
    assert dict(discovery.relaxation.thresholds) == {
        "name": "have an edit distance of at most 1",
        "age": "differ by at most 1",
        "born": "have a distance in days of at most 400",
        "seen": "have a distance in days of at most 0.25",
    }
    assert dict(discovery.relaxation.distances) == {"name": 1, "age": 1, "born": 400, "seen": 0.25}
    # ann ~ anna, bob ~ rob, carl ~ karl: so are their ages and dates of birth, a missing one with a missing one.
    assert lefts(discovery, "age") >= {("name",), ("born",)}
    assert lefts(discovery, "born") >= {("name",), ("age",)}


def test_a_threshold_for_all_leaves_nominal_attributes_alone() -> None:
    data = read().with_categories({})
    attributes = [one.with_(kind=tc.Kind.CATEGORICAL) if one.name == "age" else one for one in data.dictionary]
    from dataclasses import replace

    nominal = data._with(replace(data.dictionary, attributes=tuple(attributes)))
    relaxation = nominal.discover_dependencies(DiscoveryOptions(within_all=1, within={"seen": 0})).relaxation
    assert [name for name, _ in relaxation.thresholds] == ["name", "born"]
    relaxation = read().discover_dependencies(DiscoveryOptions(within_all=1, within={"seen": 0})).relaxation
    assert [name for name, _ in relaxation.thresholds] == ["name", "age", "born"]


def test_codes_of_missing_values_are_values_where_values_must_be_equal(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,income,why\n1,10,a\n2,98,b\n3,99,b\n4,10,a\n", encoding="utf-8")
    attributes = '[attributes.id]\n[attributes.why]\n[attributes.income]\nmissing = ["98", "99"]\n'
    dictionary = tmp_path / "people.dictionary.toml"
    dictionary.write_text('format = 1\n[microdata]\nname = "people"\n' + attributes, encoding="utf-8")
    data = tc.read(tmp_path / "people.csv")
    exact = data.discover_dependencies()
    assert ("why",) not in lefts(exact, "income")  # 98 and 99 are told apart, as readers of the file do
    by_distance = data.discover_dependencies(DiscoveryOptions(within={"income": 1}))
    assert ("why",) in lefts(by_distance, "income")  # they are no numbers, but missing, and alike


def test_large_whole_numbers_are_told_apart() -> None:
    cells = {"id": [2**60, 2**60 + 1], "x": [1, 2]}
    assert lefts(discover(cells), "x") == {("id",)}
    with pytest.raises(InputError, match=r"2\^53"):
        discover(cells, within={"id": 1})


@dataclass(frozen=True, slots=True)
class SameLength:
    """Texts are alike if their lengths differ by at most the threshold."""

    name: ClassVar[str] = "same-length"
    treats: ClassVar[tuple[str, ...]] = ("texts",)

    def neighbours(self, values: tuple[str, ...], threshold: float) -> Neighbours:
        lengths = np.array([len(value) for value in values])
        return Neighbours.of_pairs(len(values), *np.nonzero(np.abs(lengths[:, None] - lengths) <= threshold))


@dataclass(frozen=True, slots=True)
class Forgetful:
    """Returns neighbours of other values."""

    name: ClassVar[str] = "forgetful"

    def neighbours(self, values: tuple[str, ...], threshold: float) -> Neighbours:
        return Neighbours.of_pairs(1, [], [])


@pytest.fixture
def own() -> Iterator[None]:
    tc.enter(SameLength)
    tc.enter(Forgetful)
    yield
    SIMILARITIES.withdraw("same-length")
    SIMILARITIES.withdraw("forgetful")


@pytest.mark.usefixtures("own")
def test_a_similarity_of_ones_own() -> None:
    cells = {"name": ["ann", "bob", "carla"], "group": [1, 1, 2]}
    assert ("name",) in lefts(discover(cells, within={"name": 0.5}, similarity={"name": "same-length"}), "group")
    discovery = discover(cells, within={"name": 0.5}, similarity={"name": "same-length"})
    assert discovery.relaxation.thresholds == (("name", "have a distance of at most 0.5 by same-length"),)
    assert discovery.of("group")[0].support == 2
    assert "same-length" in tc.catalogue_of("similarity").names()
    with pytest.raises(UsageError, match="forgetful"):
        discover(cells, within={"name": 0.5}, similarity={"name": "forgetful"})


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attributes": ("nam",)}, "did you mean 'name'"),
        ({"leave_out": ("x",)}, "--leave-out names 'x'"),
        ({"leave_out": tuple(PEOPLE)}, "no attribute is left"),
        ({"conditional": ("x",)}, "--conditional names 'x'"),
        ({"conditional": ("age",), "leave_out": ("age",)}, "by 'age', which is not looked at"),
        ({"conditional": ("age",), "max_left": 0}, "condition counts"),
        ({"within": {"agee": 1}}, "'agee', which is not looked at; did you mean 'age'"),
        ({"within": {"age": 1}, "leave_out": ("age",)}, "'age', which is not looked at"),
        ({"within": {"member": 1}}, "'member' is true or false"),
        ({"within": {"same": 1}}, "'same' has a single value"),
        ({"within": {"age": 100}}, "100 % of all pairs are alike"),
        ({"within_all": 1}, "'seen': 100 % of all pairs are alike"),
        ({"within": {"age": 1}, "similarity": {"age": "levenshtein"}}, "'age' has numbers, and 'levenshtein'"),
        ({"within": {"name": 1}, "similarity": {"name": "days"}}, "'name' has texts, and 'days' compares dates"),
        ({"within": {"age": 1}, "similarity": {"age": "relative-difference"}}, "not below 1"),
        ({"within": {"age": 1}, "similarity": {"age": "levenstein"}}, "did you mean 'levenshtein'"),
        ({"similarity": {"age": "absolute-difference"}}, "compared by equality"),
        ({"similarity": {"x": "days"}}, "'x', which is not looked at"),
    ],
    ids=str,
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        discover(**options)
    assert words in str(refused.value)
    assert refused.value.do
    assert not any(value in str(refused.value) for value in ("anna", "karl", "1990"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"within": {"age": -1}}, "the threshold of 'age' is -1"),
        ({"within": {"age": float("nan")}}, "'age' is nan"),
        ({"within": {"age": float("inf")}}, "'age' is inf"),
        ({"within_all": -1.0}, "of all attributes is -1"),
        ({"tolerance": 1.0}, "every dependency would hold"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"tolerance": 0.1, "error": "g2"}, "no measure of error 'g2'"),
        ({"error": "g1"}, "no effect without a tolerance"),
        ({"min_gain": 0.1}, "no effect without a tolerance"),
        ({"tolerance": 0.1, "min_gain": 2.0}, "above 1"),
        ({"min_group": 5}, "no effect without groups"),
    ],
    ids=str,
)
def test_options_are_checked_where_they_are_made(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        DiscoveryOptions(**options)
    assert words in str(refused.value)


def test_all_faults_of_thresholds_are_told_together() -> None:
    with pytest.raises(UsageError, match="3 faults"):
        discover(within={"x": 1, "member": 1, "same": 2})


def test_force_accepts_what_is_alike_everywhere() -> None:
    discovery = discover(within={"age": 100, "same": 3}, force=True)
    assert lefts(discovery, "age") == {()}  # alike for all records, so that nothing is needed to tell it
    assert any("'age': 100 % of all pairs" in note for note in discovery.notes)


def test_64_attributes_are_looked_at_together_and_more_in_parts() -> None:
    cells = {f"x{place}": [place, 1] for place in range(65)}
    discovery = discover(cells)
    assert len(discovery.attributes) == 65 and "more than 2 attributes" in discovery.bounds[0]
    assert discover(cells, leave_out=("x0",)).is_complete


@pytest.mark.slow
def test_64_attributes_with_distances() -> None:
    random = np.random.default_rng(4)
    cells = {f"x{place}": random.integers(0, 9, 40).tolist() for place in range(64)}
    discovery = discover(cells, within={"x1": 1, "x63": 1}, max_left=1, tolerance=0.4, error="g1")
    assert len(discovery.attributes) == 64


# -- few records ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"within": {"a": 1}, "force": True}, {"tolerance": 0.1, "min_gain": -1.0}], ids=str
)
@pytest.mark.parametrize("records", [0, 1])
def test_fewer_than_two_records(records: int, options: dict[str, Any]) -> None:
    cells = {"a": pa.array([1][:records], pa.int64()), "b": pa.array(["x"][:records], pa.string())}
    discovery = tc.read(pa.table(cells), name="few").discover_dependencies(DiscoveryOptions(**options))
    assert [(one.left, one.right, one.support) for one in discovery.dependencies] == [((), "a", 0), ((), "b", 0)]
    assert any("fewer than two records" in note for note in discovery.notes)
    assert discovery.to_text() and discovery.to_html() and discovery.to_dict()


def test_a_file_without_records(tmp_path: Path) -> None:
    for text in ("", "a,b\n"):
        (tmp_path / "empty.csv").write_text(text, encoding="utf-8")
        with pytest.raises(InputError):
            tc.read(tmp_path / "empty.csv")


def test_an_empty_column_is_constant() -> None:
    cells = {"a": pa.array([1, 2, 3]), "b": pa.array([None, None, None], pa.string())}
    discovery = tc.read(pa.table(cells), name="gap").discover_dependencies(DiscoveryOptions(within_all=0.5))
    assert lefts(discovery, "b") == {()} and discovery.of("b")[0].support == 3


# -- as they are typed ------------------------------------------------------------------------------------------------


def test_what_is_typed() -> None:
    typed = {
        "attributes": ["a,b", "c"],
        "within": ["a=1.5"],
        "similarity": ["a=days"],
        "tolerance": 0.1,
        "error": "G1",
        "join": ["x.csv:a,b", "postgresql://host/db:c"],
    }
    assert Given(DiscoveryOptions, typed).value() == DiscoveryOptions(
        attributes=("a", "b", "c"),
        within={"a": 1.5},
        similarity={"a": "days"},
        tolerance=0.1,
        error="g1",
        join=(JoinRequest("x.csv", ("a", "b")), JoinRequest("postgresql://host/db", ("c",))),
    )


@pytest.mark.parametrize("text", ["x.csv", "x.csv:", ":a", "x.csv:,"])
def test_a_join_needs_a_file_and_keys(text: str) -> None:
    with pytest.raises(UsageError, match="FILE:KEY"):
        JoinRequest.parse(text)
