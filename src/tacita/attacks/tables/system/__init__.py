"""The tables that an attacker holds possible, as a system of sums and bounds: reduced, bounded, asked of the solver."""
