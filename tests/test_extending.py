"""Classes of a user, entered under a name, are used like ours: in Python, in recipe files and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import tacita as tc
from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.cli.main import run
from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.model.microdata import Microdata
from tacita.model.records import Records
from tacita.progress import Progress, silent
from tacita.recipes.exploration import recipes_to_explore
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Risks
from tacita.risk.sample import Sample
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class Doubled:
    """Every number becomes so many times what it was."""

    name: ClassVar[str] = "doubled"
    promises: ClassVar[str] = "Nothing."
    limits: ClassVar[str] = "Everything."
    is_random: ClassVar[bool] = False
    treats: ClassVar[str] = "numbers"
    grid: ClassVar[Mapping[str, Sequence[float]]] = {"times": (2.0, 3.0)}

    attributes: tuple[str, ...]
    times: float = 2.0

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        columns = {name: records.numbers(name) for name in self.attributes}
        return Treated.in_place(
            records.with_columns(
                {name: column.with_values(column.values * self.times) for name, column in columns.items()}
            )
        )


@dataclass(frozen=True, slots=True)
class Impossible(KAnonymity):
    """A measure that is wrong about every record."""

    name: ClassVar[str] = "impossible"
    risk: float | None = None

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        risks = KAnonymity.risks(self, sample, progress)
        assert risks.records is not None
        rows = pa.RecordBatch.from_pydict(
            {"row": pa.array(range(1, 41)), "risk": pa.array([self.risk] * 40, pa.float64())}
        )
        return replace(risks, records=sample.engine.adopt([rows], rows.schema))


@dataclass(frozen=True, slots=True)
class Untouched:
    """A step in the engine that changes nothing."""

    name: ClassVar[str] = "untouched"
    promises: ClassVar[str] = "Nothing changes."
    limits: ClassVar[str] = "Nothing is protected."
    is_random: ClassVar[bool] = False
    in_engine: ClassVar[bool] = True

    attributes: tuple[str, ...] = ()

    def applied(self, microdata: Microdata, progress: Progress = silent) -> tuple[Microdata, tuple[str, ...]]:
        return microdata, ()


@dataclass(frozen=True, slots=True)
class Quarter:
    """A loss of a quarter, whatever was done."""

    name: ClassVar[str] = "quarter"
    needs_pairs: ClassVar[bool] = False
    bounded: ClassVar[bool] = True
    by_default: ClassVar[bool] = True
    compares: ClassVar[str] = "nothing at all"

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        return Lost(self.name, {"share": 0.25})


@dataclass(frozen=True, slots=True)
class Clairvoyant:
    """An attacker who finds four of ten."""

    name: ClassVar[str] = "clairvoyant"
    threat: ClassVar[str] = "membership"
    succeeds: ClassVar[str] = "sees {} of the people"

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        return True

    def lacks(self, scene: Scene) -> list[str]:
        return []

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        return Attacked(self.name, 0.4, 0.3, 0.5, 0.0, 10)


@dataclass(frozen=True, slots=True)
class Fives(KAnonymity):
    """k-anonymity by fives: its k is multiplied."""

    name: ClassVar[str] = "fives"

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        risks = KAnonymity(5 * self.k, self.threshold).risks(sample, progress)
        return Risks(self.name, self.threshold, risks.records)


OWN = {"step": (Doubled, Untouched), "loss": (Quarter,), "attacker": (Clairvoyant,), "measure": (Fives,)}


@pytest.fixture(autouse=True)
def entered() -> Iterator[None]:
    for classes in OWN.values():
        for cls in classes:
            tc.enter(cls)
    yield
    for kind, classes in OWN.items():
        for cls in classes:
            tc.catalogue_of("method" if cls is Doubled else kind).withdraw(cls.name)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    rows = {"area": ["n", "s"] * 20, "wage": [float(n % 7 * 100 + n) for n in range(40)]}
    pyarrow.csv.write_csv(pa.table(rows), file)
    return file


def recipe_of(folder: Path, text: str) -> Path:
    (folder / "mine.toml").write_text(text)
    return folder / "mine.toml"


def test_a_method_is_named_in_a_recipe_file(people: Path, tmp_path: Path) -> None:
    recipe = recipe_of(tmp_path, 'seed = 1\n[[step]]\nmethod = "doubled"\nattributes = ["wage"]\ntimes = 3\n')
    masked = tc.mask(tc.read(people), recipe).data.to_arrow()["wage"].to_pylist()
    assert masked == [3 * wage for wage in tc.read(people).to_arrow()["wage"].to_pylist()]


def test_a_method_of_the_engine_is_named_in_a_recipe(people: Path) -> None:
    masked = tc.mask(tc.read(people), {"seed": 1, "step": [{"method": "untouched", "attributes": ["area"]}]})
    assert masked.masked.steps[0].promises == "Nothing changes."


def test_a_method_with_a_grid_is_explored(people: Path) -> None:
    tried = [step for recipe in recipes_to_explore(tc.read(people).microdata) for step in recipe.steps]
    assert {step.parameters["times"] for step in tried if step.method == "doubled"} == {2.0, 3.0}


def test_an_attacker_counts_in_the_disclosure_risk(people: Path) -> None:
    """Not named anywhere: its class says that it attacks by default, and what it threatens."""
    data = tc.read(people).with_categories({"wage": "quasi-identifier", "area": "sensitive"})
    step = [{"method": "mdav", "attributes": ["wage"], "k": 3}]
    with_all = tc.mask(data, {"seed": 1, "step": step}).evaluation
    assert "clairvoyant" in {attack.attacker for attack in with_all.attacks}
    alone = tc.mask(data, {"seed": 1, "step": step, "attack": {"attackers": ["clairvoyant"]}}).evaluation
    assert alone.disclosure_risk == pytest.approx(40)
    others = [attack.attacker for attack in with_all.attacks if attack.attacker != "clairvoyant"]
    without = tc.mask(data, {"seed": 1, "step": step, "attack": {"attackers": others}}).evaluation
    assert with_all.disclosure_risk == pytest.approx((2 * without.disclosure_risk + 40) / 3)  # a third threat


def test_a_loss_counts_in_the_information_loss(people: Path) -> None:
    data = tc.read(people).with_categories({"wage": "quasi-identifier"})
    step = [{"method": "mdav", "attributes": ["wage"], "k": 3}]
    assert "quarter" in {lost.measure for lost in tc.mask(data, {"seed": 1, "step": step}).evaluation.losses}
    named = {"seed": 1, "step": step, "utility": {"measures": ["quarter"]}}
    assert tc.mask(data, named).evaluation.information_loss == 25


def test_a_measure_is_made_by_name_and_verified(people: Path) -> None:
    from tacita.assess.assess import Question

    measure = tc.catalogue_of("measure").make("fives", {"k": 5})
    data = tc.read(people).with_roles(quasi=["area"])
    assert data.assess(Question(measures=(measure,))).scenarios[0].findings[0].unsafe == 40  # 20 look alike, not 25
    with pytest.raises(UsageError, match="fives has no parameter 'kk'; did you mean 'k'"):
        tc.catalogue_of("measure").make("fives", {"kk": 5})


@pytest.mark.parametrize("risk", [None, -1.0, 1.5, float("nan")])
def test_a_measure_with_impossible_risks_makes_nothing_safe(people: Path, risk: float | None) -> None:
    data = tc.read(people).with_roles(quasi=["area"])
    with pytest.raises(UsageError, match="a risk that is not a number from 0 to 1"):
        data.anonymize(tc.Plan(Impossible(risk=risk)))


def test_all_are_named_on_the_command_line(
    people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["assess", str(people), "--quasi", "area", "--measure", "fives", "--k", "5", "--json"]) == 0
    [finding] = json.loads(capsys.readouterr().out)["scenarios"][0]["measures"]
    assert (finding["measure"], finding["parameters"]["k"], finding["unsafe"]) == ("fives", 5, 40)
    recipe_of(
        tmp_path,
        'seed = 1\n[[step]]\nmethod = "doubled"\nattributes = ["wage"]\n'
        '[attack]\nattackers = ["clairvoyant"]\naccept = 0.5\n[utility]\nmeasures = ["quarter"]\n',
    )
    arguments = ["mask", str(people), "--quasi", "wage", "--recipe", "mine.toml", "--out", "released", "--json"]
    assert run(arguments) == 0, capsys.readouterr()
    told = json.loads(capsys.readouterr().out)
    assert (told["information_loss"], told["disclosure_risk"]) == (25, pytest.approx(40))
    assert "Clairvoyant sees 40 % of the people" in told["headline"]
    assert "nothing at all" in (tmp_path / "released" / "report.html").read_text(encoding="utf-8")
    assert run(["methods", "doubled"]) == 0
    assert "Every number becomes so many times what it was." in capsys.readouterr().out
    assert run(["measures"]) == 0
    assert "fives" in capsys.readouterr().out


def test_a_rule_program_is_a_measure(people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "mine.vada"
    program.write_text("Tuple(M, I, VSet) -> riskOutput(I, 0.75).\n")
    measure = tc.catalogue_of("measure").make(str(program), {"threshold": 0.7})
    assert measure.threshold == 0.7
    for threshold, unsafe in (("0.8", 0), ("0.7", 40)):
        arguments = ["--quasi", "area", "--measure", str(program), "--threshold", threshold, "--json"]
        assert run(["assess", str(people), *arguments]) == 0
        assert json.loads(capsys.readouterr().out)["scenarios"][0]["measures"][0]["unsafe"] == unsafe
    with pytest.raises(UsageError, match=r"threshold of .*mine.vada is 2"):
        tc.catalogue_of("measure").make(str(program), {"threshold": 2})


def test_what_cannot_be_entered() -> None:
    class Nameless:
        def lost(self) -> None: ...

    class Both(Quarter, Clairvoyant):
        pass

    class Aimless(Clairvoyant):
        name: ClassVar[str] = "aimless"
        threat: ClassVar[str] = "identify"

    for wrong, fault in (
        (int, "of no kind"),
        (Nameless, "has no name"),
        (Both, "of several kinds: loss, attacker"),
        (Aimless, "an unknown threat; did you mean 'identity'"),
    ):
        with pytest.raises(UsageError, match=fault):
            tc.enter(wrong)
    with pytest.raises(UsageError, match="no catalogue of 'measures'; did you mean 'measure'"):
        tc.catalogue_of("measures")
