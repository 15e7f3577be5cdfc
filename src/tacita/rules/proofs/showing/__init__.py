"""Proofs for people and programs: a tree of lines, sentences, JSON, a graph for Graphviz, a picture."""
