"""What a door calls: data sets with their verbs, one module per use case. Doors import this room and nothing else."""
