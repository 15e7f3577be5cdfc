"""What DuckDB raises, told in our words: its text, which may quote values, is nowhere in the error."""

from __future__ import annotations

import pytest
from sqlglot import exp

from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import TacitaError


def test_the_context_of_an_error_holds_nothing_of_duckdb():
    with DuckDBEngine() as engine:
        cast = exp.Cast(this=exp.Literal.string("secret"), to=exp.DataType.build("int"))
        with pytest.raises(TacitaError) as caught:
            engine.replace("t", exp.select(cast))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert "secret" not in str(caught.value)


def test_a_changed_copy_of_a_plan_runs_as_changed():
    with DuckDBEngine() as engine:
        plan = exp.select(exp.alias_(exp.Literal.number(1), "a"))
        engine.replace("t", plan)
        copy = plan.copy().select(exp.alias_(exp.Literal.number(2), "b"), copy=False)
        engine.replace("t", copy)
        assert engine.run(exp.select("*").from_("t")) == [{"a": 1, "b": 2}]
