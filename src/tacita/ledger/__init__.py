"""The ledger: an append-only record of everything that leaves, which nobody can change without being noticed.

`ledger.Ledger` appends, reads, verifies and purges. `entry` says what an entry is and how it is hashed, `canonical` how
payloads are encoded. `stores/` keep entries: one module for each database, one contract for all. `merkle`, `checkpoint`
and `signing` prove what was in the ledger at a time, `seen` remembers the last state outside of it. `settings_file` is
how a folder or an organisation says where its ledger is, who receives data and which sources there are. `disclosures`
is what a release made public, for whoever judges it together with other releases.

The room decides nothing: whether something may leave is decided above.
"""
