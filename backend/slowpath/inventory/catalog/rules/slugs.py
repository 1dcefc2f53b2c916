"""Make slugs of names."""

import re
import unicodedata

MAX_SLUG = 60
_GAPS = re.compile(r"[^a-z0-9]+")


def make_slug(name: str) -> str:
    """Return the slug of a name: lower case, letters, digits, single hyphens; "" if none remain."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _GAPS.sub("-", plain).strip("-")[:MAX_SLUG].rstrip("-")
