"""Parse the head of a Go file: package, imports, constraints, embedded files.

Only the part before the first declaration is read, as `go list` does. Embed directives are searched everywhere, since an
additional one only makes the closure larger.
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
    """The head of a Go file."""

    imports: tuple[str, ...] = ()
    build: str | None = None
    """The expression after `//go:build`."""
    plus: tuple[str, ...] = ()
    """The text after each `// +build`."""
    embeds: tuple[str, ...] = ()
    unread: bool = False
    """Whether the head could not be parsed completely."""
    package: str = ""
    """The name after `package`; "" if it could not be read."""


def read_source(text: str) -> GoFileHeader:
    """Parse the head of a Go file. Never fails."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    embeds = tuple(
        next(part for part in quoted.groups() if part is not None)
        for line in EMBED.findall(text)
        for quoted in PATTERN.finditer(line)
    )
    head = _HeaderScanner(text)
    head.comments()
    build, plus = head.build, tuple(head.plus)
    if not head.word("package") or (package := head.name()) is None:
        return GoFileHeader((), build, plus, embeds, unread=True)
    imports, is_complete = _imports(head)
    return GoFileHeader(imports, build, plus, embeds, unread=not is_complete, package=package)


def _imports(head: "_HeaderScanner") -> tuple[tuple[str, ...], bool]:
    imports: list[str] = []
    while True:
        head.comments()
        if not head.word("import"):
            return tuple(dict.fromkeys(imports)), True
        head.comments()
        if not head.mark("("):
            path = head.spec()
            if path is None:
                return tuple(imports), False
            imports.append(path)
            continue
        while True:
            head.comments()
            if head.mark(")"):
                break
            path = head.spec()
            if path is None:
                return tuple(imports), False
            imports.append(path)


class _HeaderScanner:
    """Scans the text before the first declaration."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.build: str | None = None
        self.plus: list[str] = []

    def comments(self) -> None:
        """Skip spaces and comments, recording the constraints among them."""
        while (found := SPACE.match(self._text, self._at) or COMMENT.match(self._text, self._at)) is not None:
            self._at = found.end()
            comment = found.group()
            if (build := BUILD.fullmatch(comment)) is not None and self.build is None:
                self.build = build[1].strip()
            elif (plus := PLUS.fullmatch(comment)) is not None:
                self.plus.append(plus[1].strip())

    def word(self, word: str) -> bool:
        """Skip a keyword, if it is next."""
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
        """Skip a mark, if it is next."""
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def name(self) -> str | None:
        """Skip an identifier and return it."""
        self.comments()
        found = NAME.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found.group()

    def spec(self) -> str | None:
        """Skip one import and return its path."""
        if not self._text.startswith(('"', "`"), self._at) and self.name() is None:
            return None
        self.comments()
        found = QUOTED.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[1] if found[1] is not None else found[2]
