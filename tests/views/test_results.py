"""Every public result shows itself in one line without secrets, and in a notebook without running what it shows."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacita as tc
from tacita.model.result import Result
from tacita.release.kinds.microdata.explain import changed_records, explain_record, open_microdata
from tacita.release.kinds.tables.cells import explain_cells
from tacita.release.options import MaskedOptions, ReleaseOptions
from tacita.release.verify import verify
from tacita.rules.proofs import Proof
from tacita.tables.example import write_example
from tacita.views import VIEWS

HOSTILE = "<script>alert(1)</script>"
SEED = 7_181_920_212_223
VALUES = ("Marmalade", "Quicksilver", "Tumbleweed", "Obsidian")
SECRETS = (*VALUES, str(SEED), f"{SEED:,}", "314159")
VOID = {"meta", "br", "hr", "img", "input", "link"}
NESTED = 4


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tc.Dataset:
    random = np.random.default_rng(1)
    names, sexes = random.choice(VALUES, 120), random.choice(["f", "m"], 120)
    incomes = 314_159_000 + random.integers(0, 999, 120)
    cells = zip(names, sexes, incomes, range(120), strict=True)
    rows = [f"{HOSTILE},sex,income,id", *(f"{name},{sex},{income},{n}" for name, sex, income, n in cells)]
    path = tmp_path_factory.mktemp("data") / "people.csv"
    path.write_text("\n".join(rows) + "\n")
    roles = {HOSTILE: "quasi-identifier", "sex": "quasi-identifier", "income": "sensitive", "id": "identifier"}
    return tc.read(path).with_categories(roles)


@pytest.fixture(scope="module")
def results(data: tc.Dataset, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    folder = tmp_path_factory.mktemp("releases")
    recipe = {
        "seed": SEED,
        "attack": {"accept": 1.0, "accept_unique": 1.0},
        "step": [{"method": "uncorrelated-noise", "attributes": ["income"]}],
    }
    assessment = data.assess()
    outcome = tc.anonymize(data, k=3)
    masking = tc.mask(data, recipe)
    released = tc.release_to(folder / "records", outcome, ReleaseOptions(seed=SEED))
    masked = tc.release_to(folder / "masked", masking, MaskedOptions(anyway=True))
    specification = write_example(folder)
    protected = tc.protect_table(specification)
    tables = tc.release_to(folder / "tables", protected)
    found: list[Result] = [
        data.describe(),
        assessment,
        assessment.why(1),
        outcome,
        masking,
        masking.evaluation,
        tc.compare(data, [recipe]),
        released,
        masked,
        tables,
        verify(released.folder),
        verify(masked.folder),
        verify(tables.folder),
        explain_record(open_microdata(released.folder), 1),
        changed_records(open_microdata(released.folder)),
        explain_cells(tables.folder, {}),
        tc.build_table(specification),
        tc.assess_table(specification),
        protected,
        tc.protect_table(specification, method="random_rounding", seed=SEED),
        tc.audit_table(specification),
        tc.reason("Own(X, Y, W), W > 0.5 -> Control(X, Y).", {"Own": [(value, "b", 0.6) for value in VALUES]}),
    ]
    return {type(result).__name__: result for result in found}


def classes() -> Iterator[type[Result]]:
    """Yield all classes of results of the package."""
    for module in pkgutil.walk_packages(tc.__path__, "tacita."):
        if not module.name.startswith(("tacita.engines.spark", "tacita.cli", "tacita.language_server")):
            importlib.import_module(module.name)
    todo = Result.__subclasses__()
    while todo:
        yield (one := todo.pop())
        todo += one.__subclasses__()


@pytest.mark.slow
def test_every_result_has_a_view_and_every_view_a_result() -> None:
    names = {kind.__name__ for kind in classes() if kind.__module__.startswith("tacita.")}
    assert set(VIEWS) <= names, "views of classes that are not there"
    bare = [kind for kind in classes() if not any(base.__name__ in VIEWS for base in kind.__mro__)]
    assert not [kind for kind in bare if kind.__module__.startswith("tacita.")], "results without a view"


def test_no_result_has_a_generated_repr() -> None:
    wrong = [kind.__name__ for kind in classes() if dataclasses.is_dataclass(kind) and _generated(kind)]
    assert not wrong, "write @dataclass(repr=False) above these"


def _generated(kind: type) -> bool:
    return getattr(kind.__dict__.get("__repr__"), "__wrapped__", None) is not None or (
        "__repr__" in kind.__dict__ and kind.__dataclass_params__.repr  # type: ignore[attr-defined]
    )


@pytest.mark.slow
def test_a_repr_is_one_short_line_without_secrets(results: dict[str, Result]) -> None:
    for name, result in results.items():
        shown = repr(result)
        assert shown.startswith(f"<{name} ") and shown.endswith(">"), shown
        assert len(shown) < 200 and "\n" not in shown, shown
        assert not [secret for secret in SECRETS if secret in shown], shown


def test_no_part_of_a_result_shows_secrets(results: dict[str, Result]) -> None:
    wrong = {
        type(part).__name__: path
        for name, result in results.items()
        for path, part in parts(result, name, NESTED)
        if any(secret in repr(part) for secret in SECRETS)
    }
    assert not wrong


def parts(value: Any, path: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the dataclasses inside a result, which a person meets who looks into it; texts are its content."""
    if depth < 0 or (isinstance(value, Proof)):
        return  # a proof is made of facts, and facts of values
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield path, value
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name), f"{path}.{field.name}", depth - 1)
    elif isinstance(value, Mapping):
        for key, item in list(value.items())[:3]:
            yield from parts(item, f"{path}[{key!r}]", depth - 1)
    elif isinstance(value, tuple | list):
        for place, item in enumerate(value[:3]):
            yield from parts(item, f"{path}[{place}]", depth - 1)


def test_text_and_json_hold_no_seed(results: dict[str, Result]) -> None:
    for name, result in results.items():
        shown = result.to_text() + json.dumps(result.to_dict(), allow_nan=False)
        assert str(SEED) not in shown and f"{SEED:,}" not in shown, name


def test_html_is_well_formed_and_escaped(results: dict[str, Result]) -> None:
    for name, result in results.items():
        for html in (result._repr_html_(), result.to_html()):
            assert HOSTILE not in html and "<script" not in html, name
            assert str(SEED) not in html, name
            WellFormed().check(html, name)
    assert "&lt;script&gt;" in results["Assessment"]._repr_html_()


class WellFormed(HTMLParser):
    """Fails on elements that are not closed in order."""

    def check(self, html: str, name: str) -> None:
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"{name}: {self.open} not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, tag


def test_a_result_says_what_to_do_without_a_view() -> None:
    class Own(Result):
        pass

    with pytest.raises(LookupError, match="Own"):
        Own().to_dict()


def test_a_name_of_many_lines_stays_one_line() -> None:
    class Long(Result):
        def _in_short(self) -> str:
            return "a\nb\x1b[2J " + "c" * 500

    assert repr(Long()).startswith("<Long a b␛[2J ccc") and len(repr(Long())) < 200


def test_results_are_written_to_a_terminal(results: dict[str, Result], tmp_path: Path) -> None:
    from rich.console import Console

    with (tmp_path / "out.txt").open("w") as file:
        for result in results.values():
            Console(file=file, width=80).print(result)
    assert (tmp_path / "out.txt").stat().st_size > 1000
