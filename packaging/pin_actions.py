"""Pin the actions of the workflows to full commits: python packaging/pin_actions.py (asks GitHub, by git ls-remote).

A tag can be moved by whoever owns the action, a commit cannot. The tag stays behind it as a comment, and is asked for
again the next time: `actions/checkout@v4` becomes `actions/checkout@<40 digits>  # v4`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
USES = re.compile(r"uses: (?P<action>[\w.-]+/[\w./-]+)@(?P<ref>\S+)(?:  # (?P<tag>\S+))?")


def workflows(root: Path) -> list[Path]:
    """Give the files of the workflows."""
    return sorted((root / ".github" / "workflows").glob("*.yml"))


def is_pinned(ref: str) -> bool:
    """Say whether a version is a commit."""
    return re.fullmatch(r"[0-9a-f]{40}", ref) is not None


def pin(text: str, look_up: Callable[[str, str], str]) -> str:
    """Give a workflow in which every action is a commit: `look_up(repository, tag)` says which."""

    def commit_of(match: re.Match[str]) -> str:
        tag = match["tag"] or match["ref"]
        if is_pinned(tag):
            return match[0]
        repository = "/".join(match["action"].split("/")[:2])
        return f"uses: {match['action']}@{look_up(repository, tag)}  # {tag}"

    return USES.sub(commit_of, text)


def ask_github(repository: str, tag: str) -> str:
    """Give the commit of a tag or branch."""
    refs = [f"refs/tags/{tag}^{{}}", f"refs/tags/{tag}", f"refs/heads/{tag}"]
    command = ["git", "ls-remote", f"https://github.com/{repository}", *refs]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    commits = dict(reversed(line.split("\t")) for line in told.splitlines())
    return next(commits[ref] for ref in refs if ref in commits)


if __name__ == "__main__":
    for path in workflows(ROOT):
        path.write_text(pin(path.read_text(encoding="utf-8"), ask_github), encoding="utf-8")
