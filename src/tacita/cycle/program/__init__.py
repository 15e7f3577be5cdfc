"""The cycle as a rule program: run as the rules say it, with a decision for each cell they changed."""
