"""The ways to protect a table, one per file: each protects a case and hands the result to a check of `attacks`."""
