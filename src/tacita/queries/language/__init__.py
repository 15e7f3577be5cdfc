"""The documented subset of SQL: text becomes a question about declared attributes, or a reason and what is allowed."""
