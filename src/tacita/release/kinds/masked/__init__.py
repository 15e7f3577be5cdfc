"""The release of masked microdata: the folder that is handed out, and apart from it the recipe with its seed."""
