"""Groups that change: records leave them for the nearest centroids, and two of them are dealt anew."""

from __future__ import annotations

import numpy as np

from microagg.base.types import FloatArray, IntArray


class ChangingGroups:
    """The records, sizes, centroids and squared errors of groups that change.

    An empty group has its centroid at infinity. Ties go to the group with the lower number.

    >>> groups = ChangingGroups(np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1]))
    >>> groups.sse()
    1.0
    """

    def __init__(self, X: FloatArray, labels: IntArray) -> None:
        self.X = X
        self.labels = labels.copy()
        n_groups = int(labels.max()) + 1
        self.sizes = np.zeros(n_groups, dtype=np.int64)
        self.centroids = np.full((n_groups, X.shape[1]), np.inf)
        self.errors = np.zeros(n_groups)
        by_group = np.argsort(labels, kind="stable")
        self.members = np.split(by_group, np.cumsum(np.bincount(labels))[:-1])
        for group in range(n_groups):
            self._set(group, self.members[group])

    def sse(self) -> float:
        """Sum the squared errors of all groups."""
        return float(self.errors.sum())

    def numbered(self) -> IntArray:
        """Give the group of each record, numbered without gaps."""
        return np.unique(self.labels, return_inverse=True)[1].astype(np.int64, copy=False)

    def _set(self, group: int, rows: IntArray) -> None:
        self.members[group] = rows
        self.sizes[group] = len(rows)
        self.labels[rows] = group
        if len(rows):
            self.centroids[group] = self.X[rows].mean(axis=0)
            self.errors[group] = ((self.X[rows] - self.centroids[group]) ** 2).sum()
        else:
            self.centroids[group] = np.inf
            self.errors[group] = 0.0

    def without(self, group: int, leaving: IntArray) -> dict[int, IntArray]:
        """Give the groups that change, with their records, where some records leave for the nearest centroids.

        The centroid of their own group is that of the records that stay, if any do.
        """
        rows = self.members[group]
        staying = np.setdiff1d(rows, leaving, assume_unique=True)
        centroids = self.centroids.copy()
        centroids[group] = self.X[staying].mean(axis=0) if len(staying) else np.inf
        distances = ((self.X[leaving][:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2)
        takers = np.argmin(distances, axis=1)
        changed = {group: staying}
        for row, taker in zip(leaving, takers.tolist(), strict=True):
            changed[taker] = np.append(changed.get(taker, self.members[taker]), row)
        return changed

    def gain(self, changed: dict[int, IntArray]) -> float:
        """Say by how much the sum of squared errors falls where groups get these records."""
        before = sum(self.errors[group] for group in changed)
        after = sum(((self.X[rows] - self.X[rows].mean(axis=0)) ** 2).sum() for rows in changed.values() if len(rows))
        return float(before - after)

    def change(self, changed: dict[int, IntArray]) -> None:
        """Give groups other records."""
        for group, rows in changed.items():
            self._set(group, rows)

    def dissolve_where_it_pays(self, group: int) -> bool:
        """Give the records of a group to the nearest other centroids, if that lowers the sum of squared errors.

        >>> groups = ChangingGroups(np.array([[0.0], [0.1], [0.4], [9.6], [9.9], [10.0]]), np.array([0, 0, 1, 1, 2, 2]))
        >>> groups.dissolve_where_it_pays(1), groups.numbered().tolist()
        (True, [0, 0, 0, 1, 1, 1])
        """
        if np.count_nonzero(self.sizes) < 2:
            return False
        changed = self.without(group, self.members[group])
        pays = self.gain(changed) > 0.0
        if pays:
            self.change(changed)
        return pays

    def shuffle(self, random: np.random.Generator, k: int) -> None:
        """Merge a random group with the nearest one and cut both anew, by the distance to their common centroid."""
        alive = np.flatnonzero(self.sizes)
        if len(alive) < 2:
            return
        first = int(random.choice(alive))
        distances = ((self.centroids[alive] - self.centroids[first]) ** 2).sum(axis=1)
        second = int(alive[np.argmin(np.where(alive == first, np.inf, distances))])
        rows = np.sort(np.concatenate([self.members[first], self.members[second]]))
        away = ((self.X[rows] - self.X[rows].mean(axis=0)) ** 2).sum(axis=1)
        rows = rows[np.argsort(away, kind="stable")]
        n_new = len(rows) // k
        runs = np.split(rows, np.arange(1, n_new) * k)
        free = [first, second, *np.flatnonzero(self.sizes == 0).tolist()]
        while len(free) < n_new:
            free.append(len(self.members))
            self.members.append(np.empty(0, dtype=np.int64))
            self.sizes = np.append(self.sizes, 0)
            self.errors = np.append(self.errors, 0.0)
            self.centroids = np.vstack([self.centroids, np.full(self.X.shape[1], np.inf)])
        for group, run in zip(free, runs, strict=False):
            self._set(group, run)
