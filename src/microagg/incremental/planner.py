"""When to start: how to split a survey in two stages so that its release is ready early [1]_.

The paper's symbols, once for this file. All times tau are relative to the running time t of one run on everything.

======== ======================================================== ==========================================
symbol   here                                                     meaning
======== ======================================================== ==========================================
nu       ratio                                                    share of the records left to the second stage
tau_0    `base_time(ratio)`                                       time of the base stage, (1-nu)^2
tau_+    `rest_time(ratio)`                                       time of the second stage, nu^2
tau_-    `head_start(ratio, zeta)`                                from the start of the base stage to closing, zeta nu
zeta     zeta                                                     time in which all records arrive
zeta_-   `CRITICAL_ZETA`                                          from here on the optimum wastes no time and waits none
Dtau     `gain(ratio, zeta)`                                      what two stages save
nu_-     `critical_ratio(zeta)`                                   the base stage ends when the survey closes
nu^*     `optimal_ratio(zeta)`                                    the release is ready first
Dtau^*   `optimal_gain(zeta)`                                     what that saves
tau_end  deadline                                                 time allowed after closing
nu_end   `deadline_ratio(deadline, zeta)`                         the least ratio that meets the deadline
delta    `loss_growth(ratio, n_columns)`                          how much more loss than one run, estimated
======== ======================================================== ==========================================

These closed forms hold for quadratic methods and uniform arrivals. `plan` needs neither: any power of the number of
records for each stage, and any curve of arrivals.

References
----------
.. [1] D. Rebollo-Monedero, C. Hernandez-Baigorri, J. Forne, M. Soriano. Incremental k-anonymous microaggregation in
   large-scale electronic surveys with optimized scheduling. IEEE Access 6 (2018) 60016-60044.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from microagg.base.types import FloatArray
from microagg.errors import InvalidOption

CRITICAL_ZETA = 2.0 * (2.0 / math.sqrt(3.0) - 1.0)
"""zeta_-: with arrivals this slow or slower, the optimal ratio is the critical one."""


def base_time(ratio: npt.ArrayLike) -> FloatArray:
    """Give the relative time of a quadratic base stage, tau_0 = (1-nu)^2.

    >>> float(base_time(0.5))
    0.25
    """
    return (1.0 - _ratio(ratio)) ** 2


def rest_time(ratio: npt.ArrayLike) -> FloatArray:
    """Give the relative time of a quadratic second stage, tau_+ = nu^2.

    >>> float(rest_time(0.5))
    0.25
    """
    return _ratio(ratio) ** 2


def relative_time(ratio: npt.ArrayLike) -> FloatArray:
    """Give the relative time of both stages of 2MDAV, tau_0 + tau_+ = (1-nu)^2 + nu^2.

    >>> relative_time([0.0, 0.1, 0.5]).round(2).tolist()
    [1.0, 0.82, 0.5]
    """
    return base_time(ratio) + rest_time(ratio)


def head_start(ratio: npt.ArrayLike, zeta: npt.ArrayLike) -> FloatArray:
    """Give the head start that uniform arrivals allow, tau_- = zeta nu.

    >>> float(head_start(0.1, 5.0))
    0.5
    """
    return _zeta(zeta) * _ratio(ratio)


def gain(ratio: npt.ArrayLike, zeta: npt.ArrayLike) -> FloatArray:
    """Give the time that two quadratic stages save, min(tau_- + 1 - tau_0, 1) - tau_+.

    Parameters
    ----------
    ratio, zeta : float or array
        Share of the records in the second stage; time in which all records arrive.

    Returns
    -------
    float or array
        The gain, relative to the time of one run on everything: the release is ready 1 - gain after closing.

    Examples
    --------
    >>> gain([0.0, 0.1], 5.0).round(3).tolist()
    [0.0, 0.68]
    """
    return np.minimum(head_start(ratio, zeta) + 1.0 - base_time(ratio), 1.0) - rest_time(ratio)


def critical_ratio(zeta: npt.ArrayLike) -> FloatArray:
    """Give nu_-, with which the base stage ends at the moment of closing: tau_0 = tau_-.

    nu_- = (2 + zeta - sqrt(zeta (4 + zeta))) / 2, here as 2 / (2 + zeta + sqrt(zeta (4 + zeta))), which keeps its
    digits where zeta is large.

    >>> critical_ratio([0.0, 0.5, 5.0]).round(3).tolist()
    [1.0, 0.5, 0.146]
    """
    zeta = _zeta(zeta)
    return 2.0 / (2.0 + zeta + np.sqrt(zeta * (4.0 + zeta)))


def critical_ratio_slow(zeta: npt.ArrayLike) -> FloatArray:
    """Approximate nu_- for slow arrivals, zeta much larger than 1: 1 / (2 + zeta).

    >>> round(float(critical_ratio_slow(5.0)), 3)
    0.143
    """
    return 1.0 / (2.0 + _zeta(zeta))


def optimal_ratio(zeta: npt.ArrayLike) -> FloatArray:
    """Give nu^*, with which the release is ready first: (2 + zeta) / 4 up to zeta_-, from there on nu_-.

    >>> optimal_ratio([0.0, 5.0]).round(3).tolist()
    [0.5, 0.146]
    """
    return np.minimum((2.0 + _zeta(zeta)) / 4.0, critical_ratio(zeta))


def optimal_gain(zeta: npt.ArrayLike) -> FloatArray:
    """Give what the optimal ratio saves: (2 + zeta)^2 / 8 up to zeta_-, from there on 1 - nu_-^2.

    The second form is sqrt(zeta (4 + zeta)) (2 + zeta - sqrt(zeta (4 + zeta))) / 2, as in the paper's Figure 11;
    the fraction printed in its section IV-B has another denominator and does not join the first form at zeta_-.

    >>> optimal_gain([0.0, 5.0]).round(4).tolist()
    [0.5, 0.9787]
    """
    ratio = optimal_ratio(zeta)
    return (2.0 + _zeta(zeta) - 2.0 * ratio) * ratio


def earliest_deadline(zeta: npt.ArrayLike) -> FloatArray:
    """Give the least time after closing that any ratio can reach, 1 minus the optimal gain.

    >>> round(float(earliest_deadline(5.0)), 4)
    0.0213
    """
    ratio = optimal_ratio(zeta)
    # The time that is left, in sums of positive terms: 1 - gain would cancel where arrivals are slow.
    return np.maximum(base_time(ratio) - head_start(ratio, zeta), 0.0) + rest_time(ratio)


def deadline_ratio(deadline: npt.ArrayLike, zeta: npt.ArrayLike) -> FloatArray:
    """Give nu_end, the least ratio that meets a deadline, and with it the least loss.

    nu_end = (2 + zeta - sqrt((2 + zeta)^2 - 8 (1 - tau_end))) / 4, written so that it keeps its digits. It falls
    from nu^* at the earliest deadline to 0 at tau_end = 1, where one run on everything is in time.

    Parameters
    ----------
    deadline : float or array
        Time allowed after closing, tau_end, relative to the time of one run on everything; from the earliest
        deadline to 1.
    zeta : float or array
        Time in which all records arrive.

    Returns
    -------
    float or array

    Examples
    --------
    >>> round(float(deadline_ratio(0.5, 5.0)), 4)
    0.0729
    """
    zeta, deadline = _zeta(zeta), np.asarray(deadline, dtype=np.float64)
    earliest = earliest_deadline(zeta)
    # A deadline computed as 1 - optimal_gain may miss the earliest by a rounding.
    feasible = (deadline >= earliest - 1e-12) & (deadline <= 1.0)
    if not feasible.all():
        first = tuple(np.argwhere(~feasible)[0])
        least, got = (float(np.broadcast_to(a, feasible.shape)[first]) for a in (earliest, deadline))
        raise InvalidOption(
            f"deadline must be between {least:.6g}, the earliest that two stages can reach, and 1, the time of one "
            f"run on everything; got {got:.6g}."
        )
    slack = 1.0 - deadline
    return 4.0 * slack / (2.0 * (2.0 + zeta + np.sqrt(np.maximum((2.0 + zeta) ** 2 - 8.0 * slack, 0.0))))


def deadline_ratio_slow(deadline: npt.ArrayLike, zeta: npt.ArrayLike) -> FloatArray:
    """Approximate nu_end for slow arrivals: (1 - tau_end) / (2 + zeta).

    >>> round(float(deadline_ratio_slow(0.5, 5.0)), 4)
    0.0714
    """
    return (1.0 - np.asarray(deadline, dtype=np.float64)) / (2.0 + _zeta(zeta))


def loss_growth(ratio: npt.ArrayLike, n_columns: npt.ArrayLike) -> FloatArray:
    """Estimate how much more loss 2MDAV has than one run, the paper's delta.

    With groups of k, the volume of a group goes as 1/n and its squared radius as n^(-2/m). Each stage has only its
    share of the records, so delta = (1-nu)^(1-2/m) + nu^(1-2/m) - 1. The paper argues so for nu = 1/2, where this is
    2^(2/m) - 1 (section III-B.5): an informal argument, for m independent columns and many groups in both stages.
    With dependent columns, m is the smaller number of dimensions that the records really fill.

    Parameters
    ----------
    ratio : float or array
        Share of the records in the second stage.
    n_columns : float or array
        m, more than 2: in fewer dimensions the second stage is too sparse for this argument.

    Returns
    -------
    float or array
        0.05 for 5% more.

    Examples
    --------
    >>> loss_growth([0.0, 0.1, 0.146], 15).round(2).tolist()
    [0.0, 0.05, 0.06]
    """
    columns = np.asarray(n_columns, dtype=np.float64)
    if not (columns > 2.0).all():
        raise InvalidOption("n_columns must be more than 2 for this estimate; measure the loss of fewer columns.")
    power = 1.0 - 2.0 / columns
    return (1.0 - _ratio(ratio)) ** power + _ratio(ratio) ** power - 1.0


def _ratio(ratio: npt.ArrayLike) -> FloatArray:
    values = np.asarray(ratio, dtype=np.float64)
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise InvalidOption("ratio must be between 0 and 1: it is the share of the records in the second stage.")
    return values


def _zeta(zeta: npt.ArrayLike) -> FloatArray:
    values = np.asarray(zeta, dtype=np.float64)
    if not ((values >= 0.0) & np.isfinite(values)).all():
        raise InvalidOption(
            "zeta must be finite and at least 0: it is the time in which all records arrive, in runs on everything."
        )
    return values
