"""Takes label values, absolute paths, host names and people out of recorded answers, the same pseudonym for the same thing."""

from collections.abc import Mapping, Sequence


class Scrubber:
    """Learns from everything that will be shown, then takes out."""

    def __init__(
        self, members: Sequence[tuple[str, str]], *, labels: bool, paths: bool, hosts: bool, people: bool
    ) -> None:
        """Take out what is said."""

    def learn(self, media_type: str, content: bytes) -> None:
        """Look at an answer."""

    def learn_text(self, text: str) -> None:
        """Look at a text."""

    def content(self, media_type: str, content: bytes) -> bytes:
        """Return an answer without it."""
        return content

    def text(self, text: str) -> str:
        """Return a text without it."""
        return text

    def request(self, request: str, *, canonical: bool = True) -> str:
        """Return a request without it."""
        return request

    @property
    def found(self) -> Mapping[str, Mapping[str, str]]:
        """What was taken out, and what stands there instead."""
        return {}
