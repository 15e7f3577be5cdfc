"""Tabular data: build tables, find the cells that tell too much, protect them at the least cost, hand them out.

One room per step: `build`, `sensitivity`, `recoding`, then the methods of protection (`suppression`, `rounding`,
`adjustment`, `cell_key`, `intervals`), then `output`; `specification` and `argus` read what the steward wants.
`protect` puts them together, and `building`, `assessment`, `auditing` are the other verbs. Whatever protects is audited
by the room `attacks`, which shares no code with it, before anything is written.
"""
