"""What the steward says about a gate: dependencies, values and their baseline, rules, who observes.

`policy` has the values, `policy_file` reads them from a TOML file with all faults at once. `values` says how cells
become values, `baseline` what is expected of them, `cells` how cells are spelt.
"""
