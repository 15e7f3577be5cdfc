"""Where data lives: one small protocol, the plans that every engine runs, and one folder per engine.

`plans/` builds sqlglot expressions and knows no engine; `duckdb/` runs them inside the process; `reference/` says
naively, in plain Python, what each plan means, and is there for tests only. A further engine is a folder with the same
file names as `duckdb/`.
"""
