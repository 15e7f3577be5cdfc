"""Withholding cells so that no sensitive one can be found out, at the least cost.

`suppress` is the door. `problem`, `presolve` and `target` say what is asked; `proofs` shows that a cell is protected,
`exact` looks for the cheapest pattern, `large` for a good one where that would take too long.
"""
