"""A page as tests read it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Read a page strictly: every tag is closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def assert_closed_in_itself(self) -> None:
        """No scripts, no pictures, no handlers, nothing that leads out of the page, and no dangling references."""
        assert not {"script", "img", "iframe", "object", "base", "form"} & set(self.tags)
        assert not [name for name, _ in self.attributes if name.startswith("on") or name == "style"]
        links = [value for name, value in self.attributes if name in ("href", "src")]
        assert all(link.startswith(("#", "data:,")) for link in links)
        assert {link[1:] for link in links if link.startswith("#")} <= set(self.ids)
        assert len(self.ids) == len(set(self.ids))
        labels = [value for name, value in self.attributes if name == "aria-labelledby"]
        assert {key for label in labels for key in label.split()} <= set(self.ids)
