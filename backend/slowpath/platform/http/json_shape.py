"""Limits on the shape of a JSON text, checked before it is parsed: number of members, depth of nesting.

Validation reports every unknown or wrong member, which costs far more than parsing it. Therefore members are counted
first, by a fast scan of the bytes.
"""

import re
from typing import Final

from slowpath.core.errors import InvalidRequest, TooLarge

MAX_DEPTH: Final = 64
STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"{}[]")
OPENING: Final = frozenset(b"{[")


def check_json_shape(body: bytes, max_members: int) -> None:
    """Reject a JSON text with too many members or levels. Raises `TooLarge`; `InvalidRequest` if it is not UTF-8."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in body[:4]:
        # Python's parser also reads UTF-16 and UTF-32, in which quotes and brackets cannot be found by bytes.
        raise InvalidRequest(
            "The JSON body is not UTF-8.", slug="json-not-utf-8", remedy="Send it as UTF-8 (RFC 8259)."
        )
    if _most_members(body) <= max_members and body.count(b"{") + body.count(b"[") <= MAX_DEPTH:
        return
    bare = STRING.sub(b"", body)
    members = _most_members(bare)
    if members > max_members:
        raise TooLarge(
            f"The JSON body has {members:,} members; the limit is {max_members:,}.",
            slug="too-many-members",
            limit=max_members,
            actual=members,
            unit="members",
            remedy="Send only documented members, and long lists in several requests.",
        )
    depth = _depth(bare)
    if depth > MAX_DEPTH:
        raise TooLarge(
            f"The JSON body is nested {depth} levels deep; the limit is {MAX_DEPTH}.",
            slug="nested-too-deeply",
            limit=MAX_DEPTH,
            actual=depth,
            unit="levels",
            remedy="Send less deeply nested JSON.",
        )


def _most_members(text: bytes) -> int:
    """Return an upper bound of the members: one for each comma and each opened object or array."""
    return text.count(b",") + text.count(b"{") + text.count(b"[")


def _depth(bare: bytes) -> int:
    depth = deepest = 0
    for byte in bare.translate(None, NOT_BRACKETS):
        depth += 1 if byte in OPENING else -1
        deepest = max(deepest, depth)
    return deepest
