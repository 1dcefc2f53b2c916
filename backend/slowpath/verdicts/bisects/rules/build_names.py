"""Names of builds, unique where one name must identify one build: an image, a label of a series."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

SHORT_COMMIT: Final = 16


def name_of(commit: str, replaced: Mapping[str, str | None]) -> str:
    """Return the name of a build: its commit, and a hash of its module overrides.

    `replaced`: commit or version by module.
    """
    if not replaced:
        return commit
    text = json.dumps(dict(sorted(replaced.items())))
    return f"{commit[:SHORT_COMMIT]}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
