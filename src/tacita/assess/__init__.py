"""What a steward sees of risk: the verdict, its figures, the riskiest attributes and records, each with its reason.

`assess` puts measures together over the attack scenarios; `finding`, `comparison`, `riskiest` and `assessment` are what
it finds; the room of views gives it its forms.
"""
