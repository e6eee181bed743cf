"""A map of tracks: originals faint, released ones strong, as an SVG file that stands alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.arrays import FloatArray
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
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
        f'width="{WIDTH:.0f}" height="{height:.0f}"><title>{words}</title><style>{STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f"{''.join(path(metres, 'before') for metres in before)}{''.join(path(metres, 'after') for metres in after)}"
        f'<text x="{MARGIN:.0f}" y="{height - 12:.0f}">{words}</text></svg>\n'
    )
