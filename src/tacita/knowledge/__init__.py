"""What ships as facts: the experience base of attribute names. Rule programs and hierarchies will join it here."""
