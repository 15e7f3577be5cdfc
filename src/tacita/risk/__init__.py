"""Disclosure risk: one measure per file.

A measure takes a `Sample` (records, and what an intruder knows of them) and returns `Risks`: a relation with the risk
of each record, and figures of the file. `measure` has the contract, `catalogue` the names, `combinations` and
`frequencies` what most measures stand on, `null_semantics` what a hidden value matches. The measures are in `identity`,
`attribute`, `population` and `continuous`.
"""
