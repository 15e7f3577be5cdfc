"""Tables from microdata: records added up by the engine, hierarchies above them, and who stands behind each cell."""
