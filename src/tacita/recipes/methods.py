"""Every method that a step can name: those on records as arrays, and those in the engine."""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.masking.catalogue import METHODS as ON_RECORDS
from tacita.masking.method import FACTS, Method
from tacita.recipes.engine_methods import EngineMethod

METHODS: Catalogue[Method | EngineMethod] = Catalogue(
    "method",
    "tacita.recipes",
    {
        "global-recoding": "engine_methods:GlobalRecoding",
        "intervals": "engine_methods:Intervals",
        "k-anonymity": "engine_methods:KAnonymization",
    },
    FACTS,
    beside=ON_RECORDS,
    advice="'tacita methods' lists them all",
)
"""Methods of the engine, and beside them those on records."""
