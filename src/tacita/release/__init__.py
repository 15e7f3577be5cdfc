"""What leaves the house: the release folder, its manifest, its reports, and the check that the claim holds."""
