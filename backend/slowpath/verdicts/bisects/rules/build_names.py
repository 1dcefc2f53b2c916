"""How a build is called where one name must be one build: an image, a label of a series."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

SHORT_COMMIT: Final = 16


def name_of(commit: str, replaced: Mapping[str, str | None]) -> str:
    """Return a build's name: its commit, and a hash of what stands in for modules (module to commit or version)."""
    if not replaced:
        return commit
    told = json.dumps(dict(sorted(replaced.items())))
    return f"{commit[:SHORT_COMMIT]}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
