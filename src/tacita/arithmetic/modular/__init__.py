"""Linear algebra over whole numbers, modulo a secret random prime: what follows exactly from sums that are known.

A sum follows from others if it is in the span of their rows. Modulo a prime this is decided without rounding and
without growing numbers. A prime that divides a determinant of the system would hide a dependency, and a system can be
built for a prime that is known; so the prime is drawn at random for each use, and nobody sees it (`primes`). `basis` is
a reduced basis that grows row by row, `kernel_vector` answers many questions about one sparse system at once,
`combination` says by which factors a sum follows.
"""
