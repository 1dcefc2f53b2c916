"""What the head of a Go file says: package, imports, constraints, embedded files.

Only what stands before the first declaration is read, as `go list` does; embed directives are looked for everywhere,
since one too many only makes the closure larger.
"""

import re
from dataclasses import dataclass
from typing import Final

SPACE: Final = re.compile(r"[ \t\r\n;]+")
COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
NAME: Final = re.compile(r"[^\W\d]\w*|\.")
QUOTED: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
EMBED: Final = re.compile(r"^[ \t]*//go:embed[ \t]+(\S[^\n]*)$", re.MULTILINE)
BUILD: Final = re.compile(r"//go:build[ \t]+(.*)")
PLUS: Final = re.compile(r"//[ \t]*\+build[ \t]+(.*)")
PATTERN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\S+)')


@dataclass(frozen=True)
class GoFileHeader:
    """What a Go file says of itself."""

    imports: tuple[str, ...] = ()
    build: str | None = None
    """The expression after `//go:build`."""
    plus: tuple[str, ...] = ()
    """What stands after each `// +build`."""
    embeds: tuple[str, ...] = ()
    unread: bool = False
    """Whether its head could not be read to its end."""


def read_source(text: str) -> GoFileHeader:
    """Read the head of a Go file. Never fails."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    embeds = tuple(
        next(part for part in found.groups() if part is not None)
        for line in EMBED.findall(text)
        for found in PATTERN.finditer(line)
    )
    head = _HeaderScanner(text)
    head.comments()
    build, plus = head.build, tuple(head.plus)
    if not head.word("package") or head.name() is None:
        return GoFileHeader((), build, plus, embeds, unread=True)
    imports, whole = _imports(head)
    return GoFileHeader(imports, build, plus, embeds, unread=not whole)


def _imports(head: "_HeaderScanner") -> tuple[tuple[str, ...], bool]:
    found: list[str] = []
    while True:
        head.comments()
        if not head.word("import"):
            return tuple(dict.fromkeys(found)), True
        head.comments()
        if not head.mark("("):
            path = head.spec()
            if path is None:
                return tuple(found), False
            found.append(path)
            continue
        while True:
            head.comments()
            if head.mark(")"):
                break
            path = head.spec()
            if path is None:
                return tuple(found), False
            found.append(path)


class _HeaderScanner:
    """Goes through the text before the first declaration."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.build: str | None = None
        self.plus: list[str] = []

    def comments(self) -> None:
        """Pass over spaces and comments, keeping the constraints among them."""
        while (found := SPACE.match(self._text, self._at) or COMMENT.match(self._text, self._at)) is not None:
            self._at = found.end()
            said = found.group()
            if (build := BUILD.fullmatch(said)) is not None and self.build is None:
                self.build = build[1].strip()
            elif (plus := PLUS.fullmatch(said)) is not None:
                self.plus.append(plus[1].strip())

    def word(self, word: str) -> bool:
        """Pass over a keyword, if it comes next."""
        end = self._at + len(word)
        if (
            self._text.startswith(word, self._at)
            and not self._text[end : end + 1].isidentifier()
            and not self._text[end : end + 1].isdigit()
        ):
            self._at = end
            return True
        return False

    def mark(self, mark: str) -> bool:
        """Pass over a mark, if it comes next."""
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def name(self) -> str | None:
        """Pass over an identifier."""
        self.comments()
        found = NAME.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found.group()

    def spec(self) -> str | None:
        """Pass over one import and return its path."""
        if not self._text.startswith(('"', "`"), self._at) and self.name() is None:
            return None
        self.comments()
        found = QUOTED.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[1] if found[1] is not None else found[2]
