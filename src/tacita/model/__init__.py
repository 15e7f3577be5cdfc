"""The nouns: attributes, categories, dictionaries, hierarchies, labelled nulls, relations, microdata, decisions.

Frozen values with their own checks. Nothing here opens a file of data, knows an engine or prints.
"""
