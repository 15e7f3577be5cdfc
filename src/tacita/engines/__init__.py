"""Where data lives: one small protocol, the plans that every engine runs, and one folder per engine.

`plans/` builds sqlglot expressions and knows no engine; `duckdb/` runs them inside the process, `spark/` on a cluster.
What each plan means is said naively, in plain Python, by `tests/oracles/engine.py`. A further engine is a folder with
the same file names as `duckdb/`.
"""
