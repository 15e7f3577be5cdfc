"""The Fellegi-Sunter model by splink, on DuckDB in memory: pairs with the weight of the evidence that they match.

Splink is asked to be quiet and gets columns without names or values of the user's own; nothing is written to disk.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.linkage.blocking import BlockingRule, Keys, rule_on, rules_for
from tacita.attacks.microdata.linkage.comparisons import AttributeComparison
from tacita.attacks.microdata.space import Axis
from tacita.errors import InternalError, raise_alone
from tacita.interruption import interruptible
from tacita.progress import Progress, Step

_EM_PAIRS = 10
"""Pairs for each record on which the model is trained: some per cent of them match."""
_ROUNDS = (25, 6, 2, 0)
"""Rounds of expectation maximisation that are tried."""
_NEXT_TO_NONE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class WeighedPairs:
    """Records of the one file beside records of the other, and log2 of the odds that evidence adds."""

    one: NDArray[np.int64]
    two: NDArray[np.int64]
    weight: NDArray[np.float64]
    probability: NDArray[np.float64]


def weighed(
    axes: Sequence[Axis], comparisons: Sequence[AttributeComparison], budget: int, progress: Progress
) -> WeighedPairs:
    """Return the pairs that agree in some blocking rule, weighed by a model that is trained on the files themselves."""
    lengths = _lengths(axes)
    rules = rules_for(axes, lengths, budget)
    if not rules:
        none = np.empty(0, dtype=np.int64)
        return WeighedPairs(none, none, np.empty(0), np.empty(0))
    with _quiet():
        try:
            return _weighed(axes, comparisons, rules, lengths, progress)
        except (ImportError, MemoryError):
            raise
        except Exception as error:  # what splink raises quotes its SQL
            raise_alone(InternalError(f"record linkage failed in splink ({type(error).__name__})"))


def _weighed(
    axes: Sequence[Axis],
    comparisons: Sequence[AttributeComparison],
    rules: Sequence[BlockingRule],
    lengths: tuple[int, int],
    progress: Progress,
) -> WeighedPairs:
    from splink import DuckDBAPI, SettingsCreator

    columns = {name: values for comparison in comparisons for name, values in comparison.columns.items()}
    conditions = []
    for number, rule in enumerate(rules):
        named = {f"k{number}_{place}": keys for place, keys in rule.keys.items()}
        columns |= named
        conditions.append(_same(named))
    training = _training_rules(axes, lengths)
    for rule in training:
        columns |= {f"e{place}": keys for place, keys in rule.keys.items()}
    api = DuckDBAPI()
    try:
        # one thread adds up in one order: the same result each time
        api.duckdb_con.execute("SET threads = 1")
        tables = [
            api.register(_table(columns, side, lengths[side]), dataset_display_name="ab"[side]) for side in (0, 1)
        ]
        settings = SettingsCreator(
            link_type="link_only",
            comparisons=[
                _settings(c, f"e{place}" if len(comparisons) > 1 and f"e{place}" in columns else "")
                for place, c in enumerate(comparisons)
            ],
            blocking_rules_to_generate_predictions=[{"blocking_rule": c, "sql_dialect": "duckdb"} for c in conditions],
            probability_two_random_records_match=1 / max(*lengths, 2),
            retain_matching_columns=False,
        )
        with interruptible(api.duckdb_con):
            linker = _trained(tables, settings, training, progress)
            progress(Step("weighing pairs"))
            predicted = linker.inference.predict(warning_mode="never")
            values = api.duckdb_con.sql(
                f"SELECT unique_id_l, unique_id_r, match_weight, match_probability FROM {predicted.physical_name} "
                "ORDER BY unique_id_l, unique_id_r"
            ).to_arrow_table()
    finally:
        api.duckdb_con.close()
    one, two, weight, probability = (values.column(place).to_numpy() for place in range(4))
    return WeighedPairs(one, two, weight, probability)


def _trained(tables: list[Any], settings: Any, rules: Sequence[BlockingRule], progress: Progress) -> Any:
    """Return the model with m estimated by expectation maximisation.

    Where matches and others are worlds apart, as in a file that was hardly masked, some m falls below what a float
    holds after some rounds, and splink stops: then fewer rounds do.
    """
    from splink import Linker

    for rounds in _ROUNDS:
        settings.max_iterations = rounds
        linker = Linker(tables, settings, log_level=None)
        try:
            for number, rule in enumerate(rules if rounds else ()):
                progress(Step("training the linkage", number, len(rules)))
                condition = _same({f"e{place}": keys for place, keys in rule.keys.items()})
                linker.training.estimate_parameters_using_expectation_maximisation(condition)
        except ValueError:
            if not rounds:
                raise
        else:
            break
    model = linker.misc.save_model_to_json()
    for comparison in model["comparisons"]:
        _agreeing(comparison["comparison_levels"])
    return Linker(tables, model, log_level=None)


def _agreeing(levels: list[dict[str, Any]]) -> None:
    """Let records of the same person agree at least as often as those of different people.

    Where attributes hardly tell people apart, estimation may take matches for the others. m, summed up from the closest
    level, is raised to u summed up so: what would speak against whoever agrees then says nothing. A level that never
    came up in training has kept the value with which it began, and gets next to none.
    """
    levels = [level for level in levels if not level.get("is_null_level")]
    began = _first_chances(len(levels))
    chances = np.array([level["m_probability"] for level in levels])
    kept = np.abs(chances - began) < 1e-12
    if not kept.all():
        chances = np.where(kept, _NEXT_TO_NONE, chances)
    summed = np.maximum(np.cumsum(chances / chances.sum()), np.cumsum([level["u_probability"] for level in levels]))
    raised = np.maximum(np.diff(summed, prepend=0.0), _NEXT_TO_NONE)
    for level, chance in zip(levels, raised / raised.sum(), strict=True):
        level["m_probability"] = float(chance)


def _first_chances(levels: int) -> NDArray[np.float64]:
    """Return m with which estimation begins: half of what is left for each level."""
    share = 0.5 ** np.arange(levels)
    began: NDArray[np.float64] = share / share.sum()
    return began


def _lengths(axes: Sequence[Axis]) -> tuple[int, int]:
    sides = axes[0].numbers if axes[0].numbers is not None else axes[0].levels[0]
    return len(sides[0]), len(sides[1])


def _training_rules(axes: Sequence[Axis], lengths: tuple[int, int]) -> list[BlockingRule]:
    """Return rules on one half of the attributes and on the other: what agrees in the one trains the other."""
    budget = _EM_PAIRS * max(lengths)
    halves = [list(range(half, len(axes), 2)) for half in (0, 1)] if len(axes) > 1 else [[0]]
    candidates = [rule_on(axes, half, budget) for half in halves]
    return [rule for rule in candidates if rule is not None and rule.pairs]


def _same(keys: dict[str, Keys]) -> str:
    return " AND ".join(f"l.{name} = r.{name}" for name in keys) or "1=1"


def _table(columns: dict[str, Any], side: int, length: int) -> Any:
    import pyarrow as pa

    arrays = {"unique_id": pa.array(np.arange(length))}
    for name, sides in columns.items():
        values = sides[side]
        if values.dtype.kind == "f":
            arrays[name] = pa.array(values, mask=np.isnan(values))
        elif values.dtype.kind == "O":
            arrays[name] = pa.array(values, pa.string())
        else:
            arrays[name] = pa.array(values, mask=values < 0)
    return pa.table(arrays)


def _settings(comparison: AttributeComparison, key: str) -> dict[str, Any]:
    """Return a comparison as splink takes it.

    The key is missing where the value is: naming it lets splink see that pairs which agree in it cannot train this
    comparison. A single comparison has no key: pairs that roughly agree are all that there is to train it.
    """
    missing = [f"{comparison.value}_l IS NULL", f"{comparison.value}_r IS NULL"]
    if key:
        missing.append(f"{key}_l IS NULL")
    levels: list[dict[str, Any]] = [
        {"sql_condition": " OR ".join(missing), "label_for_charts": "missing", "is_null_level": True}
    ]
    share = _first_chances(len(comparison.levels))
    for place, level in enumerate(comparison.levels):
        levels.append(
            {
                "sql_condition": level.condition,
                "label_for_charts": f"level {place}",
                "u_probability": level.chance,
                "m_probability": float(share[place]),
            }
        )
    return {"output_column_name": comparison.value, "comparison_levels": levels}


@contextmanager
def _quiet() -> Iterator[None]:
    """Let splink say nothing: it logs by itself what it does and how to do it better."""
    logger = logging.getLogger("splink")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
