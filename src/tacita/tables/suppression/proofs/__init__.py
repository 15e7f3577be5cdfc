"""That a withheld cell is protected: movements that an attacker must think possible, found by few programs and kept."""
