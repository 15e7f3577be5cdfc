"""Plans: what to compute, as sqlglot expressions over the columns of a relation. One per file, no engine in sight."""
