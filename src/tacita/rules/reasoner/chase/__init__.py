"""The chase: rules applied round by round to a fixpoint, with labelled nulls, equality rules and versions of facts."""
