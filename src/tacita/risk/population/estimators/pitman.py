"""Pitman's model: classes grow like those of a random partition with two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacita.risk.population.estimators.spectrum import Estimate, Spectrum

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NAME = "pitman"
_EDGE = 1e-3
"""An alpha below it is taken for the limit 0, where Pitman's model is that of Ewens."""


def pitman(spectrum: Spectrum, population_size: float) -> Estimate:
    """Return the estimate of Pitman's model, fitted by maximum likelihood.

    With i members seen in k classes, the next one opens a class with probability (theta + k alpha)/(theta + i) and
    joins a class of size j with probability (j - alpha)/(theta + i). The likelihood of a sample is

        L = prod_{i<u} (theta + i alpha) / prod_{i<n} (theta + i) * prod_j (prod_{i<j} (i - alpha))^s_j

    A sample unique stays unique while the other N - n members arrive with probability

        P = prod_{i=n}^{N-1} (theta + i - 1 + alpha)/(theta + i)

    Members of the population outside the sample are unique if they open a class and stay alone; together

        S_1 = s_1 P + (N - n) (theta + u alpha)/(theta + n) prod_{i=n+1}^{N-1} (theta + i - 1 + alpha)/(theta + i)

    Source: N. Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of Official
    Statistics 17 (2001). Hoshino and ARX use the limit Gamma(theta + 1)/Gamma(theta + alpha) N^alpha for S_1, which
    forgets the sample after the fit; the products here are exact and give s_1 if the sample is the population.
    The model fits long tails. There is no maximum if all records are unique or none are.
    """
    n, u, uniques = spectrum.records, spectrum.classes, spectrum.of_size(1)
    if uniques == 0:
        return Estimate(NAME, 0.0, 0.0)
    if u == n:
        return Estimate(NAME, fails="every record is unique, so that its likelihood has no maximum")
    fitted = fit(spectrum)
    if fitted is None:
        return Estimate(NAME, fails="the search for its maximum likelihood did not converge")
    theta, alpha = fitted
    alone = uniques * staying_alone(theta, alpha, n, population_size)
    opened = (theta + u * alpha) / (theta + n) * staying_alone(theta, alpha, n + 1, population_size)
    total = alone + max(population_size - n, 0.0) * opened
    short = "alpha is at its limit 0: there are fewer small classes than the model supposes, it is likely too high"
    note = short if alpha < _EDGE else ""
    return Estimate(NAME, total, alone, note=note)


def staying_alone(theta: float, alpha: float, present: int, population_size: float) -> float:
    """Return the chance that a class of one stays so while the population grows from `present` members to its size."""
    import numpy as np
    from scipy.special import gammaln

    if population_size <= present:
        return 1.0
    end = gammaln(theta + alpha + population_size - 1) - gammaln(theta + population_size)
    start = gammaln(theta + alpha + present - 1) - gammaln(theta + present)
    return float(np.exp(min(end - start, 0.0)))


def log_likelihood(theta: float, alpha: float, spectrum: Spectrum) -> float:
    """Return the logarithm of the likelihood, without the factor that no parameter changes."""
    import numpy as np
    from scipy.special import gammaln

    larger = spectrum.sizes > 1
    sizes, classes = spectrum.sizes[larger], spectrum.classes_of_size[larger]
    opened = np.log(theta + alpha * np.arange(1, spectrum.classes)).sum()
    arrived = gammaln(theta + spectrum.records) - gammaln(theta + 1)
    joined = (classes * (gammaln(sizes - alpha) - gammaln(1 - alpha))).sum()
    return float(opened - arrived + joined)


def _score(theta: float, alpha: float, spectrum: Spectrum) -> Array:
    """Return the derivatives of the log-likelihood by theta and alpha."""
    import numpy as np
    from scipy.special import digamma

    larger = spectrum.sizes > 1
    sizes, classes = spectrum.sizes[larger], spectrum.classes_of_size[larger]
    steps = np.arange(1, spectrum.classes)
    opening = 1 / (theta + alpha * steps)
    by_theta = opening.sum() - digamma(theta + spectrum.records) + digamma(theta + 1)
    by_alpha = (steps * opening).sum() - (classes * (digamma(sizes - alpha) - digamma(1 - alpha))).sum()
    return np.array([by_theta, by_alpha])


def fit(spectrum: Spectrum) -> tuple[float, float] | None:
    """Return theta and alpha of maximum likelihood, or None if there are none with 0 <= alpha < 1.

    The search runs over the logarithm of theta + alpha and the logit of alpha, where every point is allowed.
    """
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    n = spectrum.records

    def parameters(point: Array) -> tuple[float, float]:
        alpha = float(expit(point[1]))
        return float(np.exp(point[0])) - alpha, alpha

    def loss(point: Array) -> tuple[float, Array]:
        theta, alpha = parameters(point)
        by_theta, by_alpha = _score(theta, alpha, spectrum)
        slope = np.array([by_theta * (theta + alpha), (by_alpha - by_theta) * alpha * (1 - alpha)])
        return -log_likelihood(theta, alpha, spectrum) / n, -slope / n

    best: Any = None
    bounds = [(np.log(1e-6), np.log(1e12)), (-25.0, 14.0)]
    for start in ((np.log(n) / 2, 0.0), (np.log(spectrum.classes), -2.0), (0.0, 2.0)):
        optimum = minimize(loss, np.array(start), jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
        if best is None or optimum.fun < best.fun:
            best = optimum
    at_limit = best.x[0] >= bounds[0][1] - 1e-6 or best.x[1] >= bounds[1][1] - 1e-6
    _, slope = loss(best.x)
    if at_limit or not np.all(np.isfinite(best.x)) or np.abs(slope).max() > 1e-5:
        return None
    return _polished(*parameters(best.x), spectrum)


def _polished(theta: float, alpha: float, spectrum: Spectrum) -> tuple[float, float]:
    """Return the point nearby where the derivatives are 0; the same point if there is none, as where alpha is 0."""
    import numpy as np
    from scipy.optimize import root

    def score(point: Array) -> Array:
        inside = 0 < point[1] < 1 and point[0] > -point[1]
        return _score(float(point[0]), float(point[1]), spectrum) if inside else np.full(2, np.inf)

    with np.errstate(all="ignore"):
        solution = root(score, np.array([theta, alpha]), tol=1e-13)
    near = np.allclose(solution.x, [theta, alpha], rtol=0.05, atol=1e-3) and bool(np.isfinite(score(solution.x)).all())
    better = near and np.abs(score(solution.x)).max() < np.abs(score(np.array([theta, alpha]))).max()
    return (float(solution.x[0]), float(solution.x[1])) if better else (theta, alpha)
