"""The embedded engine: DuckDB inside the process. The only room that imports duckdb."""

from tacita.engines.duckdb.engine import DuckDBEngine

__all__ = ["DuckDBEngine"]
