"""One verdict over everything that was released: what an output says together with all that left before.

`evidence` is what releases tell, as statements about sums over records. `groups` are the records that no statement
tells apart; one of them is one unknown of the system (`system`). `exact` finds what follows without doubt,
`differences` what is left between nested sets, `intervals` how near an intruder comes to what must stay uncertain,
`possible_groups` which groups an intruder must reckon with though nobody is in them. `judging` puts these together.

Files are compared by the attackers in `attacks/versions`, intervals come from the attacker in `attacks/tables`. What is
assumed of intruders is in docs/explanation/joint-verdict.md.
"""
