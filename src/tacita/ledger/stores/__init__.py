"""Where a ledger keeps its entries: one module for each database, one contract, and the statements that both share."""
