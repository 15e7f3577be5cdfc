"""Random primes for calculations that must be exact."""

from __future__ import annotations

import secrets

BITS = 50
"""Products of two residues modulo a prime of this size are reduced with one double-precision division."""
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases that decide for every number below 3 * 10**24 (Sorenson and Webster 2015)."""


def random_prime() -> int:
    """Return a secret random prime of 50 bits.

    >>> prime = random_prime()
    >>> prime.bit_length(), is_prime(prime)
    (50, True)
    """
    while True:
        candidate = secrets.randbits(BITS) | 1 << (BITS - 1) | 1
        if is_prime(candidate):
            return candidate


def is_prime(number: int) -> bool:
    """Return whether a number below 2**80 is prime, by the test of Miller and Rabin.

    >>> [number for number in range(30) if is_prime(number)]
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    >>> is_prime(2**61 - 1), is_prime(3215031751)
    (True, False)
    """
    if number < 2:
        return False
    for base in _BASES:
        if number % base == 0:
            return number == base
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(_passes(number, base, odd, twos) for base in _BASES)


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False
