"""Relations between several attributes that give hidden cells back.

`attribute_sets` (with `set_screen`): attributes that determine a value together. `sums`, `products`, `quadratics`,
`copies`: numbers that follow from other numbers. `birth_dates`: ages that follow from dates. `code_parts`: what is
written inside a code.
"""
