"""Rules as plans of an engine: terms, bodies, aggregates and heads as selects over the tables that hold facts."""
