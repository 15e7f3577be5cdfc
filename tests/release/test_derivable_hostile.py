"""Files that give back what is suppressed in them: each is refused, and each remedy that is proposed helps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.release.hostile import HOSTILE, REGIONS, Columns, Hostile, columns_of, quasi_of, survey

import tacita as tc
from tacita.attacks.microdata.relations.search import DerivationSearch, IntruderView
from tacita.cycle.outcome import Outcome
from tacita.cycle.plan import Plan
from tacita.release.options import ReleaseOptions, WeightBlur
from tacita.release.records.derivable import DerivableError
from tacita.release.records.remedies import Remedy
from tacita.release.writing import write_release
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.settings import Settings

pytestmark = pytest.mark.slow

QUASI = ["region", "sex", "age"]


def importance(target: str, quasi: list[str]) -> dict[str, int]:
    """Return what lets cells of one attribute be suppressed where that is enough."""
    return {name: 9 for name in quasi if name != target}


def _plan(target: str, quasi: list[str]) -> Plan:
    return Plan(KAnonymity(3), importance=importance(target, quasi))


def _anonymized(columns: Columns, quasi: list[str], roles: dict[str, Any], plan: Plan) -> Outcome:
    data = tc.read(pa.table(columns), name="survey").with_roles(quasi=quasi, **roles)
    return tc.anonymize(data, plan)


def _written(folder: Path, outcome: Outcome, **options: Any) -> Any:
    return write_release(outcome, folder, ReleaseOptions(**options), settings=Settings(state=folder.parent / "state"))


def _released(
    folder: Path, columns: Columns, quasi: list[str], roles: dict[str, Any], plan: Plan, **options: Any
) -> Any:
    return _written(folder, _anonymized(columns, quasi, roles, plan), **options)


def _followed(remedies: tuple[Remedy, ...], plan: Plan) -> tuple[Plan, dict[str, Any]]:
    """Return the plan and the options of a release with remedies as they are written in the message."""
    options: dict[str, Any] = {}
    for remedy in remedies:
        option, _, value = remedy.action.partition(" ")
        if option == "--linked":
            key, name = value.split("=")
            plan = replace(plan, linked={**plan.linked, key: (*plan.linked.get(key, ()), name)})
        elif option == "--drop":
            options["drop"] = (*options.get("drop", ()), value)
        elif option == "--weight-noise":
            options["weights"] = WeightBlur(float(value))
        else:
            raise AssertionError(remedy.action)
    return plan, options


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_each_is_refused_and_each_remedy_helps(tmp_path: Path, hostile: Hostile) -> None:
    columns, quasi = columns_of(hostile), quasi_of(hostile)
    plan = _plan(hostile.target, quasi)
    outcome = _anonymized(columns, quasi, hostile.roles, plan)
    with pytest.raises(DerivableError) as refused:
        _written(tmp_path / "out", outcome)
    error = refused.value
    assert {d.target for d in error.derivations} == {hostile.target}
    assert len(error.derivations) <= (2 if hostile.name == "currencies" else 1)  # equal amounts tell something, too
    derived = next(d for d in error.derivations if d.clue == hostile.clue)
    told = derived.transcript
    assert told is not None and told.right >= 0.95 * told.tried and len(told.rows) == 5
    assert not any(name.lower() in str(error.to_dict()).lower() for name in REGIONS)
    costs = [proposed.cost for proposed in error.plans]
    assert len(costs) >= 2 and costs == sorted(costs)
    assert not (tmp_path / "out").exists()
    for number, proposed in enumerate(error.plans):
        better, options = _followed(proposed.remedies, plan)
        again = outcome if better == plan else _anonymized(columns, quasi, hostile.roles, better)
        done = _written(tmp_path / f"out{number}", again, seed=number, **options)
        assert json.loads((done.internal / "manifest.json").read_text())["derivable"] == []


def test_an_innocent_survey_goes_out(tmp_path: Path) -> None:
    for seed in range(4):
        columns = survey(seed)
        for target in ("region", "age"):
            out = tmp_path / f"{target}{seed}"
            done = _released(out, columns, QUASI, {}, _plan(target, QUASI))
            facts = json.loads((done.internal / "manifest.json").read_text())
            assert facts["derivable"] == [] and facts["derivable_search"]["sets"] > 0


def test_several_ways_to_one_secret_are_remedied_together(tmp_path: Path) -> None:
    """A code, a sum and a pair: a plan names all that has to be done, and is enough."""
    columns = survey()
    for name in ("code with leading zeros", "two together", "total of two"):
        hostile = next(one for one in HOSTILE if one.name == name)
        columns |= hostile.adds(columns, np.random.default_rng(11))
    plan, quasi = Plan(KAnonymity(4)), ["region", "sex", "age"]
    with pytest.raises(DerivableError) as refused:
        _released(tmp_path / "out", columns, quasi, {}, plan)
    error = refused.value
    assert {d.clue for d in error.derivations} >= {"area", "quarter and block"}
    assert all(len(proposed.remedies) >= 2 for proposed in error.plans)
    better, options = _followed(error.plans[0].remedies, plan)
    _released(tmp_path / "out", columns, quasi, {}, better, **options)


def test_a_verdict_does_not_depend_on_the_order_of_the_release(tmp_path: Path) -> None:
    """An age as seven bits: whatever the seed, the same is derived, and each remedy is enough in the next run."""
    columns = survey()
    columns |= {f"bit{place}": columns["age"] >> place & 1 for place in range(7)}
    plan, verdicts = _plan("age", QUASI), []
    outcome = _anonymized(columns, QUASI, {}, plan)
    for shuffle in (True, False):
        with pytest.raises(DerivableError) as refused:
            _written(tmp_path / "out", outcome, seed=1, shuffle=shuffle)
        derived = [replace(one, transcript=None) for one in refused.value.derivations]
        verdicts.append((derived, [proposed.to_dict() for proposed in refused.value.plans]))
    assert verdicts[0] == verdicts[1]
    for number, proposed in enumerate(refused.value.plans[:2]):
        better, options = _followed(proposed.remedies, plan)
        _released(tmp_path / f"out{number}", columns, QUASI, {}, better, seed=number, **options)


def test_an_attacker_samples_the_same_records_of_every_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[list[int]]] = []

    def search(view: IntruderView) -> DerivationSearch:
        seen.append([clue.groups.tolist() for clue in view.attributes])
        return DerivationSearch()

    monkeypatch.setattr("tacita.release.records.derivable.search_derivations", search)
    outcome = _anonymized(survey(), QUASI, {}, _plan("age", QUASI))
    for seed, shuffle in ((1, True), (2, True), (3, False)):
        _written(tmp_path / str(seed), outcome, seed=seed, shuffle=shuffle)
    assert seen[0] == seen[1] == seen[2]


def test_a_chain_through_what_was_suppressed_along(tmp_path: Path) -> None:
    """The code is suppressed along with the region, and a copy of the code gives both back."""
    columns = survey()
    place = np.searchsorted(REGIONS, columns["region"])
    columns |= {"code": place * 3 + 1, "old_code": 90 - place}
    plan = replace(_plan("region", QUASI), linked={"region": ("code",)})
    with pytest.raises(DerivableError) as refused:
        _released(tmp_path / "out", columns, ["region", "sex", "age"], {}, plan)
    assert {(d.clue, d.target) for d in refused.value.derivations} == {("old_code", "region"), ("old_code", "code")}
    better, options = _followed(refused.value.plans[0].remedies, plan)
    assert better.linked == {"region": ("code", "old_code")}
    _released(tmp_path / "out", columns, ["region", "sex", "age"], {}, better, **options)


def test_the_transcript_of_what_was_allowed(tmp_path: Path) -> None:
    """It is in the internal folder, in the manifest and in the report, and nowhere else."""
    hostile = next(one for one in HOSTILE if one.name == "total of two")
    done = _released(
        tmp_path / "out", columns_of(hostile), QUASI, {}, _plan("age", QUASI), allow_derivable=True, seed=5
    )
    (derived,) = json.loads((done.internal / "manifest.json").read_text())["derivable"]
    assert derived["attributes"] == ["extra", "total"] and derived["rule"] == "sum"
    transcript = derived["transcript"]
    assert transcript["rule"] == "age = total - extra"
    assert transcript["left_out"] == transcript["left_out_right"] <= transcript["learnt_from"]
    assert transcript["rule"] in (done.internal / "report.html").read_text()
    ages = pq.read_table(done.data)["age"].to_pylist()
    assert len(transcript["rows"]) == 5 and all(ages[row - 1] is None for row in transcript["rows"])
    for path in done.folder.iterdir():
        text = path.read_bytes().decode("utf-8", "replace")
        assert "deriv" not in text and "age = total" not in text
