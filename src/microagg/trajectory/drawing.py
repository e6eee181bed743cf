"""A map of tracks: originals faint, released ones strong, as an SVG file that stands alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.base.types import FloatArray
from microagg.report import svg
from microagg.trajectory.release import TrackRelease
from microagg.trajectory.track import Track, plane_of

WIDTH, MARGIN = 900.0, 24.0
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}path{fill:none;stroke-linejoin:round;stroke-linecap:round}"
    ".before{stroke:#7a8794;stroke-opacity:.35;stroke-width:1}.after{stroke:#c2501f;stroke-opacity:.9;stroke-width:2}"
)


def draw_tracks(release: TrackRelease) -> str:
    """Draw the original records and the released tracks over each other. The originals are not for publication."""
    plane = plane_of(release.originals)

    def projected(tracks: Sequence[Track]) -> list[FloatArray]:
        return [plane.to_metres(track.positions) for track in tracks]

    before = projected(release.originals)
    after = projected(list({track.positions.tobytes(): track for track in release.tracks}.values()))
    everything = np.concatenate(before)
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = (WIDTH - 2 * MARGIN) / max(float((high - low).max()), 1.0)
    height = float((high - low)[1]) * scale + 2 * MARGIN + 26

    def path(metres: FloatArray, kind: str) -> str:
        x = MARGIN + (metres[:, 0] - low[0]) * scale
        y = MARGIN + (high[1] - metres[:, 1]) * scale
        corners = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
        return f'<path class="{kind}" d="M{corners}"/>'

    words = f"{len(before):,} original tracks (grey), {len(after):,} different released ones (red), k = {release.k}"
    body = [
        *(path(metres, "before") for metres in before),
        *(path(metres, "after") for metres in after),
        svg.text(MARGIN, height - 12, words),
    ]
    return svg.alone(WIDTH, height, words, STYLE, body)
