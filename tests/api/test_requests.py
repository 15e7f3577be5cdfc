"""Requests: what is typed for them becomes the values that the verbs take."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as tc
from tacita.api.conversation import Conversation, ProgramInputs
from tacita.api.reading import DataRequest, ReadOptions
from tacita.api.reasoning import ReasoningRequest, ReportOptions
from tacita.errors import UsageError
from tacita.model.relation import ColumnType
from tacita.model.roles import Roles
from tacita.options import Given, typed_options
from tacita.progress import Step
from tacita.settings import Settings

OWN = {"Own": [("a", "b", 0.6), ("b", "c", 0.4)]}
CONTROL = "Own(X, Y, W), W > $least -> Control(X, Y)."


def test_what_is_typed_for_a_part_fills_that_part() -> None:
    typed = {
        "delimiter": "tab",
        "quote": "none",
        "header": True,
        "types": ["zip=Text"],
        "missing": ["NA,-9", "?"],
        "dictionary": Path("d.toml"),
        "quasi": ["area,size"],
        "weight": "w",
        "threads": 1,
    }
    request = Given(DataRequest, typed).value()
    assert request.reading == ReadOptions(
        delimiter="\t", quote="", header=False, types={"zip": ColumnType.TEXT}, missing=("NA", "-9", "?")
    )
    assert request.roles == Roles(quasi=("area", "size"), weight="w")
    assert (request.dictionary, request.settings.threads) == (Path("d.toml"), 1)


def test_every_option_of_a_part_is_one_of_the_whole() -> None:
    whole = [typed.name for typed in typed_options(DataRequest)]
    parts = [typed.name for cls in (ReadOptions, Roles, Settings) for typed in typed_options(cls)]
    assert sorted(whole) == sorted([*parts, "dictionary"])


def test_nothing_typed_is_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACITA_MEMORY", "1500MB")
    assert Given(DataRequest).value().settings.memory == "1500MB"
    assert Given(DataRequest, {"threads": 1}).value().settings == Settings.from_environment(threads=1)
    monkeypatch.setenv("TACITA_MEMORY", "lots")
    assert Given(DataRequest, {"memory": "2GB"}).value().settings.memory == "2GB"


def test_a_part_can_stand_on_a_value() -> None:
    base = DataRequest(roles=Roles(quasi=("a",), sensitive=("s",)), settings=Settings(memory="2GB", threads=1))
    request = Given(DataRequest, {"quasi": ["b"], "memory": "3GB"}).value(base)
    assert request.roles == Roles(quasi=("b",), sensitive=("s",))
    assert (request.settings.memory, request.settings.threads) == ("3GB", 1)


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ({"delimiter": "ab"}, "delimiter is 'ab'"),
        ({"types": ["zip=txt"]}, "no type 'txt' for column 'zip'; did you mean 'text'?"),
        ({"types": ["zip=text", "zip=date"]}, "--as names 'zip' twice"),
        ({"dates": "year-first"}, "dates is 'year-first'"),
        ({"quasi": [" , "]}, "--quasi names no attribute"),
        ({"memory": "lots"}, "memory is 'lots'"),
    ],
)
def test_a_wrong_word_is_refused(typed: dict[str, object], fault: str) -> None:
    with pytest.raises(UsageError) as error:
        Given(DataRequest, typed).value()
    assert error.value.found == fault


def test_the_content_of_a_request_says_what_is_read_and_not_by_whom() -> None:
    """A killed cycle is found again by it, on a machine with other settings, too."""

    def shown(_: Step) -> None: ...

    request = DataRequest(ReadOptions(delimiter=";"), roles=Roles(quasi=("area",)))
    other = DataRequest(
        ReadOptions(delimiter=";", progress=shown), roles=Roles(quasi=("area",)), settings=Settings(threads=1)
    )
    assert request.content == other.content
    assert request.content != DataRequest(ReadOptions(delimiter=","), roles=Roles(quasi=("area",))).content
    assert request.content != DataRequest(ReadOptions(delimiter=";")).content


def test_roles_are_names_and_others_stay_below() -> None:
    assert Roles(quasi="area") == Roles(quasi=["area"]) == Roles(("area",))
    assert not Roles()
    assert not Roles(quasi=())
    assert Roles(weight="w")
    assert Roles(quasi=("a",)).over(Roles(("b",), ("s",), ("i",), "w", "c")) == Roles(("a",), ("s",), ("i",), "w", "c")


def test_roles_as_a_value_and_as_keywords_are_the_same() -> None:
    data = tc.sample("figure-5")
    by_value = data.with_roles(Roles(quasi=("Area",), sensitive=("Sector",)))
    assert by_value.dictionary == data.with_roles(quasi=["Area"], sensitive=["Sector"]).dictionary
    assert data.with_roles(Roles(quasi=("Area",)), quasi=["Sector"]).dictionary.quasi_identifiers == ("Sector",)


def test_keywords_of_reason_go_before_the_request() -> None:
    request = ReasoningRequest(inputs=OWN, parameters={"least": 0.5}, settings=Settings(memory="2GB", threads=1))
    with tc.reason(CONTROL, request=request) as conclusions:
        assert conclusions["Control"] == [("a", "b")]
        assert conclusions.context.settings.memory == "2GB"
    with tc.reason(CONTROL, request=request, parameters={"least": 0.3}, memory="3GB") as conclusions:
        assert conclusions["Control"] == [("a", "b"), ("b", "c")]
        assert (conclusions.context.settings.memory, conclusions.context.settings.threads) == ("3GB", 1)


def test_a_request_shows_no_facts() -> None:
    assert "0.6" not in repr(ReasoningRequest(inputs=OWN))


def test_a_conversation_takes_what_a_program_takes() -> None:
    with Conversation(CONTROL, ProgramInputs(inputs=OWN, parameters={"least": 0.3})) as conversation:
        assert conversation.answer('?Control(X, "c").') == ['X = "b"']


def test_limits_of_a_request_are_checked_where_it_is_made() -> None:
    with pytest.raises(UsageError, match="max_rounds is 0"):
        ReasoningRequest(max_rounds=0)
    with pytest.raises(UsageError, match="no --why asks for one"):
        ReportOptions(graph=Path("proof.svg"))
    with pytest.raises(UsageError, match=r"no picture is known for .\.png."):
        ReportOptions(why=("A(1)",), graph=Path("proof.png"))
