"""Find the positions of the values in a large JSON text, to parse it in parts without building it as a whole."""

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import BatchTooLarge
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import MalformedProtobuf

MAX_CONTAINERS: Final = 500_000
"""Objects and arrays in a text."""
MAX_DEPTH: Final = 64
MAX_PIECE_BYTES: Final = 256 << 10
"""Maximum size parsed at a time."""
MAX_PIECE_CONTAINERS: Final = 20_000
STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
TOKEN: Final = re.compile(rb"[{}\[\]]|" + STRING, re.DOTALL)
SPACE: Final = re.compile(rb"[ \t\r\n]*+")
KEY: Final = re.compile(rb"[ \t\r\n]*+(" + STRING + rb")[ \t\r\n]*+:[ \t\r\n]*+", re.DOTALL)
SCALAR: Final = re.compile(STRING + rb"|[-+.0-9A-Za-z]++", re.DOTALL)
AFTER: Final = re.compile(rb"[ \t\r\n]*+([,}\]])")
CLOSING: Final = {ord("{"): ord("}"), ord("["): ord("]")}
BOM: Final = b"\xef\xbb\xbf"

Span = tuple[int, int]
"""Start and end of a value."""


class JsonSpans:
    """A JSON text whose objects and arrays are walked in place."""

    def __init__(self, body: bytes) -> None:
        """Find the containers of a text. Raises `MalformedProtobuf`, `BatchTooLarge`."""
        self.body = body
        self._opens, self._closes = array("I"), array("I")
        waiting: list[int] = []
        for found in TOKEN.finditer(body):
            at = found.start()
            byte = body[at]
            if byte in CLOSING:
                if len(self._opens) >= MAX_CONTAINERS:
                    raise BatchTooLarge("objects and lists in a request", MAX_CONTAINERS)
                if len(waiting) >= MAX_DEPTH:
                    raise MalformedProtobuf(f"the JSON is nested deeper than {MAX_DEPTH}")
                waiting.append(len(self._opens))
                self._opens.append(at)
                self._closes.append(0)
            elif byte != ord('"'):
                if not waiting or CLOSING[body[self._opens[waiting[-1]]]] != byte:
                    raise _damaged(at)
                self._closes[waiting.pop()] = at
        if waiting:
            raise MalformedProtobuf("the JSON breaks off")

    def top(self) -> Span:
        """Return the position of the only value of the text. Raises `MalformedProtobuf`."""
        at = self._skip_space(len(BOM) if self.body.startswith(BOM) else 0)
        end = self._end(at)
        if self._skip_space(end) != len(self.body):
            raise _damaged(end)
        return at, end

    def is_object(self, span: Span) -> bool:
        """Return whether a value is an object."""
        return self.body[span[0]] == ord("{")

    def is_list(self, span: Span) -> bool:
        """Return whether a value is a list."""
        return self.body[span[0]] == ord("[")

    def members(self, span: Span) -> Iterator[tuple[str, Span]]:
        """Yield the members of an object. Raises `MalformedProtobuf`."""
        at = self._skip_space(span[0] + 1)
        while at < span[1] - 1:
            key = KEY.match(self.body, at, span[1])
            if key is None:
                raise _damaged(at)
            end = self._end(key.end())
            yield str(self._parsed(*key.span(1))), (key.end(), end)
            at = self._next(end, span[1])

    def elements(self, span: Span) -> Iterator[Span]:
        """Yield the elements of a list. Raises `MalformedProtobuf`."""
        at = self._skip_space(span[0] + 1)
        while at < span[1] - 1:
            end = self._end(at)
            yield at, end
            at = self._next(end, span[1])

    def piece(self, span: Span) -> object:
        """Return a value. Raises `BatchTooLarge` if it is large, `MalformedProtobuf` if it is damaged."""
        if not self.is_small(span):
            raise BatchTooLarge("bytes in one of its objects", MAX_PIECE_BYTES)
        return self._parsed(*span)

    def is_small(self, span: Span) -> bool:
        """Return whether a value can be parsed at once."""
        within = bisect_left(self._opens, span[1]) - bisect_left(self._opens, span[0])
        return span[1] - span[0] <= MAX_PIECE_BYTES and within <= MAX_PIECE_CONTAINERS

    def check(self, span: Span) -> None:
        """Validate a value of any size piece by piece. Raises `MalformedProtobuf`, `BatchTooLarge`."""
        waiting = [span]
        while waiting:
            one = waiting.pop()
            if self.is_small(one):
                self._parsed(*one)
            elif self.is_object(one):
                waiting += [value for _, value in self.members(one) if not self._checked(value)]
            elif self.is_list(one):
                waiting += [value for value in self.elements(one) if not self._checked(value)]
            else:
                raise BatchTooLarge("bytes in one of its values", MAX_PIECE_BYTES)

    def _checked(self, span: Span) -> bool:
        small = self.is_small(span)
        if small:
            self._parsed(*span)
        return small

    def _parsed(self, start: int, end: int) -> object:
        try:
            return json.loads(self.body[start:end])
        except (ValueError, RecursionError) as error:
            raise _damaged(start) from error

    def _skip_space(self, at: int) -> int:
        found = SPACE.match(self.body, at)
        return found.end() if found else at

    def _end(self, at: int) -> int:
        """Return the end of the value that begins at `at`."""
        if at < len(self.body) and self.body[at] in CLOSING:
            index = bisect_left(self._opens, at)
            if index == len(self._opens) or self._opens[index] != at:
                raise _damaged(at)
            return self._closes[index] + 1
        found = SCALAR.match(self.body, at)
        if found is None:
            raise _damaged(at)
        return found.end()

    def _next(self, at: int, end: int) -> int:
        """Return the start of the next member or element, or the end of its container."""
        found = AFTER.match(self.body, at, end)
        if found is None:
            raise _damaged(at)
        if found.group(1) != b",":
            if found.end() != end:
                raise _damaged(at)
            return end
        following = self._skip_space(found.end())
        if following >= end - 1:
            raise _damaged(at)  # a comma before the end
        return following


def _damaged(at: int) -> MalformedProtobuf:
    return MalformedProtobuf(f"the body is not valid JSON (byte {at})")
