"""The rule language: what is risky, who is related to whom and what may be coarsened, written as logic.

`syntax` reads and prints programs, `logic` holds them and checks them, `passes` rewrite them one step at a time,
`reasoner` runs them on an engine and explains every fact. This room knows nothing of risk: measures and methods are
plugged in as external predicates.
"""
