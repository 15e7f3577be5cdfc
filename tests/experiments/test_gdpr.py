"""The experiments on confidentiality by dependencies: on generated data, as a person calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments.gdpr.data import Sources
from experiments.gdpr.points import COUNT, GdprResults, Hidden, Searched, Setting
from experiments.gdpr.run import gdpr
from experiments.gdpr.sentences import sentences
from tests.experiments.test_command import experiments

from tacita.errors import UsageError


def test_sentences_need_their_data() -> None:
    assert sentences(GdprResults(0, True)) == []
    with pytest.raises(UsageError, match="needs public files"):
        gdpr(only=["Credit"])
    with pytest.raises(UsageError, match="did you mean 'Health'"):
        gdpr(only=["Healt"])


def test_growth_is_in_order() -> None:
    points = [Hidden("Health", Setting.FULL, COUNT, n, 10 - n, n, n, 0) for n in (2, 0, 1)]
    results = GdprResults(0, True, (Searched("Health", 9, 9, Setting.FULL, 0, 0, 0, 0, "", 0.0),), tuple(points))
    assert results.growth("Health", Setting.FULL, COUNT) == [9, 8]
    assert results.mean("Health", Setting.FULL, COUNT) == 10


@pytest.mark.slow
def test_people_are_the_same_in_every_file() -> None:
    few, many = (Sources(3, most).table("Health") for most in (50, 80))
    assert few["LastName"].to_pylist() == many["LastName"].to_pylist()[:50]


@pytest.mark.slow
def test_a_quick_run(tmp_path: Path) -> None:
    done = experiments(tmp_path, "gdpr", "--quick", "--out", "out", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {one["data"] for one in told["hidden"]} == {"Health"}
    assert sorted(told["files"]) == sorted(path.name for path in (tmp_path / "out").iterdir())
    least = {(h["setting"], h["confidential"]): h["value"] for h in told["hidden"] if h["method"] == "exact"}
    assert all(h["value"] >= least[h["setting"], h["confidential"]] for h in told["hidden"])
