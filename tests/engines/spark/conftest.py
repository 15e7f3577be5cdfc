"""One Spark for all tests: it takes many seconds to start, and many more to become fast."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.spark import SparkEngine
from tacita.engines.spark.session import require_java
from tacita.errors import MissingExtra
from tacita.settings import Settings

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests on Spark first: of two processes, one begins with them, and the other takes from the end."""
    on_spark = [item for item in items if HERE in item.path.parents and "spark" in getattr(item, "fixturenames", ())]
    for item in on_spark:
        item.add_marker(pytest.mark.slow)
    others = set(items).difference(on_spark)
    items[:] = [*on_spark, *(item for item in items if item in others)]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    """The engine on a local Spark; tests that need it say what to install when it cannot start."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: pip install 'tacita[spark]'")
    try:
        require_java()
    except MissingExtra as missing:
        pytest.skip(f"{missing.found}: run scripts/services, or {missing.do}")
    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        # Java compiles quickly rather than well: the tests are over before the other way pays.
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        patch.setenv("SPARK_SUBMIT_OPTS", f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {quick}".strip())
        engine = SparkEngine(Settings(memory="1GB", threads=2, spill=folder, state=folder / "state"))
    with engine:
        yield engine
    assert not list(folder.glob(".tacita-*")), "something is left after closing"
    assert not list((folder / "state" / "unfinished").iterdir())


@pytest.fixture(scope="session")
def duckdb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    """The engine that Spark must agree with."""
    folder = tmp_path_factory.mktemp("duckdb")
    with DuckDBEngine(Settings(memory="512MB", threads=1, spill=folder, state=folder / "state")) as engine:
        yield engine
