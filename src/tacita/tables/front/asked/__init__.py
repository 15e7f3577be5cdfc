"""What a specification asks for: rules, levels, costs, what attackers know, sums to judge, an earlier publication."""
