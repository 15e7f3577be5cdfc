"""Discernibility: how many records each record cannot be told from (Bayardo and Agrawal, ICDE 2005).

The sum of |class|^2 over released classes, and n for each suppressed record. Reproduces ARX's figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def discernibility(sizes: Array, suppressed: int = 0) -> float:
    """Return the penalty of classes of these sizes and of suppressed records.

    >>> import numpy as np
    >>> discernibility(np.array([2, 3]), suppressed=1)
    19.0
    """
    import numpy as np

    sizes = np.asarray(sizes, dtype=np.float64)
    return float(sizes @ sizes) + suppressed * float(sizes.sum() + suppressed)
