"""Limits of answers of tools, and how long tools wait."""

import re
from typing import Final

MOST_TOKENS: Final = 8_000
"""Limit of one answer."""
RESERVED_TOKENS: Final = 200
"""Room for the sentence that states what was left out."""
MOST_TEXT: Final = 600
"""Characters of one text from outside."""
MOST_ROWS: Final = 50
DEFAULT_ROWS: Final = 20
MOST_WAIT_S: Final = 25
"""Longer calls would exceed the time that clients and proxies wait for a response."""
DEFAULT_WAIT_S: Final = 20
PAUSES_S: Final = (0.2, 0.3, 0.5, 1.0, 2.0)
"""Pauses between two looks at a job; the last one repeats, so that waiting uses little of a token's rate limit."""
_CHEAP: Final = re.compile(r"[A-Za-z ]")


def count_tokens_at_most(text: str) -> int:
    """Return an upper estimate of the tokens of a text.

    No tokenizer is named by the protocol. Letters count half a token each (random letters take about two for a token,
    words far more), digits and punctuation one, and every byte of another character one, as byte-pair encodings do at
    worst.
    """
    costly = _CHEAP.sub("", text)
    return len(costly.encode("utf-8", "replace")) + (len(text) - len(costly) + 1) // 2


def pause_after(looks: int) -> float:
    """Return the pause after this many looks at a job, in seconds."""
    return PAUSES_S[min(looks, len(PAUSES_S)) - 1]
