"""Risk against the population: a register that the intruder has, or what the sample says of those not in it."""
