"""The experiments of the paper on confidentiality by relaxed functional dependencies, repeated.

L. Caruccio, D. Desiato, G. Polese and G. Tortora, "GDPR Compliant Information Confidentiality Preservation in Big Data
Processing", IEEE Access 8, 2020, section VII. Its Figures 4 to 12 print no numbers: what its sentences say is held
against what is measured here.
"""
