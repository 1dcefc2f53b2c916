"""Pure decisions about names."""

import re
import unicodedata

MAX_SLUG = 60
_GAPS = re.compile(r"[^a-z0-9]+")


def make_slug(name: str) -> str:
    """Return a name as it stands in addresses: lower case, letters, digits, single hyphens; "" if nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _GAPS.sub("-", plain).strip("-")[:MAX_SLUG].rstrip("-")
