"""Read recorded responses of former versions in the current one; snapshots store the bytes that were recorded."""

import json
import re
from typing import Final

from slowpath.analysis.comparison.comparison_versions import upgrade_comparison

COMPARISON: Final = re.compile(r"/comparisons/[0-9a-f-]{36}")


def upgrade_response(request: str, content: bytes) -> bytes:
    """Return the body of a recorded response with the result of a comparison in its current version."""
    if COMPARISON.fullmatch(request) is None:
        return content
    body = json.loads(content)
    result = body.get("result") if isinstance(body, dict) else None
    if not isinstance(result, dict):
        return content
    upgraded = upgrade_comparison(result)
    if upgraded is result:
        return content
    return json.dumps({**body, "result": upgraded}, ensure_ascii=False).encode()
