"""Average class size: how many records share a released combination (LeFevre, DeWitt and Ramakrishnan, ICDE 2006).

Suppressed records are one class together, as in ARX, whose figure this is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def average_class_size(sizes: Array, suppressed: int = 0) -> float:
    """Return the mean size of the classes; 0 if there is none.

    >>> import numpy as np
    >>> average_class_size(np.array([2, 3]), suppressed=1)
    2.0
    """
    classes = len(sizes) + bool(suppressed)
    return (float(sizes.sum()) + suppressed) / classes if classes else 0.0
