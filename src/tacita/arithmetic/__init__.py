"""Arithmetic whose results are the same to the last bit on every machine, for everything that ends up in a release.

Libraries of linear algebra choose their kernels, and with them the order in which they add up, by the processor and by
the number of threads; vector units and the C library have several versions of exp and log. The results differ in the
last bits, and a released file with them. Here everything is made of single additions, multiplications, divisions and
square roots of arrays, which IEEE 754 defines to the last bit, in an order that is written down.

Rule: what leads to released values uses neither ``@``, ``np.linalg``, ``np.dot``, ``np.einsum``, ``np.cov`` nor
functions such as ``np.exp``, ``np.log`` and ``np.power``, nor those of ``scipy.special``.
"""
