"""Student's t and other statistics for small comparisons, in numpy alone.

`scipy.special` has the same functions and is the reference in the tests; importing it costs 0.35 s of CPU, a quarter of the time
of a small comparison on the command line.
"""

from functools import lru_cache
from math import erfc, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

_MOST_STEPS = 300
_CONVERGED = 3e-15
_NEVER_ZERO = 1e-30
_MANY = 10_000  # from here on, finding duplicates is worth its time
_FEW = 64  # up to here, one after the other takes less time than numpy's calls
_STEPS_PER_ROOT, _LARGEST = 6, 1e9
_SMALLEST, _BELOW_ONE = 5e-324, 1 - 2**-53
_STIRLING_FROM = 10.0
_SERIES_FROM = 8

# For more elements than this, quantiles are interpolated between as many exact ones.
_KNOTS = 256
_NEWTON_STEPS = 20
_NEWTON_CONVERGED = 1e-10
_LARGEST_LOG_T = 320.0  # its square is still finite


def median(values: F64) -> float:
    """Return the median of at least one value.

    `numpy.median` imports masked arrays, which takes 20 ms of CPU.
    """
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def digamma(x: F64) -> F64:
    """Return the logarithmic derivative of the gamma function for x > 0 (Abramowitz and Stegun 6.3.5 and 6.3.18)."""
    recurrence, x = np.zeros_like(x), x.copy()
    for _ in range(_SERIES_FROM):
        recurrence -= 1 / x
        x += 1
    square = 1 / np.square(x)
    series: F64 = np.log(x) - 1 / (2 * x) - square * (1 / 12 - square * (1 / 120 - square / 252))
    return recurrence + series


def trigamma(x: F64) -> F64:
    """Return the derivative of `digamma` for x > 0 (Abramowitz and Stegun 6.4.6 and 6.4.12)."""
    recurrence, x = np.zeros_like(x), x.copy()
    for _ in range(_SERIES_FROM):
        recurrence += 1 / np.square(x)
        x += 1
    square = 1 / np.square(x)
    series: F64 = 1 / x + square / 2 + square / x * (1 / 6 - square * (1 / 30 - square / 42))
    return recurrence + series


def t_two_sided(t: F64, df: F64) -> F64:
    """Return P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom.

    Both arrays of one shape; NaN stays NaN. By the regularized incomplete beta function: I_x(df/2, 1/2) with x = df /
    (df + t^2) (Abramowitz and Stegun 26.7.1). Equal elements are computed once: most functions of a large program have
    the same few counts.
    """
    if t.ndim == 1 and len(t) > _MANY:
        _, of_square = np.unique(np.square(t), return_inverse=True)
        degrees, of_degrees = np.unique(df, return_inverse=True)
        pairs = of_square * len(degrees) + of_degrees
        _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        if len(first) < len(t) / 2:
            return _t_two_sided(t[first], df[first])[inverse]
    return _t_two_sided(t, df)


def _t_two_sided(t: F64, df: F64) -> F64:
    square = np.minimum(np.square(t), 1e290)
    x, y = df / (df + square), square / (df + square)
    a, b = df / 2.0, 0.5
    front = np.exp(a * np.log(np.maximum(x, 1e-300)) + b * np.log(np.maximum(y, 1e-300)) - _log_betas(df))
    swap = x > (a + 1) / (a + b + 2)  # the continued fraction converges fast on this side only
    part = front * _beta_fraction(np.where(swap, b, a), np.where(swap, a, b), np.where(swap, y, x))
    tail: F64 = np.where(swap, 1 - part / b, part / a)
    return tail


def t_quantile(probability: float, df: F64) -> F64:
    """Return the t with P(|T| <= t) = `probability` (two-sided, above 0 and below 1), for each of `df` > 0.

    Exact to 9 digits for up to 256 of them; for more (a view has one per node) interpolated, to 6 digits.
    """
    flat = np.asarray(df, dtype=np.float64).reshape(-1)
    if len(flat) == 0:
        return flat.reshape(df.shape)
    low, high = float(flat.min()), float(flat.max())
    if low == high:
        return np.full(df.shape, _quantile(probability, low))
    if len(flat) <= _KNOTS:
        return _quantiles(probability, flat).reshape(df.shape)
    return _interpolated(probability, flat, low, high).reshape(df.shape)


@lru_cache(maxsize=1024)
def _quantile(probability: float, df: float) -> float:
    """Cache one quantile: most subjects of a comparison have the same degrees of freedom."""
    return float(_quantiles(probability, np.array([df]))[0])


def _quantiles(probability: float, df: F64) -> F64:
    """Apply Newton's method to log P(|T| >= t) over log t.

    Concave and decreasing, so it converges from above. It starts at the normal quantile, which is a lower bound.
    """
    tail = 1 - probability
    goal = np.log(tail)
    log_t = np.full(df.shape, np.log(NormalDist().inv_cdf(1 - tail / 2)))
    log_norm = _log_betas(df) + 0.5 * np.log(df)
    for _ in range(_NEWTON_STEPS):
        t = np.exp(log_t)
        beyond = t_two_sided(t, df)
        slope = -2 * np.exp(log_t - (df + 1) / 2 * np.log1p(t * t / df) - log_norm) / beyond
        step = (np.log(beyond) - goal) / slope
        log_t = np.minimum(log_t - step, _LARGEST_LOG_T)
        if not np.any(np.abs(step) > _NEWTON_CONVERGED):
            break
    quantiles: F64 = np.exp(log_t)
    return quantiles


def _interpolated(probability: float, df: F64, low: float, high: float) -> F64:
    """Interpolate log t over log df by cubics through four neighboring knots (Lagrange), for all elements at once."""
    first, last = np.log(low), np.log(high)
    knots = _log_quantiles_between(probability, first, last)
    place = (np.log(df) - first) * ((_KNOTS - 1) / (last - first))
    left = np.clip(place.astype(np.int64), 1, _KNOTS - 3)
    x = place - left
    before, after, further = x + 1, x - 1, x - 2
    log_t = (
        knots[left - 1] * (x * after * further) * (-1 / 6)
        + knots[left] * (before * after * further) * 0.5
        - knots[left + 1] * (before * x * further) * 0.5
        + knots[left + 2] * (before * x * after) * (1 / 6)
    )
    quantiles: F64 = np.exp(log_t)
    return quantiles


@lru_cache(maxsize=64)
def _log_quantiles_between(probability: float, first: float, last: float) -> F64:
    knots: F64 = np.log(_quantiles(probability, np.exp(np.linspace(first, last, _KNOTS))))
    knots.flags.writeable = False
    return knots


def beta_cdf(x: F64, a: F64, b: F64) -> F64:
    """Return I_x(a, b), the regularized incomplete beta function, of each element.

    `a`, `b` > 0, 0 <= `x` <= 1. Accurate to 10 digits for `a`, `b` from 1e-300 to a million, and for every `x` down to
    the smallest number (for tiny `a`, I_x is x^a: far from 0 even there).
    """
    inside = np.clip(x, _SMALLEST, _BELOW_ONE)
    log_x, log_y = np.log(inside), np.log1p(-inside)
    swap = inside > (a + 1) / (a + b + 2)  # the continued fraction converges fast on this side only
    left, right, at = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1 - inside, inside)
    log_left, log_right = np.where(swap, log_y, log_x), np.where(swap, log_x, log_y)
    front = np.exp(left * log_left + right * log_right - log_beta(left, right) - np.log(left))
    part = front * _beta_fraction(left, right, at)
    tail: F64 = np.clip(np.where(swap, 1 - part, part), 0.0, 1.0)
    return np.where(x <= 0, 0.0, np.where(x >= 1, 1.0, tail))


def log_beta(a: F64, b: F64) -> F64:
    """Return the logarithm of B(a, b) of each element; `a`, `b` > 0."""
    return np.array([log_beta_of(*pair) for pair in zip(a.tolist(), b.tolist(), strict=True)])


def log_beta_of(a: float, b: float) -> float:
    """Return the logarithm of B(a, b); `a`, `b` > 0."""
    return _log_beta_of(*sorted((a, b)))


def _log_beta_of(less: float, more: float) -> float:
    """Compute it by Stirling's series if `more` is large: lgamma's values are much larger than their difference."""
    if more < _STIRLING_FROM:
        return lgamma(less) + lgamma(more) - lgamma(less + more)
    both = less + more
    rest = _stirling_rest(more) - _stirling_rest(both)
    if less < _STIRLING_FROM:
        return lgamma(less) + (less - (more - 0.5) * log1p(less / more)) - less * log(both) + rest
    root = 0.5 * log(2 * pi / more)
    return root + (less - 0.5) * log(less / both) - more * log1p(less / more) + _stirling_rest(less) + rest


def _stirling_rest(z: float) -> float:
    """Return the remainder of Stirling's formula for lgamma(z), to 16 digits from 10 on (Abramowitz, Stegun 6.1.41)."""
    square = 1 / (z * z)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188))))) / z


@lru_cache(maxsize=4_096)
def _log_beta(df: float) -> float:
    """Return the logarithm of B(df/2, 1/2)."""
    return lgamma(df / 2) + lgamma(0.5) - lgamma(df / 2 + 0.5)


def _log_betas(df: F64) -> F64:
    """Return it for each element; equal ones are computed once."""
    if df.size <= _FEW:
        return np.array([_log_beta(one) for one in df.ravel().tolist()]).reshape(df.shape)
    known, inverse = np.unique(df, return_inverse=True)
    each: F64 = np.array([_log_beta(one) for one in known.tolist()])[inverse].reshape(df.shape)
    return each


def _beta_fraction(a: F64, b: F64, x: F64) -> F64:
    """Evaluate the continued fraction of the incomplete beta function until the slowest element has converged.

    By the modified method of Lentz (Thompson and Barnett 1986), in about the root of the larger parameter steps.
    """
    most = _MOST_STEPS + int(_STEPS_PER_ROOT * np.sqrt(min(np.max(np.maximum(a, b), initial=0.0), _LARGEST)))
    if x.size <= _FEW:
        each = zip(a.ravel().tolist(), b.ravel().tolist(), x.ravel().tolist(), strict=True)
        return np.array([_beta_fraction_of(*one, most) for one in each], dtype=np.float64).reshape(x.shape)
    c = np.ones_like(x)
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, most):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = np.ones_like(x)
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            step = step * (c * d)
        value = value * step
        if not np.any(np.abs(step - 1) >= _CONVERGED):
            break
    return value


def _beta_fraction_of(a: float, b: float, x: float, most: int) -> float:
    """Evaluate the same fraction for one element."""
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or _NEVER_ZERO)
    value = d
    for m in range(1, most):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            d = 1 / ((1 + term * d) or _NEVER_ZERO)
            c = (1 + term / c) or _NEVER_ZERO
            step *= c * d
        value *= step
        if not abs(step - 1) >= _CONVERGED:
            break
    return value


def _away_from_zero(x: F64) -> F64:
    return np.where(x == 0, _NEVER_ZERO, x)


# Steps of the table of log P(|Z| >= z): linear interpolation is accurate to 5 digits.
_NORMAL_STEP, _NORMAL_END = 0.01, 37.0


def t_two_sided_of_many(t: F64, df: F64) -> F64:
    """Return P(|T| >= |t|) for very many rows: to 4 digits from 5 degrees of freedom on, to 2 at 2.

    In a tenth of the time. By the normal deviate with the same tail (Hill 1970, algorithm 395 of the CACM), from a
    table. Values below 1e-300 are 0; NaN stays NaN.
    """
    a = np.maximum(df - 0.5, 0.25)
    b = 48 * np.square(a)
    w = np.sqrt(a * np.log1p(np.square(np.minimum(np.abs(t), 1e140)) / df))
    square = np.square(w)
    far = ((4 * square + 33) * square + 240) * square + 855
    z = w + w * (square + 3 - far / (10 * (b + 0.8 * np.square(square) + 100))) / b
    tail: F64 = np.exp(np.interp(z, *log_normal_tail(), right=-np.inf))
    return tail


@lru_cache(maxsize=1)
def log_normal_tail() -> tuple[F64, F64]:
    """Return z, and the logarithm of P(|Z| >= z) of the normal distribution."""
    z = np.arange(0.0, _NORMAL_END, _NORMAL_STEP)
    return z, np.log([erfc(each / sqrt(2)) for each in z.tolist()])
