"""What ships as facts and rules: the experience base of attribute names, and the rule programs."""
